"""The report of a target's query in the store, in both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from metrics.errors import WriterFencedError
from metrics.store.address import connect
from metrics.store.connection import Row, SharedConnection
from metrics.store.target_store import TargetStore
from replication.domain.reporting.query_figures import FIGURE_NAMES
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]

NOW_MS = 1_790_000_000_000
TARGET = "b"
FIGURES = dict.fromkeys(FIGURE_NAMES, 7)


@pytest.fixture(params=["sqlite", "postgres"])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedConnection]:
    if request.param == "sqlite":
        url = create_sqlite_store(tmp_path / "metrics.sqlite3")
    else:
        url = request.getfixturevalue("postgres_url")
        create_postgres_store(url)
    opened = connect(url)
    yield opened
    opened.close()


@pytest.fixture
def store(connection: SharedConnection) -> TargetStore:
    found = TargetStore(connection, TARGET, "host:1")
    found.claim(NOW_MS)
    return found


def stored(connection: SharedConnection) -> list[Row]:
    names = ", ".join(("target", "time_ms", *FIGURE_NAMES, "warning"))
    with connection.reading() as reading:
        return [tuple(row) for row in reading.rows(f"SELECT {names} FROM query_status", ())]


def test_a_query_replaces_its_figures_and_its_warning(connection: SharedConnection, store: TargetStore) -> None:
    store.warn("executor 3")
    store.report({**FIGURES, "raw_lag_offsets": None}, "executor 3", NOW_MS)
    store.report(FIGURES, "executor 4", NOW_MS + 60_000)
    assert stored(connection) == [(TARGET, NOW_MS + 60_000, *FIGURES.values(), "executor 4")]

    store.warn("")
    assert stored(connection) == [(TARGET, NOW_MS + 60_000, *FIGURES.values(), "")]


def test_a_fenced_query_reports_nothing(connection: SharedConnection, store: TargetStore) -> None:
    TargetStore(connection, TARGET, "host:2").claim(NOW_MS)

    with pytest.raises(WriterFencedError):
        store.warn("executor 3")
    with pytest.raises(WriterFencedError):
        store.report(FIGURES, "executor 3", NOW_MS)

    assert stored(connection) == []
