"""The values of one tile. They add up, so a tile may be merged from any number of parts in any order."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from replication.domain.reporting.histogram import MAX_BUCKET, ZERO_BUCKET, Histogram
from replication.domain.reporting.metric_defs import TILE_VALUES

BUCKETS = {str(bucket): bucket for bucket in range(ZERO_BUCKET, MAX_BUCKET + 1)}  # by their names in JSON
MOST_BIGINT = (1 << 63) - 1
_AS_TEXT = orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS
_SUMS = tuple(value.name for value in TILE_VALUES if value.kind == "sum")
_HISTOGRAMS = tuple(value.name for value in TILE_VALUES if value.kind == "histogram")
_ATTRIBUTES = tuple(
    name
    for value in TILE_VALUES
    for name in ([value.name] if value.kind == "histogram" else [column.name for column in value.columns])
)  # in the order of the row
_HISTOGRAM_WIDTH = 6


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


def _compiled(name: str, parameters: str, lines: Iterable[str]) -> Callable[..., Any]:
    """Return a function of straight-line code, as fast as one written by hand: a batch merges 100,000 series.

    A loop over the names with getattr and setattr takes a third longer. The lines hold only names of metric_defs.
    """
    scope: dict[str, Any] = {"Histogram": Histogram, "values": _histogram_values, "histogram": _histogram_of}
    exec(f"def {name}({parameters}):\n " + "\n ".join(lines), scope)  # noqa: S102
    function: Callable[..., Any] = scope[name]
    return function


def _init_lines() -> list[str]:
    sums = "".join(f"self.{name} = " for name in _SUMS) + "0"
    return [sums, *(f"self.{name} = Histogram()" for name in _HISTOGRAMS), "self.lag_max = self.lag_last = None"]


def _merge_lines() -> list[str]:
    sums = [f"self.{name} += other.{name}" for name in _SUMS]
    return [*sums, *(f"self.{name}.merge(other.{name})" for name in _HISTOGRAMS)]


def _to_row_lines() -> list[str]:
    shown = (f"*values(self.{name})" if name in _HISTOGRAMS else f"self.{name}" for name in _ATTRIBUTES)
    return [f"return series_id, time_ms, {', '.join(shown)}"]


def _read_lines() -> list[str]:
    lines = []
    place = 2  # after the series and the time
    for name in _ATTRIBUTES:
        end = place + (_HISTOGRAM_WIDTH if name in _HISTOGRAMS else 1)
        value = f"histogram(row[{place}:{end}])" if name in _HISTOGRAMS else f"row[{place}]"
        lines.append(f"tile.{name} = {value}")
        place = end
    return lines


_read_row = _compiled("read_row", "tile, row", _read_lines())


class TileSums:
    """A mutable tile: an attribute per sum and histogram, and the lag's two readings.

    `lag_max` is the highest value merged, `lag_last` the one merged last; None = unknown.
    """

    __slots__ = _ATTRIBUTES

    records: int
    bytes: int
    wire_bytes: int
    throttled_ms: int
    hole_offsets: int
    overlap_offsets: int
    covered_offsets: int
    lag_max: int | None
    lag_last: int | None
    latency: Histogram
    age: Histogram

    if TYPE_CHECKING:

        def __init__(self) -> None: ...

        def merge_counts(self, other: "TileSums") -> None:
            """Add everything but the lag, which does not add up over partitions at different times."""

        def to_row(self, series_id: int, time_ms: int) -> tuple[Any, ...]:
            """Return the values of a tile table's row, in the order of `TILE_COLUMNS`."""

    else:
        __init__ = _compiled("__init__", "self", _init_lines())
        merge_counts = _compiled("merge_counts", "self, other", _merge_lines())
        to_row = _compiled("to_row", "self, series_id, time_ms", _to_row_lines())

    def merge(self, other: "TileSums") -> None:
        """Add a later part of the same tile."""
        self.merge_counts(other)
        self.observe_lag(other.lag_max)
        if other.lag_last is not None:
            self.lag_last = other.lag_last

    def observe_lag(self, lag: int | None) -> None:
        """Take one more reading of the lag."""
        if lag is not None:
            self.lag_last = lag
            self.lag_max = lag if self.lag_max is None else max(self.lag_max, lag)

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> "TileSums":
        """Read back what `to_row` wrote."""
        tile = cls()
        _read_row(tile, row)
        return tile
