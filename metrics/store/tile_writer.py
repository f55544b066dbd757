"""Adds tiles to the tile tables: read, merge, write back, inside the caller's transaction.

A 10 s tile is contained in the coarser widths exactly once: the roll-up adds it when it passes its minute; a tile that
arrives later is added to the coarser widths at once. `rollup.rolled_to_ms` is the border between the two.
What adds up may come in any order. The last lag may not: that of a late tile is older than what a coarser one has.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metrics.counting.sums.tile_sums import TileSums
from metrics.schemas import TILE_COLUMNS, TILES, Table, tile_table
from metrics.store.connection import Connection, Row
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileLevel, TileWidth

TABLE_OF: Mapping[str, Table] = {table.name: table for table in TILES}
FINER: Mapping[TileWidth, TileWidth] = {"1m": "10s", "1h": "1m"}
_ROWS_AT_ONCE = 5_000  # the database writes some while the next ones are added up
_LAG_LAST = [column.name for column in TILE_COLUMNS].index("lag_last")
_NONE: Mapping[tuple[int, int], int] = {}
IdTiles = Mapping[tuple[int, int], TileSums]  # (series id, start of a tile) -> what to add


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledTo:
    """The times before which 1 m and 1 h tiles contain all finer tiles; whole minutes."""

    minute_ms: int
    hour_ms: int


def merged_tiles(
    connection: Connection,
    level: TileLevel,
    width: TileWidth,
    tiles: IdTiles,
    *,
    contained_ms: int | None = None,
    unwritten: Mapping[tuple[int, int], int] = _NONE,
) -> Iterator[list[Row]]:
    """Yield the rows of a tile table after these tiles are added, some thousand at a time.

    `contained_ms` says that they come late: the finer tiles before that time are contained in the tiles that are
    there, the given ones with them. The last lag is then the one of the latest finer tile that knows it; `unwritten`
    has the last lags, by series and time, of finer tiles that are to be written with these.
    """
    table = TABLE_OF[tile_table(level, width)]
    for time_ms, added in _cut(tiles, WIDTHS_MS[width]).items():
        known = connection.rows_at(table, added, time_ms)
        lags: Mapping[int, tuple[int, int]] = {}
        if contained_ms is not None and known:
            finer, end_ms = TABLE_OF[tile_table(level, FINER[width])], min(time_ms + WIDTHS_MS[width], contained_ms)
            measured = [row[0] for row in known if added[row[0]].lag_last is not None]
            lags = connection.last_lags(finer, measured, time_ms, end_ms) if measured else lags
            lags = _with_unwritten(lags, unwritten, time_ms, end_ms)
        for start in range(0, len(known), _ROWS_AT_ONCE):
            rows: list[Row] = []
            for row in known[start : start + _ROWS_AT_ONCE]:
                sums = TileSums.from_row(row)
                new = added.pop(row[0])
                sums.merge(new)
                if new.lag_last is not None and row[0] in lags:
                    sums.lag_last = lags[row[0]][1]
                rows.append(sums.to_row(row[0], time_ms))
            yield rows
        fresh = list(added.items())
        for start in range(0, len(fresh), _ROWS_AT_ONCE):
            yield [sums.to_row(series_id, time_ms) for series_id, sums in fresh[start : start + _ROWS_AT_ONCE]]


def _with_unwritten(
    lags: Mapping[int, tuple[int, int]], unwritten: Mapping[tuple[int, int], int], begin_ms: int, end_ms: int
) -> Mapping[int, tuple[int, int]]:
    latest = dict(lags)
    for (series_id, time_ms), lag in unwritten.items():
        if begin_ms <= time_ms < end_ms and time_ms >= latest.get(series_id, (time_ms, 0))[0]:
            latest[series_id] = time_ms, lag
    return latest


def _cut(tiles: IdTiles, width_ms: int) -> dict[int, dict[int, TileSums]]:
    """Group sums by start of the wider tile and series, without changing the given ones."""
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


def _by_minute(tiles: IdTiles) -> IdTiles:
    """Add the tiles of each minute up once, for both coarser widths."""
    cut = _cut(tiles, WIDTHS_MS["1m"])
    return {(series_id, time_ms): sums for time_ms, added in cut.items() for series_id, sums in added.items()}


def new_tiles(
    connection: Connection, level: TileLevel, tiles: IdTiles, rolled: RolledTo, *, ten_seconds: bool
) -> Iterator[tuple[Table, list[Row]]]:
    """Yield the rows of each width that the roll-up will not fill from these 10 s tiles. Writes nothing.

    Without `ten_seconds` (too many series) the minute is the finest width there is.
    """
    lags: dict[tuple[int, int], int] = {}
    if ten_seconds:
        table = TABLE_OF[tile_table(level, "10s")]
        for rows in merged_tiles(connection, level, "10s", tiles):
            lags |= _last_lags_of(rows)
            yield table, rows
        tiles = {key: sums for key, sums in tiles.items() if key[1] < rolled.minute_ms}
    minutes = _by_minute(tiles)
    table, minute_lags = TABLE_OF[tile_table(level, "1m")], dict[tuple[int, int], int]()
    contained_ms = rolled.minute_ms if ten_seconds else None
    for rows in merged_tiles(connection, level, "1m", minutes, contained_ms=contained_ms, unwritten=lags):
        minute_lags |= _last_lags_of(rows)
        yield table, rows
    table = TABLE_OF[tile_table(level, "1h")]
    late = {key: sums for key, sums in minutes.items() if key[1] < rolled.hour_ms}  # a border is a whole minute
    for rows in merged_tiles(connection, level, "1h", late, contained_ms=rolled.hour_ms, unwritten=minute_lags):
        yield table, rows


def add_new_tiles(
    connection: Connection, level: TileLevel, tiles: IdTiles, rolled: RolledTo, *, ten_seconds: bool
) -> None:
    """Add 10 s tiles to each width that the roll-up will not fill from them."""
    for table, rows in new_tiles(connection, level, tiles, rolled, ten_seconds=ten_seconds):
        connection.upsert(table, rows)


def unaffected(times: Iterable[int], before: RolledTo, after: RolledTo) -> bool:
    """Return True if rows made under one border are correct under the other.

    The roll-up that moved it wrote the 1 m tiles from the old border on and the 1 h tiles around it. A tile is added to
    the same widths as long as it lies on the same side of both borders.
    """
    if before == after:
        return True
    hour_ms = before.hour_ms - before.hour_ms % WIDTHS_MS["1h"]
    return all(
        (time_ms < before.minute_ms) == (time_ms < after.minute_ms)
        and (time_ms < before.hour_ms) == (time_ms < after.hour_ms)
        and (before.hour_ms == after.hour_ms or time_ms < hour_ms or time_ms >= after.hour_ms)
        for time_ms in times
    )


def _last_lags_of(rows: Sequence[Row]) -> dict[tuple[int, int], int]:
    return {(row[0], row[1]): row[_LAG_LAST] for row in rows if row[_LAG_LAST] is not None}
