"""The contents of the metrics store by hour, in figures: the database adds them up, the driver holds no tile."""

import hashlib
from collections.abc import Collection

from metrics.export.hours import HourFigures
from metrics.schemas import LEVELS, TILE_COLUMNS, tile_table
from metrics.store.connection import SharedConnection
from replication.domain.reporting.metric_defs import TILE_VALUES

SERIES_PER_SLICE = 500
# A sum of milliseconds may be as large as a bigint already.
_UNSUMMED = {"id", "time_ms", *(f"{value.name}_sum_ms" for value in TILE_VALUES if value.kind == "histogram")}
_SUMMED = tuple(column.name for column in TILE_COLUMNS if column.kind == "bigint" and column.name not in _UNSUMMED)


def hour_figures(store: SharedConnection, target: str, hours: Collection[int]) -> dict[int, HourFigures]:
    """The figures of those of these hours that have tiles: any tile that is added or replaced changes them."""
    if not hours:
        return {}
    counts: dict[int, int] = {}
    values: dict[int, list[object]] = {}
    sums = ", ".join(f"SUM(t.{name})" for name in _SUMMED)
    for level in LEVELS:
        with store.reading() as connection:
            rows = connection.rows(
                f"SELECT t.time_ms, COUNT(*), {sums} FROM {tile_table(level, '1h')} t JOIN series s ON s.id = t.id "  # noqa: S608 - our own names
                "WHERE s.target = ? AND t.time_ms >= ? AND t.time_ms <= ? GROUP BY t.time_ms",
                (target, min(hours), max(hours)),
            )
        for time_ms, count, *found in rows:
            if time_ms in hours:
                counts[time_ms] = counts.get(time_ms, 0) + count
                values.setdefault(time_ms, []).append((level, count, [None if x is None else int(x) for x in found]))
    return {
        time_ms: HourFigures(count, hashlib.sha256(repr(values[time_ms]).encode()).hexdigest()[:16])
        for time_ms, count in sorted(counts.items())
    }


def series_ranges(store: SharedConnection, target: str) -> tuple[tuple[int, int], ...]:
    """Ranges of series ids, the end excluded, each of some hundred series of the target."""
    with store.reading() as connection:
        rows = connection.rows(
            "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS place "  # noqa: S608 - our own names
            "FROM series WHERE target = ?) numbered "
            f"WHERE place - (place / {SERIES_PER_SLICE}) * {SERIES_PER_SLICE} = 1 ORDER BY id",
            (target,),
        )
        last = connection.rows("SELECT MAX(id) FROM series WHERE target = ?", (target,))
    starts = [int(row[0]) for row in rows]
    return tuple(zip(starts, [*starts[1:], int(last[0][0] or 0) + 1], strict=True)) if starts else ()


def first_hour(store: SharedConnection, target: str) -> int | None:
    """The start of the oldest hour that has a tile; None when there is none. Flows have a tile whenever others do."""
    with store.reading() as connection:
        rows = connection.rows(
            f"SELECT MIN(t.time_ms) FROM {tile_table('flow', '1h')} t JOIN series s ON s.id = t.id WHERE s.target = ?",  # noqa: S608 - our own names
            (target,),
        )
    return None if rows[0][0] is None else int(rows[0][0])
