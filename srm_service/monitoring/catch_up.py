"""When a flow will be level with its source, from the slope of its lag. No database, no clock.

A straight line through the lags of the last minutes, with the spread of its slope: the estimate is as honest as the
line is straight. A lag that does not shrink beyond its own spread promises nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_READINGS = 4
_SPREADS = 2.0  # about 95 % of slopes lie within two standard errors


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUp:
    """Ms until level: the estimate and the range it lies in; `high_ms` None = may be never."""

    ms: int
    low_ms: int
    high_ms: int | None


def catch_up(readings: Sequence[tuple[int, float]]) -> CatchUp | None:
    """From (time in ms, lag in offsets), oldest first; None = it does not come nearer, or too little is known."""
    if readings and readings[-1][1] <= 0:
        return CatchUp(ms=0, low_ms=0, high_ms=0)
    if len(readings) < LEAST_READINGS:
        return None
    slope, error = _line(readings)
    lag = readings[-1][1]
    if slope + error >= 0:
        return None
    slowest, fastest = slope + _SPREADS * error, slope - _SPREADS * error
    return CatchUp(
        ms=round(lag / -slope),
        low_ms=round(lag / -fastest),
        high_ms=round(lag / -slowest) if slowest < 0 else None,
    )


def _line(readings: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """The slope per ms of the least squares' line and its standard error."""
    count = len(readings)
    mean_t = sum(time_ms for time_ms, _ in readings) / count
    mean_lag = sum(lag for _, lag in readings) / count
    spread_t = sum((time_ms - mean_t) ** 2 for time_ms, _ in readings)
    if spread_t == 0:
        return 0.0, 0.0
    slope = sum((time_ms - mean_t) * (lag - mean_lag) for time_ms, lag in readings) / spread_t
    rest = sum((lag - mean_lag - slope * (time_ms - mean_t)) ** 2 for time_ms, lag in readings)
    return slope, math.sqrt(rest / max(1, count - 2) / spread_t)
