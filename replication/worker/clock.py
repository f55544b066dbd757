"""The two clocks of the worker, as one value that tests replace."""

import time
from typing import Protocol


class Clock(Protocol):
    def wall_ms(self) -> int:
        """Epoch milliseconds, for what others read."""

    def monotonic_ms(self) -> int:
        """For durations; never jumps."""


class SystemClock:
    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000
