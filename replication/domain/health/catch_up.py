"""Estimates the time until a copy has caught up with its source, and until retention overtakes it.

There is one estimate of the first: the slope of the lag, through the last two readings of a partition (driver) or
through those of the last minutes of a flow (service), where the spread of the slope gives a range. The second comes
from the positions of the log's start and of the copy then and now. Kafka deletes whole segments, so the log's start
moves in jumps; only a range of time in which it moved is used.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

SAMPLE_EVERY_MS = 5_000
LEAST_WINDOW_MS = 4_000
RECENT_MS = 60_000  # how fast the copy is now
LONGEST_WINDOW_MS = 600_000  # how fast retention eats
MOST_SAMPLES = 32
LEAST_READINGS = 4
_SPREADS = 2.0  # about 95 % of slopes lie within two standard errors


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUp:
    """Until level with the source: the estimate and the range it lies in."""

    ms: int
    low_ms: int
    high_ms: Annotated[int | None, "null: may be never"]


def catch_up(readings: Sequence[tuple[int, float]], *, least_readings: int = LEAST_READINGS) -> CatchUp | None:
    """Estimate from (time in ms, lag in offsets), oldest first.

    Returns None when the lag does not shrink beyond the spread of its slope, or there are fewer readings than
    `least_readings`.
    """
    if readings and readings[-1][1] <= 0:
        return CatchUp(ms=0, low_ms=0, high_ms=0)
    if len(readings) < least_readings:
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
    """Return the slope per ms of the least squares' line, and its standard error."""
    count = len(readings)
    mean_t = sum(time_ms for time_ms, _ in readings) / count
    mean_lag = sum(lag for _, lag in readings) / count
    spread_t = sum((time_ms - mean_t) ** 2 for time_ms, _ in readings)
    if spread_t == 0:
        return 0.0, 0.0
    slope = sum((time_ms - mean_t) * (lag - mean_lag) for time_ms, lag in readings) / spread_t
    rest = sum((lag - mean_lag - slope * (time_ms - mean_t)) ** 2 for time_ms, lag in readings)
    return slope, math.sqrt(rest / max(1, count - 2) / spread_t)


class LogSample(NamedTuple):
    """One partition at one moment, in source offsets."""

    time_ms: int
    position: int
    log_start: int
    log_end: int

    @property
    def lag(self) -> int:
        """Offsets between the copy and the log's end."""
        return self.log_end - self.position


class CatchUpEstimate(NamedTuple):
    """The catch-up estimate of a partition; None is unknown, or never."""

    catch_up_ms: int | None
    time_to_loss_ms: int | None

    @property
    def is_at_risk(self) -> bool:
        """True when retention overtakes the copy at the present speeds."""
        loss_ms, level_ms = self.time_to_loss_ms, self.catch_up_ms
        return loss_ms is not None and (level_ms is None or level_ms >= loss_ms)


def catch_up_ms(first: LogSample, last: LogSample) -> int | None:
    """Return the ms until the copy meets the log's end: 0 when it has, None when it does not come nearer."""
    if last.lag > 0 and last.time_ms - first.time_ms < LEAST_WINDOW_MS:
        return None
    readings = [(sample.time_ms, float(sample.lag)) for sample in (first, last)]
    estimate = catch_up(readings, least_readings=len(readings))
    return None if estimate is None else estimate.ms


def time_to_loss_ms(first: LogSample, last: LogSample) -> int | None:
    """Return the ms until the log's start meets the copy; None when it does not move or the copy is faster."""
    elapsed_ms = last.time_ms - first.time_ms
    if elapsed_ms < LEAST_WINDOW_MS or last.position >= last.log_end:
        return None
    closing = (last.log_start - first.log_start) - (last.position - first.position)
    if last.log_start <= first.log_start or closing <= 0:
        return None
    return max(0, round((last.position - last.log_start) * elapsed_ms / closing))


class LogHistory:
    """The last minutes of one partition that is behind, thinned out as they grow long."""

    __slots__ = ("_samples",)

    def __init__(self) -> None:
        self._samples: list[LogSample] = []

    def add(self, sample: LogSample) -> None:
        """A position or log start that went back (a reset, a re-created topic) restarts the history."""
        samples = self._samples
        if samples and (sample.position < samples[-1].position or sample.log_start < samples[-1].log_start):
            samples.clear()
        samples.append(sample)
        if len(samples) > MOST_SAMPLES:
            samples[:] = [*samples[:-1:2], sample]
        while sample.time_ms - samples[0].time_ms > LONGEST_WINDOW_MS:
            samples.pop(0)

    def estimate(self) -> CatchUpEstimate:
        """The copy's speed over the last minute, retention's over all that is known."""
        if not self._samples:
            return CatchUpEstimate(None, None)
        last = self._samples[-1]
        recent = next(sample for sample in self._samples if last.time_ms - sample.time_ms <= RECENT_MS)
        return CatchUpEstimate(catch_up_ms(recent, last), time_to_loss_ms(self._samples[0], last))
