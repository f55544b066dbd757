"""What one tile holds: values that add up, so that a tile may be merged from any number of parts in any order."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from metrics.schemas import TILE_COLUMNS
from replication.domain.histogram import Histogram

# Everything between the key and the histograms: plain sums, except the two gauges.
_SUMS = (
    "records",
    "bytes",
    "wire_bytes",
    "hole_offsets",
    "overlap_offsets",
    "covered_offsets",
    "throttled_ms",
)


class TileSums:
    """A mutable tile. `lag_max` is the highest value merged, `lag_last` the one merged last; null = unknown."""

    __slots__ = (*_SUMS, "age", "lag_last", "lag_max", "latency")

    records: int
    bytes: int
    wire_bytes: int
    hole_offsets: int
    overlap_offsets: int
    covered_offsets: int
    throttled_ms: int

    def __init__(self) -> None:
        for name in _SUMS:
            setattr(self, name, 0)
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
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.latency.merge(other.latency)
        self.age.merge(other.age)

    def observe_lag(self, lag: int | None) -> None:
        """Take one more reading of the lag."""
        if lag is not None:
            self.lag_last = lag
            self.lag_max = lag if self.lag_max is None else max(self.lag_max, lag)

    def to_row(self, series_id: int, time_ms: int) -> tuple[Any, ...]:
        """The values of a tile table's row, in the order of its columns."""
        values = {name: getattr(self, name) for name in (*_SUMS, "lag_max", "lag_last")}
        values |= {"id": series_id, "time_ms": time_ms}
        values |= _histogram_columns("latency", self.latency) | _histogram_columns("age", self.age)
        return tuple(values[column.name] for column in TILE_COLUMNS)

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> "TileSums":
        """Read back what `to_row` wrote."""
        return cls.from_values({column.name: value for column, value in zip(TILE_COLUMNS, row, strict=True)})

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "TileSums":
        """Read named values; absent sums are 0, an absent lag is unknown."""
        tile = cls()
        for name in _SUMS:
            setattr(tile, name, int(values.get(name) or 0))
        tile.lag_max, tile.lag_last = values.get("lag_max"), values.get("lag_last")
        tile.latency, tile.age = _histogram_of(values, "latency"), _histogram_of(values, "age")
        return tile


def _histogram_columns(prefix: str, histogram: Histogram) -> dict[str, Any]:
    counted = histogram.count > 0
    return {
        f"{prefix}_count": histogram.count,
        f"{prefix}_min_ms": histogram.min_ms if counted else None,
        f"{prefix}_max_ms": histogram.max_ms if counted else None,
        f"{prefix}_sum_ms": histogram.sum_ms,
        f"{prefix}_negative_count": histogram.negative_count,
        f"{prefix}_hist": json.dumps(
            {str(bucket): count for bucket, count in sorted(histogram.buckets.items())}, separators=(",", ":")
        ),
    }


def _histogram_of(values: Mapping[str, Any], prefix: str) -> Histogram:
    buckets = values.get(f"{prefix}_hist") or {}
    if isinstance(buckets, str):
        buckets = json.loads(buckets)
    numbers = (int(values.get(f"{prefix}_{name}") or 0) for name in ("count", "min_ms", "max_ms", "sum_ms"))
    return Histogram.from_list([*numbers, int(values.get(f"{prefix}_negative_count") or 0), buckets])
