"""What one tile holds: values that add up, so that a tile may be merged from any number of parts in any order."""

from collections.abc import Sequence
from typing import Any

import orjson

from replication.domain.histogram import MAX_BUCKET, ZERO_BUCKET, Histogram

BUCKETS = {str(bucket): bucket for bucket in range(ZERO_BUCKET, MAX_BUCKET + 1)}  # by their names in JSON
MOST_BIGINT = (1 << 63) - 1
_AS_TEXT = orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS


class TileSums:
    """A mutable tile. `lag_max` is the highest value merged, `lag_last` the one merged last; null = unknown."""

    __slots__ = (
        "age",
        "bytes",
        "covered_offsets",
        "hole_offsets",
        "lag_last",
        "lag_max",
        "latency",
        "overlap_offsets",
        "records",
        "throttled_ms",
        "wire_bytes",
    )

    def __init__(self) -> None:
        self.records = self.bytes = self.wire_bytes = self.throttled_ms = 0
        self.hole_offsets = self.overlap_offsets = self.covered_offsets = 0
        self.lag_max: int | None = None
        self.lag_last: int | None = None
        self.latency = Histogram()
        self.age = Histogram()

    def merge(self, other: "TileSums") -> None:
        """Add a later part of the same tile."""
        self.merge_counts(other)
        self.observe_lag(other.lag_max)
        if other.lag_last is not None:
            self.lag_last = other.lag_last

    def merge_counts(self, other: "TileSums") -> None:
        """Add everything but the lag, which does not add up over partitions at different times."""
        self.records += other.records
        self.bytes += other.bytes
        self.wire_bytes += other.wire_bytes
        self.hole_offsets += other.hole_offsets
        self.overlap_offsets += other.overlap_offsets
        self.covered_offsets += other.covered_offsets
        self.throttled_ms += other.throttled_ms
        self.latency.merge(other.latency)
        self.age.merge(other.age)

    def observe_lag(self, lag: int | None) -> None:
        """Take one more reading of the lag."""
        if lag is not None:
            self.lag_last = lag
            self.lag_max = lag if self.lag_max is None else max(self.lag_max, lag)

    def to_row(self, series_id: int, time_ms: int) -> tuple[Any, ...]:
        """The values of a tile table's row, in the order of `TILE_COLUMNS`."""
        return (
            *(series_id, time_ms, self.records, self.bytes, self.wire_bytes, self.lag_max, self.lag_last),
            *(self.hole_offsets, self.overlap_offsets, self.covered_offsets, self.throttled_ms),
            *_histogram_values(self.latency),
            *_histogram_values(self.age),
        )

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> "TileSums":
        """Read back what `to_row` wrote."""
        tile = cls()
        _, _, tile.records, tile.bytes, tile.wire_bytes, tile.lag_max, tile.lag_last = row[:7]
        tile.hole_offsets, tile.overlap_offsets, tile.covered_offsets, tile.throttled_ms = row[7:11]
        tile.latency, tile.age = _histogram_of(row[11:17]), _histogram_of(row[17:23])
        return tile


def _histogram_values(histogram: Histogram) -> tuple[Any, ...]:
    """Count, extremes, sum, negative count, and the buckets as JSON text.

    Records times their age can be more than a database holds: a copy of old records at full speed, for an hour.
    """
    counted = histogram.count > 0
    return (
        histogram.count,
        histogram.min_ms if counted else None,
        histogram.max_ms if counted else None,
        min(histogram.sum_ms, MOST_BIGINT),
        histogram.negative_count,
        orjson.dumps(histogram.buckets, option=_AS_TEXT).decode(),
    )


def _histogram_of(values: Sequence[Any]) -> Histogram:
    histogram = Histogram()
    count, min_ms, max_ms, histogram.sum_ms, histogram.negative_count, buckets = values
    histogram.count, histogram.min_ms, histogram.max_ms = count, min_ms or 0, max_ms or 0
    histogram.buckets = {BUCKETS[bucket]: weight for bucket, weight in orjson.loads(buckets).items()}
    return histogram
