"""Large tables of a batch: PostgreSQL takes them over while the next ones are prepared."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from metrics.counting.flow_totals import FlowTotals
from metrics.counting.sums.tile_sums import TileSums
from metrics.errors import StoreUnavailableError
from metrics.schemas import COVERED, TILES
from metrics.store import tile_writer
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.target_store import TargetStore
from metrics.stream.ledger import LedgerEntry
from tests.support.metrics.metrics_builders import tile_group
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.metrics.prepared_batches import prepared
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]

TIME_MS = 1_790_000_000_000
MANY = 1_000
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


def test_many_rows_replace_those_that_are_there_and_are_seen_at_once(connection: SharedConnection) -> None:
    with connection.writing("b") as writing:
        for next_offset in (5, 7):
            writing.upsert(COVERED, [(number, "00", 0, next_offset) for number in range(MANY)])
        within = writing.rows("SELECT COUNT(*), MIN(next_offset), MAX(next_offset) FROM covered")
    with connection.reading() as reading:
        after = reading.rows("SELECT COUNT(*), MIN(next_offset), MAX(next_offset) FROM covered")

    assert [tuple(row) for row in (*within, *after)] == [(MANY, 7, 7)] * 2


def test_an_exception_after_many_rows_undoes_them(connection: SharedConnection) -> None:
    with pytest.raises(ValueError, match="stop"), connection.writing("b") as writing:  # noqa: PT012 - the block is what is undone
        writing.upsert(COVERED, [(number, "00", 0, 5) for number in range(MANY)])
        raise ValueError("stop")

    with connection.reading() as reading:
        assert [tuple(row) for row in reading.rows("SELECT COUNT(*) FROM covered")] == [(0,)]


def test_the_tiles_of_some_series_at_one_time_are_found(connection: SharedConnection) -> None:
    with connection.writing("b") as writing:
        writing.upsert(TILE, [TileSums().to_row(number, at) for number in range(MANY) for at in (TIME_MS, 0)])
        found = writing.rows_at(TILE, [3, 999, 5_000], TIME_MS)
        none = writing.rows_at(TILE, [], TIME_MS)

    assert sorted((row[0], row[1]) for row in found) == [(3, TIME_MS), (999, TIME_MS)]
    assert none == []


def test_tiles_written_in_several_steps_add_up(connection: SharedConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tile_writer, "_ROWS_AT_ONCE", 300)
    store = TargetStore(connection, "b", "host:1")
    store.claim(TIME_MS)
    for known, raw_offset in ((MANY // 2, 0), (MANY, 1)):  # the second batch finds half of its tiles
        groups = [
            tile_group(time_ms=TIME_MS, spans=((0, 10),), partition=number, raw_offset=raw_offset)
            for number in range(known)
        ]
        batch = prepared(connection, "b", store.epoch, groups, staged=raw_offset + 1)
        ledger = {("srm-metrics.a.internal", 0): LedgerEntry("aa", 1)}
        store.commit(batch, FlowTotals({}), ledger, (), now_ms=TIME_MS)

    with connection.reading() as reading:
        found = reading.rows("SELECT records, COUNT(*) FROM tile_partition_10s GROUP BY records ORDER BY records")
    assert [tuple(row) for row in found] == [(10, MANY // 2), (20, MANY // 2)]


def test_rows_that_postgresql_refuses_to_take_over_fail_the_transaction(postgres_url: str) -> None:
    create_postgres_store(postgres_url)
    connection = connect(postgres_url)

    with pytest.raises(StoreUnavailableError, match="second time"), connection.writing("b") as writing:
        writing.upsert(COVERED, [(number % 500, "00", 0, 5) for number in range(MANY)])  # a key comes twice

    with connection.writing("b") as writing:  # and the connection is as good as before
        writing.upsert(COVERED, [(number, "00", 0, 5) for number in range(MANY)])
    with connection.reading() as reading:
        assert [tuple(row) for row in reading.rows("SELECT COUNT(*) FROM covered")] == [(MANY,)]
    connection.close()
