"""Figures of one partition over the last half minute to minute, as MirrorMaker's sensors keep them.

Kafka's `metrics.sample.window.ms` (30 s) and `metrics.num.samples` (2) decide the window there; here it is fixed.
"""

from dataclasses import dataclass

SAMPLE_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A value in ms: the last one ever, and those of the window; None without a record."""

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


class _Values:
    __slots__ = ("count", "largest", "smallest", "total")

    def __init__(self) -> None:
        self.count = self.total = self.largest = self.smallest = 0

    def add(self, value: int, count: int) -> None:
        self.smallest = value if not self.count else min(self.smallest, value)
        self.largest = value if not self.count else max(self.largest, value)
        self.count += count
        self.total += value * count


class _Sample:
    __slots__ = ("age", "latency", "records", "size_bytes", "start_ms")

    def __init__(self, start_ms: int) -> None:
        self.start_ms = start_ms
        self.records = self.size_bytes = 0
        self.latency, self.age = _Values(), _Values()


class RecentFigures:
    """Counted on the loop's thread; the reading methods may be called from any thread."""

    __slots__ = ("_last_age_ms", "_last_latency_ms", "_samples")

    def __init__(self) -> None:
        self._samples: tuple[_Sample, ...] = ()  # one or two, the current one last
        self._last_latency_ms: int | None = None
        self._last_age_ms: int | None = None

    def count(self, now_ms: int, records: int, size_bytes: int) -> None:
        """Count records that were copied now."""
        sample = self._current(now_ms)
        sample.records += records
        sample.size_bytes += size_bytes

    def note_times(self, now_ms: int, records: int, *, latency_ms: int, age_ms: int) -> None:
        """Note how long the records took and how old they arrived."""
        sample = self._current(now_ms)
        sample.latency.add(latency_ms, records)
        sample.age.add(age_ms, records)
        self._last_latency_ms, self._last_age_ms = latency_ms, age_ms

    def per_second(self, now_ms: int) -> tuple[float, float]:
        """Return the records and the bytes per second."""
        samples = self._recent(now_ms)
        if not samples:
            return 0.0, 0.0
        elapsed_s = max(now_ms - samples[0].start_ms, SAMPLE_MS) / 1000
        records, size_bytes = sum(each.records for each in samples), sum(each.size_bytes for each in samples)
        return records / elapsed_s, size_bytes / elapsed_s

    def latency(self, now_ms: int) -> Spread:
        """Return the replication latency."""
        return _spread(self._last_latency_ms, [sample.latency for sample in self._recent(now_ms)])

    def age(self, now_ms: int) -> Spread:
        """Return the record age."""
        return _spread(self._last_age_ms, [sample.age for sample in self._recent(now_ms)])

    def _current(self, now_ms: int) -> _Sample:
        if self._samples and now_ms - self._samples[-1].start_ms < SAMPLE_MS:
            return self._samples[-1]
        sample = _Sample(now_ms)
        self._samples = (*self._samples[-1:], sample)
        return sample

    def _recent(self, now_ms: int) -> list[_Sample]:
        return [sample for sample in self._samples if now_ms - sample.start_ms < 2 * SAMPLE_MS]


def _spread(last: int | None, values: list[_Values]) -> Spread:
    known = [each for each in values if each.count]
    if not known:
        return Spread(last=last)
    return Spread(
        last=last,
        avg=sum(each.total for each in known) / sum(each.count for each in known),
        max=max(each.largest for each in known),
        min=min(each.smallest for each in known),
    )
