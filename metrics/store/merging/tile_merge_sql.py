"""The SELECT that merges rows of tiles in the database as `TileSums.merge` does, built from `TILE_VALUES`."""

from collections.abc import Iterator, Sequence

from metrics.schemas import TILE_COLUMNS
from metrics.store.merging.dialect import MergeDialect
from replication.domain.reporting.metric_defs import TILE_VALUES, TileValue

_MERGED = "merged"
_BY_TIME = ("time_ms",)


def merged_tiles_sql(dialect: MergeDialect, source: str, *, width_ms: int = 1, order: Sequence[str] = _BY_TIME) -> str:
    """Rows of `TILE_COLUMNS`, one per series and time cut down to the width.

    `source` follows FROM: a table or subquery that has the columns of a tile, with WHERE if need be. `order` names
    whole numbers from -1 on, by which the parts of a tile follow each other; the last known lag is that of the last.
    """
    inner = ", ".join(f"{expression} AS {name}" for name, expression in _aggregates(dialect, width_ms, order))
    outer = ", ".join(_results(dialect))
    return f"SELECT {outer} FROM (SELECT {inner} FROM {source} GROUP BY 1, 2) AS {_MERGED}"  # noqa: S608 - our own names


def _aggregates(dialect: MergeDialect, width_ms: int, order: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield "id", "id"
    yield "time_ms", "time_ms" if width_ms == 1 else f"time_ms / {width_ms} * {width_ms}"
    for value in TILE_VALUES:
        if value.kind == "sum":
            yield value.name, _sum(value.name)
        elif value.kind == "reading":
            yield f"{value.name}_max", f"MAX({value.name}_max)"
            yield f"{value.name}_last", dialect.last_known(f"{value.name}_last", order)
        else:
            yield from _histogram(dialect, value)


def _histogram(dialect: MergeDialect, value: TileValue) -> Iterator[tuple[str, str]]:
    """Buckets are only listed here: those of one part are the result as they are."""
    name, counted = value.name, f"FILTER (WHERE {value.name}_count > 0)"
    yield f"{name}_count", _sum(f"{name}_count")
    yield f"{name}_min_ms", f"MIN({name}_min_ms)"
    yield f"{name}_max_ms", f"MAX({name}_max_ms)"
    yield f"{name}_sum_ms", dialect.bounded_sum(f"{name}_sum_ms")
    yield f"{name}_negative_count", _sum(f"{name}_negative_count")
    yield f"{name}_parts", f"COUNT(*) {counted}"
    entries = f"substr({name}_hist, 2, length({name}_hist) - 2)"
    yield f"{name}_entries", f"{dialect.listed(entries)} {counted}"


def _results(dialect: MergeDialect) -> Iterator[str]:
    texts = {f"{value.name}_hist": value.name for value in TILE_VALUES if value.kind == "histogram"}
    for column in TILE_COLUMNS:
        if column.name not in texts:
            yield column.name
            continue
        name = texts[column.name]
        numbers = f"('{{' || COALESCE({_MERGED}.{name}_entries, '') || '}}')"
        yield f"CASE WHEN {name}_parts > 1 THEN {dialect.added_up(numbers)} ELSE {numbers} END AS {column.name}"


def _sum(column: str) -> str:
    """PostgreSQL adds bigints up to a numeric."""
    return f"CAST(SUM({column}) AS bigint)"
