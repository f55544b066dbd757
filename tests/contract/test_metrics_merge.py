"""Both databases merge rows of tiles as `TileSums.merge` does in memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics.schemas import TILES
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.merging.tile_merge_sql import merged_tiles_sql
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileWidth
from tests.support.metrics.merged_rows import TileRow, merged, tile_rows
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]

TILE = TILES[0]


@pytest.fixture(params=["sqlite", "postgres"])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedConnection]:
    if request.param == "sqlite":
        opened = connect(create_sqlite_store(tmp_path / "metrics.sqlite3"))
    else:
        create_postgres_store(request.getfixturevalue("postgres_url"))
        opened = connect(request.getfixturevalue("postgres_url"))
    yield opened
    opened.close()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=tile_rows(), width=st.sampled_from(("10s", "1m", "1h")))
def test_the_database_merges_as_counting_does(
    connection: SharedConnection, rows: list[TileRow], width: TileWidth
) -> None:
    with connection.writing("b") as writing:
        writing.run(f"DELETE FROM {TILE.name}")
        writing.upsert(TILE, rows)
        sql = merged_tiles_sql(writing.dialect, f"{TILE.name} WHERE id > ?", width_ms=WIDTHS_MS[width])
        found = sorted(tuple(row) for row in writing.rows(sql, (1,)))

    assert found == merged([row for row in rows if row[0] > 1], WIDTHS_MS[width])
