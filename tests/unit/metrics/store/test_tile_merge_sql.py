"""The database merges rows of tiles as `TileSums.merge` does."""

import sqlite3
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.counting.sums.tile_histogram import MOST_BIGINT
from metrics.counting.sums.tile_sums import TileSums
from metrics.schemas import TILE_COLUMNS
from metrics.store.merging.dialect import SQLITE
from metrics.store.merging.tile_merge_sql import merged_tiles_sql
from replication.domain.reporting.metric_defs import WIDTHS_MS
from tests.support.metrics.merged_rows import TileRow, merged, tile_rows

_NAMES = [column.name for column in TILE_COLUMNS]


@pytest.fixture(scope="module")
def connection() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:", isolation_level=None)
    columns = ", ".join(f"{column.name} {'TEXT' if column.kind == 'text' else 'BIGINT'}" for column in TILE_COLUMNS)
    opened.execute(f"CREATE TABLE tile (part BIGINT, {columns})")
    yield opened
    opened.close()


def fill(connection: sqlite3.Connection, rows: Sequence[TileRow], part: int = 0) -> None:
    marks = ", ".join("?" * (len(_NAMES) + 1))
    connection.executemany(f"INSERT INTO tile VALUES ({marks})", [(part, *row) for row in rows])


def found(connection: sqlite3.Connection, sql: str) -> list[TileRow]:
    rows = connection.execute(sql).fetchall()
    connection.execute("DELETE FROM tile")
    return sorted(rows)


@given(rows=tile_rows(), width=st.sampled_from(("10s", "1m", "1h")))
def test_sqlite_merges_as_counting_does(connection: sqlite3.Connection, rows: list[TileRow], width: str) -> None:
    width_ms = {str(name): ms for name, ms in WIDTHS_MS.items()}[width]
    fill(connection, rows)

    assert found(connection, merged_tiles_sql(SQLITE, "tile", width_ms=width_ms)) == merged(rows, width_ms)


def test_the_source_may_have_conditions_and_parts_their_own_order(connection: sqlite3.Connection) -> None:
    first, second, other = TileSums(), TileSums(), TileSums()
    for tile, lag in ((first, 9), (second, 4), (other, 100)):
        tile.observe_lag(lag)
    for part, tile in ((-1, first), (3, second), (7, other)):
        fill(connection, [tile.to_row(1, 20_000)], part)

    sql = merged_tiles_sql(SQLITE, "tile WHERE part IN (-1, 3)", width_ms=60_000, order=("part", "time_ms"))
    first.merge(second)

    assert found(connection, sql) == [first.to_row(1, 0)]
    assert first.lag_last == 4


def test_a_sum_of_sums_is_at_most_what_the_database_holds(connection: sqlite3.Connection) -> None:
    tile = TileSums()
    tile.age.add(MOST_BIGINT >> 24, 1 << 23)
    fill(connection, [tile.to_row(1, 0), tile.to_row(1, 1), tile.to_row(2, 0), tile.to_row(1, 2)])

    rows = found(connection, merged_tiles_sql(SQLITE, "tile", width_ms=10_000))

    assert [row[_NAMES.index("age_sum_ms")] for row in rows] == [MOST_BIGINT, tile.age.sum_ms]
