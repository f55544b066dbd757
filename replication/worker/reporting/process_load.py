"""The load of this process: CPU ratio and resident memory."""

import os
import time
from collections.abc import Callable
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class ProcessLoad:
    """The CPU ratio covers the time between the last two calls of `measure`. A control worker has no network loop."""

    def __init__(self, loop_lag_ms: Callable[[], int] | None = None) -> None:
        self._loop_lag_ms = loop_lag_ms
        self._cpu_s = time.process_time()
        self._wall_s = time.monotonic()
        self.cpu_ratio: float | None = None
        self.rss_bytes: int | None = None
        self.loop_lag_ms: int | None = None

    def measure(self) -> None:
        cpu_s, wall_s = time.process_time(), time.monotonic()
        if wall_s > self._wall_s:
            self.cpu_ratio = round((cpu_s - self._cpu_s) / (wall_s - self._wall_s), 4)
        self._cpu_s, self._wall_s = cpu_s, wall_s
        self.rss_bytes = resident_bytes()
        self.loop_lag_ms = None if self._loop_lag_ms is None else self._loop_lag_ms()


def resident_bytes() -> int | None:
    """Return the resident memory of this process; None where the system has no /proc."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return None
