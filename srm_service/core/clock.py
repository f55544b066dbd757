"""The wall clock of the service, in epoch milliseconds, and those of other machines beside it."""

import time
from datetime import UTC, datetime
from typing import overload

CLOCK_TOLERANCE_MS = 5_000  # smaller differences are the network's, and would change each second


def now_ms() -> int:
    """Epoch milliseconds."""
    return time.time_ns() // 1_000_000


def epoch_ms(moment: datetime) -> int:
    """Epoch milliseconds of an aware time."""
    return int(moment.timestamp() * 1000)


@overload
def moment_of(time_ms: int) -> datetime: ...
@overload
def moment_of(time_ms: int | None) -> datetime | None: ...
def moment_of(time_ms: int | None) -> datetime | None:
    """The aware time, in UTC, of epoch milliseconds; None for none."""
    return None if time_ms is None else datetime.fromtimestamp(time_ms / 1000, tz=UTC)


def by_our_clock(time_ms: int, clock_ahead_ms: int) -> int:
    """Return a time of another clock by ours."""
    return time_ms if abs(clock_ahead_ms) <= CLOCK_TOLERANCE_MS else time_ms - round(clock_ahead_ms / 1000) * 1000


def clock_problem(clock_ahead_ms: int) -> str:
    """Return that another clock differs from ours; empty if they agree."""
    if abs(clock_ahead_ms) <= CLOCK_TOLERANCE_MS:
        return ""
    side = "ahead of" if clock_ahead_ms > 0 else "behind"
    return f"its clock is {abs(clock_ahead_ms) // 1000} s {side} that of this service"
