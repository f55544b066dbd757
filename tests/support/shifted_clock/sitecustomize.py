"""Shifts the wall clock of a process that has this folder on its path, as often as SRM_TEST_CLOCK's content changes.

The file holds seconds. The monotonic clock and the clocks of C libraries stay; drivers read the wall clock by `time`.
"""

import os
import threading
import time
from pathlib import Path

_FILE = Path(os.environ["SRM_TEST_CLOCK"])
_LOOK_S = 0.1
_time, _time_ns = time.time, time.time_ns
_shift_s = 0


def _follow() -> None:
    global _shift_s
    while True:
        _shift_s = int(_FILE.read_text())
        time.sleep(_LOOK_S)


time.time = lambda: _time() + _shift_s
time.time_ns = lambda: _time_ns() + _shift_s * 1_000_000_000
threading.Thread(target=_follow, name="test-clock", daemon=True).start()
