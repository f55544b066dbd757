"""The last resort when the supervisor itself is killed with -9.

Every child asks the kernel to die with the supervisor, but children of children (a JVM, a forked pool) do not. This
small process holds the reading end of a pipe whose only writer is the supervisor; at end of file it kills every process
group that is still registered. Lines are `+<pid>` and `-<pid>`; children lead their groups, so pid = group.
"""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path


class Guardian:
    """The supervisor's side. A dead guardian is not an error, because the kernel's death signal remains."""

    def __init__(self) -> None:
        reading, self._writing = os.pipe()
        os.set_inheritable(reading, True)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__))],
            stdin=reading,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(reading)

    def add(self, pid: int) -> None:
        self._tell(f"+{pid}\n")

    def remove(self, pid: int) -> None:
        self._tell(f"-{pid}\n")

    def close(self) -> None:
        os.close(self._writing)
        self._process.wait()

    def _tell(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._writing, line.encode())


def kill_group(pid: int) -> None:
    """Send SIGKILL to the remaining processes of the group that `pid` led."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _watch() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    registered: set[int] = set()
    for line in sys.stdin:
        pid = int(line[1:])
        if line.startswith("+"):
            registered.add(pid)
        else:
            registered.discard(pid)
    for pid in registered:
        kill_group(pid)


if __name__ == "__main__":
    _watch()
