"""The statement that adds the finer rows of a minute to the coarser ones, for tiles and gauges alike."""

from metrics.schemas import TILES, Table
from metrics.store.connection import Row
from metrics.store.merging.dialect import MergeDialect
from metrics.store.merging.gauge_merge_sql import merged_gauges_sql
from metrics.store.merging.tile_merge_sql import merged_tiles_sql
from metrics.store.statements import upsert_from_sql

_OF_TARGET = "id IN (SELECT id FROM series WHERE target = ?)"
_PLACE = "place"  # what a coarser row holds is older than all that is added to it


def add_minute_sql(dialect: MergeDialect, finer: Table, coarser: Table, width_ms: int) -> str:
    """One INSERT; its parameters are those of `minute_parameters`."""
    columns = ", ".join(f'"{name}"' for name in finer.column_names)
    within = "time_ms >= ? AND time_ms < ?"
    added = f"SELECT time_ms AS {_PLACE}, {columns} FROM {finer.name} WHERE {within} AND {_OF_TARGET}"  # noqa: S608 - our own names
    known = (
        f"SELECT -1, {columns} FROM {coarser.name} c WHERE time_ms = ? AND {_OF_TARGET} "  # noqa: S608 - our own names
        f"AND EXISTS (SELECT 1 FROM {finer.name} f WHERE f.id = c.id AND f.time_ms >= ? AND f.time_ms < ?)"
    )
    merge = merged_tiles_sql if coarser in TILES else merged_gauges_sql
    merged = merge(dialect, f"({added} UNION ALL {known}) AS parts", width_ms=width_ms, order=(_PLACE,))
    # SQLite reads ON CONFLICT as a join's condition where nothing stands between them.
    return upsert_from_sql(coarser, f"({merged}) AS rolled WHERE TRUE")


def minute_parameters(target: str, begin_ms: int, end_ms: int, width_ms: int) -> Row:
    """All of [begin_ms, end_ms) belongs to one coarser row."""
    return begin_ms, end_ms, target, begin_ms - begin_ms % width_ms, target, begin_ms, end_ms
