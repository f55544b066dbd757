"""The tiles of one hour as a backfill has counted them, and their exchange for those in the tile tables.

The parts that the steps have left are merged into temporary tables of the connection, outside of a transaction. Its
transaction writes only rows that differ: most of them are right in most hours. The target's writers have to wait only
from its second half on, when the series are exchanged to which records were added meanwhile. With SQLite they wait for
all of it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping

from metrics.errors import JobError
from metrics.schemas import HOUR_EXCHANGED, TILE_COLUMNS, tile_table
from metrics.store.backfill.backfill_range import HOUR_MS, REPLACED, BackfillRange
from metrics.store.backfill.backfill_store import Touched
from metrics.store.backfill.running import ROWS_AT_ONCE, Part, check_runs, id_ranges
from metrics.store.connection import Connection
from metrics.store.merging.tile_merge_sql import merged_tiles_sql
from metrics.store.statements import upsert_differing_sql
from metrics.store.tile_writer import TABLE_OF
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileLevel, TileWidth

_ORDER = ("time_ms", "step")
_NAMES = ", ".join(column.name for column in TILE_COLUMNS)
_LAST_ID = (1 << 63) - 1


class HourExchange:
    """One hour of a backfill, on one connection."""

    def __init__(self, target: str, backfill: BackfillRange, hour_ms: int) -> None:
        self._target = target
        self._backfill = backfill
        self._hour_ms = hour_ms

    @property
    def parts(self) -> list[Part]:
        """The parts of `backfill_tile` that this hour is made from."""
        return [(self._backfill.relation(level), self._hour_ms) for level in REPLACED]

    def prepare(self, connection: Connection, between: Callable[[], None]) -> None:
        """Merge the parts of all tiles, outside of a transaction; `between` is called between its statements."""
        for level, width in self._tables():
            merged = _merged_table(level, width)
            columns = ", ".join(f"{column.name} {column.kind.upper()}" for column in TILE_COLUMNS)
            connection.run(f"DROP TABLE IF EXISTS {merged}")
            connection.run(f"CREATE TEMPORARY TABLE {merged} ({columns}, PRIMARY KEY (id, time_ms))")
        for level in REPLACED:
            for after, last in id_ranges(
                connection, self._backfill.backfill_id, (self._backfill.relation(level), self._hour_ms)
            ):
                between()
                self._merge(connection, level, "id > ? AND id <= ?", (after, last))
        for level, width in self._tables():
            connection.run(f"ANALYZE {_merged_table(level, width)}")

    def exchange(self, connection: Connection) -> None:
        """Replace the hour, within a transaction. Its writers need not wait: `exchange_again` follows."""
        for level, width in self._tables():
            for after, last in _ranges(connection, _merged_table(level, width)):
                self._replace(connection, level, width, after, last)

    def touched(self, step: Touched) -> dict[TileLevel, list[int]]:
        """The series of this hour, by level, to which a step has added."""
        parts = zip(REPLACED, self.parts, strict=True)
        return {level: sorted(series_id for at, series_id in step if at == part) for level, part in parts}

    def exchange_again(self, connection: Connection, touched: Mapping[TileLevel, Collection[int]]) -> None:
        """Replace the tiles of series to which a later step has added, while the target's writers wait."""
        for level, series in touched.items():
            for series_id in series:
                for width in self._backfill.widths_of(level):
                    connection.run(f"DELETE FROM {_merged_table(level, width)} WHERE id = ?", (series_id,))  # noqa: S608 - our own names
                self._merge(connection, level, "id = ?", (series_id,))
                for width in self._backfill.widths_of(level):
                    self._replace(connection, level, width, series_id - 1, series_id)

    def end(self, connection: Connection) -> None:
        """Make what was read of the hour's tiles void, while the target's writers wait.

        JobError when another backfill has begun: it has deleted the parts that the hour was merged from.
        """
        check_runs(connection, self._target, self._backfill.backfill_id)
        self._check_series(connection)
        connection.run("UPDATE writer SET revision = revision + ? WHERE target = ?", (HOUR_EXCHANGED, self._target))

    def _tables(self) -> Iterator[tuple[TileLevel, TileWidth]]:
        for level in REPLACED:
            for width in self._backfill.widths_of(level):
                yield level, width

    def _merge(self, connection: Connection, level: TileLevel, condition: str, ids: tuple[int, ...]) -> None:
        source = f"backfill_tile WHERE backfill_id = ? AND relation = ? AND hour_ms = ? AND {condition}"
        values = (self._backfill.backfill_id, self._backfill.relation(level), self._hour_ms, *ids)
        for width in self._backfill.widths_of(level):
            rows = merged_tiles_sql(connection.dialect, source, width_ms=WIDTHS_MS[width], order=_ORDER)
            connection.run(f"INSERT INTO {_merged_table(level, width)} ({_NAMES}) {rows}", values)

    def _replace(self, connection: Connection, level: TileLevel, width: TileWidth, after: int, last: int) -> None:
        table, merged = TABLE_OF[tile_table(level, width)], _merged_table(level, width)
        connection.run(upsert_differing_sql(table, f"{merged} WHERE id > ? AND id <= ?"), (after, last))
        connection.run(
            f"DELETE FROM {table.name} WHERE id > ? AND id <= ? AND time_ms >= ? AND time_ms < ? "  # noqa: S608 - our own names
            "AND id IN (SELECT id FROM series WHERE target = ? AND id > ? AND id <= ?) AND NOT EXISTS "
            f"(SELECT 1 FROM {merged} m WHERE m.id = {table.name}.id AND m.time_ms = {table.name}.time_ms)",
            (after, last, self._hour_ms, self._hour_ms + HOUR_MS, self._target, after, last),
        )

    def _check_series(self, connection: Connection) -> None:
        """JobError when series have been deleted since their tiles were counted."""
        lost = connection.rows(
            "SELECT n.series_id FROM backfill_now n WHERE n.backfill_id = ? "
            "AND NOT EXISTS (SELECT 1 FROM series s WHERE s.id = n.series_id) LIMIT 1",
            (self._backfill.backfill_id,),
        )
        if lost:
            raise JobError(f"series of target {self._target} were deleted meanwhile: ask again")


def _merged_table(level: TileLevel, width: TileWidth) -> str:
    return f"merged_{tile_table(level, width)}"


def _ranges(connection: Connection, table: str) -> Iterator[tuple[int, int]]:
    """Series, some thousand tiles at a time; together all there can be."""
    after = -1
    while True:
        found = connection.rows(
            f"SELECT MAX(id), COUNT(*) FROM (SELECT id FROM {table} WHERE id > ? ORDER BY id LIMIT ?) AS next",  # noqa: S608 - our own names
            (after, ROWS_AT_ONCE),
        )
        last, count = found[0]
        if count < ROWS_AT_ONCE:
            yield after, _LAST_ID
            return
        yield after, int(last)
        after = int(last)
