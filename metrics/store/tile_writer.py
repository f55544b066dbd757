"""Adds tiles to the tile tables: read, merge, write back, inside the caller's transaction.

A 10 s tile is contained in the coarser widths exactly once: the roll-up adds it when it passes its minute; a tile that
arrives later is added to the coarser widths at once. `rollup.rolled_to_ms` is the border between the two.
What adds up may come in any order. The last lag may not: that of a late tile is older than what a coarser one has.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from metrics.schemas import TILES, WIDTHS_MS, Table, TileLevel, TileWidth, tile_table
from metrics.store.connection import Connection
from metrics.tile_sums import TileSums

TABLE_OF: Mapping[str, Table] = {table.name: table for table in TILES}
FINER: Mapping[TileWidth, TileWidth] = {"1m": "10s", "1h": "1m"}
_ROWS_AT_ONCE = 5_000  # the database writes some while the next ones are added up
IdTiles = Mapping[tuple[int, int], TileSums]  # (series id, start of a tile) -> what to add


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledTo:
    """Up to where finer tiles are contained in the 1 m and in the 1 h tiles; whole minutes."""

    minute_ms: int
    hour_ms: int


def add_tiles(
    connection: Connection, level: TileLevel, width: TileWidth, tiles: IdTiles, *, contained_ms: int | None = None
) -> None:
    """Merge into the tiles that are there; times are cut down to the width.

    `contained_ms` says that they come late: the finer tiles before that time are contained in the tiles that are
    there, the given ones with them. The last lag is then the one of the latest finer tile that knows it.
    """
    table = TABLE_OF[tile_table(level, width)]
    for time_ms, added in _cut(tiles, WIDTHS_MS[width]).items():
        known = connection.rows_at(table, added, time_ms)
        lags: Mapping[int, int] = {}
        if contained_ms is not None and known:
            finer, end_ms = TABLE_OF[tile_table(level, FINER[width])], min(time_ms + WIDTHS_MS[width], contained_ms)
            measured = [row[0] for row in known if added[row[0]].lag_last is not None]
            lags = connection.last_lags(finer, measured, time_ms, end_ms) if measured else lags
        for start in range(0, len(known), _ROWS_AT_ONCE):
            rows = []
            for row in known[start : start + _ROWS_AT_ONCE]:
                sums = TileSums.from_row(row)
                sums.merge(added.pop(row[0]))
                if lags:
                    sums.lag_last = lags.get(row[0], sums.lag_last)
                rows.append(sums.to_row(row[0], time_ms))
            connection.upsert(table, rows)
        new = list(added.items())
        for start in range(0, len(new), _ROWS_AT_ONCE):
            chunk = new[start : start + _ROWS_AT_ONCE]
            connection.upsert(table, [sums.to_row(series_id, time_ms) for series_id, sums in chunk])


def _cut(tiles: IdTiles, width_ms: int) -> dict[int, dict[int, TileSums]]:
    """By start of the wider tile and series; the given sums are left as they are."""
    by_time: defaultdict[int, dict[int, TileSums]] = defaultdict(dict)
    merged: set[tuple[int, int]] = set()
    for (series_id, time_ms), sums in sorted(tiles.items(), key=lambda item: item[0][1]):
        cut_ms = time_ms - time_ms % width_ms
        own = by_time[cut_ms]
        earlier = own.setdefault(series_id, sums)
        if earlier is sums:
            continue
        if (series_id, cut_ms) not in merged:
            merged.add((series_id, cut_ms))
            own[series_id] = TileSums()
            own[series_id].merge(earlier)
        own[series_id].merge(sums)
    return by_time


def add_new_tiles(
    connection: Connection, level: TileLevel, tiles: IdTiles, rolled: RolledTo, *, ten_seconds: bool
) -> None:
    """Add 10 s tiles to every width that will not get them from the roll-up.

    Without `ten_seconds` (too many series) the minute is the finest width there is.
    """
    if ten_seconds:
        add_tiles(connection, level, "10s", tiles)
        tiles = {key: sums for key, sums in tiles.items() if key[1] < rolled.minute_ms}
    add_tiles(connection, level, "1m", tiles, contained_ms=rolled.minute_ms if ten_seconds else None)
    late = {key: sums for key, sums in tiles.items() if key[1] < rolled.hour_ms}
    add_tiles(connection, level, "1h", late, contained_ms=rolled.hour_ms)
