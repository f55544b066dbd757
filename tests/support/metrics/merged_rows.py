"""Rows of tiles as Hypothesis draws them, and the same rows merged in memory."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from metrics.counting.sums.tile_sums import TileSums
from replication.domain.reporting.histogram import Histogram
from replication.domain.reporting.metric_defs import TILE_VALUES, WIDTHS_MS

TileRow = tuple[Any, ...]
SUMS = tuple(value.name for value in TILE_VALUES if value.kind == "sum")
HISTOGRAMS = tuple(value.name for value in TILE_VALUES if value.kind == "histogram")

# Few different latencies, so that parts share buckets; the last ones add up to more than a bigint holds.
_LATENCIES = st.tuples(st.sampled_from((-5, 0, 1, 3, 9, 10, 700, 5_000, 1 << 39)), st.integers(1, 1 << 23))


@st.composite
def tiles(draw: st.DrawFn) -> TileSums:
    """Return a tile as counting makes them: an unknown lag is unknown twice."""
    tile = TileSums()
    for name in SUMS:
        setattr(tile, name, draw(st.integers(0, 1 << 50)))
    for lag in draw(st.lists(st.integers(0, 1 << 40), max_size=2)):
        tile.observe_lag(lag)
    for name in HISTOGRAMS:
        histogram: Histogram = getattr(tile, name)
        for ms, weight in draw(st.lists(_LATENCIES, max_size=4)):
            histogram.add(ms, weight)
    return tile


@st.composite
def tile_rows(draw: st.DrawFn, *, begin_ms: int = 0, times: int = 12) -> list[TileRow]:
    """Rows of 10 s tiles of some series at different times, in no order."""
    keys = st.tuples(st.integers(1, 3), st.integers(0, times - 1))
    found = draw(st.dictionaries(keys, tiles(), max_size=9))
    return [tile.to_row(number, begin_ms + step * WIDTHS_MS["10s"]) for (number, step), tile in found.items()]


def merged(rows: Iterable[Sequence[Any]], width_ms: int) -> list[TileRow]:
    """Rows of the wider tiles, in the order of their keys; parts follow each other in time."""
    sums: defaultdict[tuple[int, int], TileSums] = defaultdict(TileSums)
    for row in sorted(rows, key=lambda row: row[1]):
        sums[row[0], row[1] - row[1] % width_ms].merge(TileSums.from_row(row))
    return [sums[key].to_row(*key) for key in sorted(sums)]
