"""Processes are ended by identity, never by a number somebody else may have now."""

import os
import sys
from pathlib import Path

from srm_cli.machine.processes import ProcessIdentity, end, identify, start_detached

_SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]


def test_a_pid_with_another_start_time_is_somebody_else_and_is_left_alone(tmp_path: Path) -> None:
    real = start_detached(_SLEEP, log=tmp_path / "log", tie_to_parent=True)
    impostor = ProcessIdentity(pid=real.pid, start_ticks=real.start_ticks + 1)
    end([impostor], grace_seconds=0.1)
    assert not impostor.is_alive
    assert real.is_alive
    end([real], grace_seconds=5.0)
    assert not real.is_alive


def test_a_process_that_does_not_exist_has_no_identity() -> None:
    assert identify(2**22 + 1) is None
    assert identify(os.getpid()) is not None
