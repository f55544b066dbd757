"""The values of one tile. They add up, so a tile may be merged from any number of parts in any order."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from metrics.counting.sums.tile_histogram import TileHistogram
from replication.domain.reporting.metric_defs import TILE_VALUES

_SUMS = tuple(value.name for value in TILE_VALUES if value.kind == "sum")
_HISTOGRAMS = tuple(value.name for value in TILE_VALUES if value.kind == "histogram")
_ATTRIBUTES = tuple(
    name
    for value in TILE_VALUES
    for name in ([value.name] if value.kind == "histogram" else [column.name for column in value.columns])
)  # in the order of the row
_HISTOGRAM_WIDTH = 6


def _compiled(name: str, parameters: str, lines: Iterable[str]) -> Callable[..., Any]:
    """Return a function of straight-line code, as fast as one written by hand: a batch merges 100,000 series.

    A loop over the names with getattr and setattr takes a third longer. The lines hold only names of metric_defs.
    """
    scope: dict[str, Any] = {"TileHistogram": TileHistogram}
    exec(f"def {name}({parameters}):\n " + "\n ".join(lines), scope)  # noqa: S102
    function: Callable[..., Any] = scope[name]
    return function


def _init_lines() -> list[str]:
    sums = "".join(f"self.{name} = " for name in _SUMS) + "0"
    return [sums, *(f"self.{name} = TileHistogram()" for name in _HISTOGRAMS), "self.lag_max = self.lag_last = None"]


def _merge_lines() -> list[str]:
    sums = [f"self.{name} += other.{name}" for name in _SUMS]
    return [*sums, *(f"self.{name}.merge(other.{name})" for name in _HISTOGRAMS)]


def _to_row_lines() -> list[str]:
    shown = (f"*self.{name}.to_columns()" if name in _HISTOGRAMS else f"self.{name}" for name in _ATTRIBUTES)
    return [f"return series_id, time_ms, {', '.join(shown)}"]


def _read_lines() -> list[str]:
    lines = []
    place = 2  # after the series and the time
    for name in _ATTRIBUTES:
        end = place + (_HISTOGRAM_WIDTH if name in _HISTOGRAMS else 1)
        value = f"TileHistogram.from_columns(row[{place}:{end}])" if name in _HISTOGRAMS else f"row[{place}]"
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
    latency: TileHistogram
    age: TileHistogram

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
