"""The wall clock and the monotonic clock of the worker, behind one protocol that tests replace."""

import time
from typing import Protocol


class Clock(Protocol):
    def wall_ms(self) -> int:
        """Epoch milliseconds, for published documents."""

    def monotonic_ms(self) -> int:
        """Milliseconds for durations; never jumps."""


class SystemClock:
    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000
