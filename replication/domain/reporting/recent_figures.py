"""Figures of one partition over the last half minute, like those of MirrorMaker's sensors.

They are made from the periods of raw metrics, so that a batch costs nothing more.
"""

from collections.abc import Callable
from dataclasses import dataclass

from replication.domain.reporting.histogram import Histogram

WINDOW_MS = 30_000  # the default of Kafka's metrics.sample.window.ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A value in ms: the average of the newest period with records, and those of the window; None without a record."""

    last: int | None = None
    avg: float | None = None
    max: int | None = None
    min: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionFigures:
    """One remote partition: totals since its slot started, and what its records were like recently."""

    source: str
    target: str
    topic: str
    partition: int
    records_total: int
    bytes_total: int
    lag_offsets: int | None
    records_per_second: float
    bytes_per_second: float
    latency: Spread
    age: Spread


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodFigures:
    """The figures of a partition in one period of raw metrics."""

    at_ms: int  # its end
    records: int
    size_bytes: int
    latency: Spread
    age: Spread


class RecentFigures:
    """The periods of the last half minute. Noted on the loop's thread; the other methods may be called from any."""

    __slots__ = ("_periods",)

    def __init__(self) -> None:
        self._periods: tuple[PeriodFigures, ...] = ()

    def note(self, at_ms: int, records: int, size_bytes: int, latency: Histogram, age: Histogram) -> None:
        """Note a period that ends now; the newest one is kept until another follows."""
        period = PeriodFigures(
            at_ms=at_ms, records=records, size_bytes=size_bytes, latency=_spread(latency), age=_spread(age)
        )
        self._periods = (*self._recent(at_ms), period)

    def per_second(self, now_ms: int) -> tuple[float, float]:
        """Return the records and the bytes per second."""
        recent = self._recent(now_ms)
        seconds = WINDOW_MS / 1000
        return sum(each.records for each in recent) / seconds, sum(each.size_bytes for each in recent) / seconds

    def latency(self, now_ms: int) -> Spread:
        """Return the replication latency."""
        return self._merged(now_ms, lambda period: period.latency)

    def age(self, now_ms: int) -> Spread:
        """Return the record age."""
        return self._merged(now_ms, lambda period: period.age)

    def _recent(self, now_ms: int) -> tuple[PeriodFigures, ...]:
        return tuple(period for period in self._periods if now_ms - period.at_ms < WINDOW_MS)

    def _merged(self, now_ms: int, pick: Callable[[PeriodFigures], Spread]) -> Spread:
        last = next((pick(each).last for each in reversed(self._periods) if pick(each).last is not None), None)
        known = [(pick(each), each.records) for each in self._recent(now_ms) if pick(each).avg is not None]
        if not known:
            return Spread(last=last)
        return Spread(
            last=last,
            avg=sum((spread.avg or 0.0) * records for spread, records in known) / sum(count for _, count in known),
            max=max(spread.max or 0 for spread, _ in known),
            min=min(spread.min or 0 for spread, _ in known),
        )


def _spread(histogram: Histogram) -> Spread:
    if not histogram.count:
        return Spread()
    avg = histogram.sum_ms / histogram.count
    return Spread(last=round(avg), avg=avg, max=histogram.max_ms, min=histogram.min_ms)
