"""A tile that comes after its time adds to the coarser ones and leaves the last lag to the latest."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metrics.counting.flow_totals import FlowTotals
from metrics.schemas import LEVELS
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.rollup import roll_up
from metrics.store.target_store import TargetStore
from replication.domain.reporting.metric_defs import WIDTHS_MS
from tests.support.metrics.metrics_builders import tile_group
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.metrics.prepared_batches import prepared
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]

HOUR_MS = 1_790_000_000_000 // WIDTHS_MS["1h"] * WIDTHS_MS["1h"]
TARGET = "b"
MEASURED = tuple(level for level in LEVELS if level != "group")


@pytest.fixture(params=["sqlite", "postgres"])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedConnection]:
    if request.param == "sqlite":
        opened = connect(create_sqlite_store(tmp_path / "metrics.sqlite3"))
    else:
        create_postgres_store(request.getfixturevalue("postgres_url"))
        opened = connect(request.getfixturevalue("postgres_url"))
    yield opened
    opened.close()


@pytest.fixture
def store(connection: SharedConnection) -> TargetStore:
    claimed = TargetStore(connection, TARGET, "host:1")
    claimed.claim(HOUR_MS)
    return claimed


def commit(store: TargetStore, at_s: int, lag: int | None, *, ten_seconds: bool = True, times: int = 1) -> None:
    """A batch with a tile of this time of the hour, of as many partitions as `times`."""
    groups = [
        tile_group(time_ms=HOUR_MS + at_s * 1_000, spans=((0, 10),), topic=f"t{n}", lag=lag) for n in range(times)
    ]
    batch = prepared(store._connection, TARGET, store.epoch, groups, ten_seconds=ten_seconds)
    store.commit(batch, FlowTotals({}), {}, (), now_ms=HOUR_MS)


def lags(connection: SharedConnection, width: str) -> set[tuple[Any, ...]]:
    """Seconds into the hour, last lag and highest one of every tile; each level must tell the same."""
    found = []
    with connection.reading() as reading:
        for level in MEASURED:
            rows = reading.rows(f"SELECT time_ms, lag_last, lag_max FROM tile_{level}_{width}")
            found.append({((row[0] - HOUR_MS) // 1_000, row[1], row[2]) for row in rows})
    assert found[0] == found[1] == found[2]
    return found[0]


@pytest.mark.parametrize(
    ("late_s", "lag", "minutes", "hour"),
    [
        (610, 900, {(600, 7, 900)}, (0, 7, 900)),
        (600, 900, {(600, 7, 900)}, (0, 7, 900)),
        (650, 3, {(600, 3, 7)}, (0, 3, 7)),
        (60, 900, {(60, 900, 900), (600, 7, 7)}, (0, 7, 900)),
        (720, 3, {(600, 7, 7), (720, 3, 3)}, (0, 3, 7)),
        (650, None, {(600, 7, 7)}, (0, 7, 7)),
    ],
    ids=["older in its minute", "same tile", "newer in its minute", "older minute", "newer minute", "unknown"],
)
def test_the_last_lag_is_that_of_the_latest_tile_however_late_another_came(
    connection: SharedConnection,
    store: TargetStore,
    late_s: int,
    lag: int | None,
    minutes: set[tuple[int, int, int]],
    hour: tuple[int, int, int],
) -> None:
    commit(store, 600, 5)
    commit(store, 620, 7)
    commit(store, 640, None)  # the latest of all says nothing
    roll_up(connection, TARGET, HOUR_MS + 1_200_000, _never)

    commit(store, late_s, lag)

    assert lags(connection, "1m") == minutes
    assert lags(connection, "1h") == {hour}


def test_a_late_minute_of_partitions_without_ten_second_tiles_leaves_the_hour_its_last_lag(
    connection: SharedConnection, store: TargetStore
) -> None:
    commit(store, 600, 7, ten_seconds=False)
    roll_up(connection, TARGET, HOUR_MS + 1_200_000, _never)

    commit(store, 60, 900, ten_seconds=False)

    assert lags(connection, "1h") == {(0, 7, 900)}


def test_what_is_counted_after_an_outage_comes_late_and_in_its_order(
    connection: SharedConnection, store: TargetStore
) -> None:
    roll_up(connection, TARGET, HOUR_MS + 1_200_000, _never)

    for number in range(12):
        commit(store, 600 + number * 10, number)
        roll_up(connection, TARGET, HOUR_MS + 1_200_000 + number, _never)

    assert lags(connection, "1m") == {(600, 5, 5), (660, 11, 11)}
    assert lags(connection, "1h") == {(0, 11, 11)}


def test_many_late_tiles_at_once_leave_the_last_lags(connection: SharedConnection, store: TargetStore) -> None:
    commit(store, 620, 7, times=300)
    roll_up(connection, TARGET, HOUR_MS + 1_200_000, _never)

    commit(store, 610, 900, times=300)

    with connection.reading() as reading:
        assert set(reading.rows("SELECT lag_last, lag_max FROM tile_partition_1m")) == {(7, 900)}


def _never() -> bool:
    return False
