"""The rate at which a consumer group reads, from its committed offsets between two rounds."""

from collections.abc import Collection
from dataclasses import dataclass, field

LEAST_SPAN_MS = 10_000  # members commit every five seconds by default


@dataclass(slots=True)
class ReadingRate:
    """The fastest rate at which a group with members has moved its offsets; a group that waits for records can more.

    Offsets that are moved while the group has no members were set by a tool, and do not count.
    """

    records_per_second: float | None = None
    _since_ms: int | None = field(default=None, repr=False)
    _partitions: int = field(default=0, repr=False)
    _total: int = field(default=0, repr=False)

    def observe(self, offsets: Collection[int], now_ms: int, *, has_members: bool) -> None:
        """Take the committed offsets of all partitions."""
        if not has_members:
            self._since_ms = None
            return
        span_ms = None if self._since_ms is None else now_ms - self._since_ms
        is_same = span_ms is not None and span_ms >= 0 and len(offsets) == self._partitions
        if is_same and span_ms is not None and span_ms < LEAST_SPAN_MS:
            return
        total = sum(offsets)
        if is_same and span_ms is not None and total > self._total:
            rate = (total - self._total) * 1_000 / span_ms
            self.records_per_second = max(rate, self.records_per_second or 0.0)
        self._since_ms, self._partitions, self._total = now_ms, len(offsets), total
