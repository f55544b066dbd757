"""An audit writes its results, and nothing after another process takes its job."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from metrics.audit.findings import Finding
from metrics.audit.job.audit_store import AuditStore, TopicRow
from metrics.errors import JobCancelledError
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.job_table import CLAIM_LIFE_MS, JobTable
from tests.support.metrics.metrics_store import create_sqlite_store

FOUND = Finding(partition=0, kind="missing", source_offset=1, target_offset=None)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], SharedConnection]]:
    url = create_sqlite_store(tmp_path / "metrics.sqlite3")
    connections: list[SharedConnection] = []

    def connection() -> SharedConnection:
        connections.append(connect(url))
        return connections[-1]

    yield connection
    for each in connections:
        each.close()


@pytest.fixture
def job(opened: Callable[[], SharedConnection]) -> int:
    table = JobTable(opened(), "one")
    table.request("audit", "b", {})
    claimed = table.claim(["b"], 0)
    assert claimed is not None
    return claimed.job_id


@pytest.fixture
def store(opened: Callable[[], SharedConnection], job: int) -> AuditStore:
    store = AuditStore(opened(), job, "a", "b")
    store.begin()
    return store


def topic(state: str = "done") -> TopicRow:
    return TopicRow(topic="t", remote_topic="a.t", mode="full", started_ms=1, state=state)


def stored(opened: Callable[[], SharedConnection]) -> tuple[list[str], int]:
    with opened().reading() as connection:
        states = [str(row[0]) for row in connection.rows("SELECT state FROM audit_run")]
        return states, len(connection.rows("SELECT id FROM audit_finding"))


def test_a_job_that_was_taken_over_writes_nothing(opened: Callable[[], SharedConnection], store: AuditStore) -> None:
    assert JobTable(opened(), "one").claim(["b"], CLAIM_LIFE_MS + 1) is not None  # even by a process of the same name

    with pytest.raises(JobCancelledError, match="no longer this process's"):
        store.write(topic(), [FOUND])

    assert stored(opened) == ([], 0)


def test_a_cancelled_job_only_says_that_its_topic_was_cancelled(
    opened: Callable[[], SharedConnection], store: AuditStore, job: int
) -> None:
    with opened().writing("b") as connection:
        connection.run("UPDATE job_request SET state = 'cancelled' WHERE id = ?", (job,))

    with pytest.raises(JobCancelledError):
        store.write(topic(), [FOUND])
    store.write(topic("cancelled"))

    assert stored(opened) == (["cancelled"], 0)


def test_writing_a_topic_again_replaces_its_findings(opened: Callable[[], SharedConnection], store: AuditStore) -> None:
    store.write(topic(), [FOUND])
    store.write(topic(), [FOUND])

    assert stored(opened) == (["done"], 1)
