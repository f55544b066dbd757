"""A time range that is counted again, and the parts of its tiles that one step of the reading comes to. Pure."""

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from metrics.counting.batch import TileKey
from metrics.counting.group_rows import SeriesKey
from metrics.counting.sums.tile_sums import TileSums
from metrics.schemas import LEVELS, tile_table
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileLevel, TileWidth

REPLACED: tuple[TileLevel, ...] = tuple(level for level in LEVELS if level != "group")
HOUR_MS = WIDTHS_MS["1h"]
# Ids of backfills lie above all epochs, so that the stream does not delete what their tasks have staged.
FIRST_BACKFILL_ID = 1 << 61


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillRange:
    """Everything a task must know of the range; `widths` has the finest width that is replaced of each level."""

    backfill_id: int
    from_ms: int
    to_ms: int
    widths: Mapping[TileLevel, TileWidth]
    writers_wait: bool = False  # the driver holds off the target's writers, so a task must not be one

    def relation(self, level: TileLevel) -> str:
        """The tile table that the parts of a level are meant for."""
        return tile_table(level, self.widths[level])

    def widths_of(self, level: TileLevel) -> tuple[TileWidth, ...]:
        """The widths that are replaced."""
        finest_ms = WIDTHS_MS[self.widths[level]]
        return tuple(width for width, width_ms in WIDTHS_MS.items() if width_ms >= finest_ms)

    def parts(self, level: TileLevel, tiles: Mapping[TileKey, TileSums]) -> dict[TileKey, TileSums]:
        """Merge 10 s tiles of the range to the width of the level, each at the latest 10 s whose lag is known.

        Merged in the order of these times, the parts that several steps add come to the last known lag, however late
        some of them are read.
        """
        width_ms = WIDTHS_MS[self.widths[level]]
        found: defaultdict[TileKey, list[tuple[int, TileSums]]] = defaultdict(list)
        for (key, time_ms), sums in tiles.items():
            if self.from_ms <= time_ms < self.to_ms:
                found[key, time_ms - time_ms % width_ms].append((time_ms, sums))
        parts: dict[TileKey, TileSums] = {}
        for (key, _), own in found.items():
            time_ms, sums = own[0] if len(own) == 1 else _merged(own)
            parts[key, time_ms] = sums
        return parts


def new_backfill_id() -> int:
    """Return the id of another backfill."""
    return FIRST_BACKFILL_ID | secrets.randbits(61)


def hour_of(time_ms: int) -> int:
    """The start of the hour that holds a time."""
    return time_ms - time_ms % HOUR_MS


def tile_rows(tiles: Mapping[TileKey, TileSums], ids: Mapping[SeriesKey, int]) -> list[Sequence[Any]]:
    """The rows of these tiles."""
    return [sums.to_row(ids[key], time_ms) for (key, time_ms), sums in tiles.items()]


def _merged(tiles: list[tuple[int, TileSums]]) -> tuple[int, TileSums]:
    merged = TileSums()
    in_order = sorted(tiles, key=itemgetter(0))
    at_ms = in_order[-1][0]
    for time_ms, sums in in_order:
        merged.merge(sums)
        if sums.lag_max is not None:
            at_ms = time_ms
    return at_ms, merged
