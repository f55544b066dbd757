"""Coarser tiles from finer ones, and what has outlived its time. Each step is a separate, short transaction.

The rows stay in the database: a step sends statements and reads no tile.
"""

from collections.abc import Callable
from typing import get_args

from metrics.schemas import GAUGES, LEVELS, ROLLUP, TILES, Table, gauge_table, tile_table
from metrics.store.connection import Connection, SharedConnection
from metrics.store.merging.rollup_sql import add_minute_sql, minute_parameters
from metrics.store.tile_writer import FINER, RolledTo
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileWidth
from replication.domain.reporting.tile_retention import TileRetention

STEP_MS = 60_000
# A tile that comes later than this is no loss: it is added to the coarser widths at once.
GRACE_MS = 30_000
_DELETE_CHUNK = 10_000
_TABLE_OF = {table.name: table for table in (*TILES, *GAUGES)}
_DEFAULT_RETENTION = TileRetention()


def initial_rollup(connection: Connection, target: str, now_ms: int) -> None:
    """A target seen for the first time has nothing to roll up before this minute."""
    for width in FINER:
        connection.run(
            "INSERT INTO rollup (target, width, rolled_to_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (target, width, _whole_minute(now_ms - GRACE_MS)),
        )


def rolled_to(connection: Connection, target: str) -> RolledTo:
    """The border between tiles that the roll-up will still add and tiles that come too late for it."""
    rows = connection.rows("SELECT width, rolled_to_ms FROM rollup WHERE target = ?", (target,))
    found = {str(width): int(rolled_to_ms) for width, rolled_to_ms in rows}
    return RolledTo(minute_ms=found.get("1m", 0), hour_ms=found.get("1h", 0))


def rolled_hours_to(connection: Connection, target: str) -> int:
    """Epoch ms up to which every width holds whole hours completely; 0 for a target that was never counted."""
    rolled = rolled_to(connection, target)
    rolled_ms = min(rolled.minute_ms, rolled.hour_ms)
    return rolled_ms - rolled_ms % WIDTHS_MS["1h"]


def roll_up(store: SharedConnection, target: str, now_ms: int, stopped: Callable[[], bool]) -> int:
    """Take every minute that has passed into the coarser widths; the number of steps done."""
    steps = 0
    for width in FINER:
        while not stopped() and _roll_step(store, target, width, now_ms):
            steps += 1
    return steps


def delete_expired(
    store: SharedConnection,
    target: str,
    now_ms: int,
    stopped: Callable[[], bool],
    retention: TileRetention = _DEFAULT_RETENTION,
) -> int:
    """Delete what is past its retention and contained in the next width; the number of rows."""
    deleted = 0
    for width in get_args(TileWidth):
        for table in _tables(width):
            kept_ms = retention.of_width(width)
            while not stopped() and (done := _delete_chunk(store, target, table, width, now_ms, kept_ms)):
                deleted += done
                if done < _DELETE_CHUNK:
                    break
    return deleted


def _roll_step(store: SharedConnection, target: str, width: TileWidth, now_ms: int) -> bool:
    """Add one minute, or pass over empty ones; False when there is nothing to do yet."""
    finer = FINER[width]
    with store.writing(target) as connection:
        rolled = rolled_to(connection, target)
        begin_ms, limit_ms = (
            (rolled.minute_ms, _whole_minute(now_ms - GRACE_MS))
            if width == "1m"
            else (rolled.hour_ms, rolled.minute_ms)
        )
        if begin_ms >= limit_ms:
            return False
        first_ms = _first_tile_ms(connection, target, finer, begin_ms, limit_ms)
        if first_ms is None:
            end_ms = limit_ms
        else:
            begin_ms = _whole_minute(first_ms)
            end_ms = begin_ms + STEP_MS
            values = minute_parameters(target, begin_ms, end_ms, WIDTHS_MS[width])
            for added, coarser in zip(_tables(finer), _tables(width), strict=True):
                connection.run(add_minute_sql(connection.dialect, added, coarser, WIDTHS_MS[width]), values)
        connection.upsert(ROLLUP, [(target, width, end_ms)])
    return True


def _first_tile_ms(connection: Connection, target: str, width: TileWidth, begin_ms: int, end_ms: int) -> int | None:
    times: list[int] = []
    for table in _tables(width):
        found = connection.rows(
            f"SELECT t.time_ms FROM {table.name} t WHERE t.time_ms >= ? AND t.time_ms < ? "  # noqa: S608 - our own names
            "AND EXISTS (SELECT 1 FROM series s WHERE s.id = t.id AND s.target = ?) ORDER BY t.time_ms LIMIT 1",
            (begin_ms, end_ms, target),
        )
        times += [row[0] for row in found]
    return min(times, default=None)


def _delete_chunk(
    store: SharedConnection, target: str, table: Table, width: TileWidth, now_ms: int, kept_ms: int
) -> int:
    with store.writing(target) as connection:
        rolled = rolled_to(connection, target)
        contained_ms = {"10s": rolled.minute_ms, "1m": rolled.hour_ms, "1h": now_ms}[width]
        old = "time_ms < ? AND id IN (SELECT id FROM series WHERE target = ?)"
        some = connection.dialect.some_of(table.name, old, _DELETE_CHUNK)
        return connection.run(
            f"DELETE FROM {table.name} WHERE {some}",  # noqa: S608 - our own names
            (min(now_ms - kept_ms, contained_ms), target),
        )


def _tables(width: TileWidth) -> list[Table]:
    """All levels and the gauges."""
    return [_TABLE_OF[name] for name in (*(tile_table(level, width) for level in LEVELS), gauge_table(width))]


def _whole_minute(time_ms: int) -> int:
    return time_ms - time_ms % STEP_MS
