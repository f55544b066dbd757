"""The SELECT that merges rows of gauges in the database, as `GaugeSums.merge` does in memory."""

from collections.abc import Sequence

from metrics.schemas import GAUGES
from metrics.store.merging.dialect import MergeDialect

_BY_TIME = ("time_ms",)


def merged_gauges_sql(dialect: MergeDialect, source: str, *, width_ms: int = 1, order: Sequence[str] = _BY_TIME) -> str:
    """Rows of a gauge table, one per series, name and time cut down to the width; as `merged_tiles_sql`."""
    merged = {
        "id": "id",
        "name": "name",
        "time_ms": f"time_ms / {width_ms} * {width_ms}",
        "count": 'CAST(SUM("count") AS bigint)',
        "min": 'MIN("min")',
        "max": 'MAX("max")',
        "sum": 'CAST(SUM("sum") AS bigint)',
        "last": dialect.last_known('"last"', order),
    }
    columns = ", ".join(f'{merged[name]} AS "{name}"' for name in GAUGES[0].column_names)
    return f"SELECT {columns} FROM {source} GROUP BY 1, 2, 3"  # noqa: S608 - our own names
