"""Open jobs are listed and cancelled the same way in both databases; why one waits."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.job_queue import JobQueue, OpenJob, TargetWriter, why_it_waits
from metrics.store.job_table import JobTable
from metrics.store.target_store import TargetStore
from tests.support.metrics.metrics_store import create_postgres_store, create_sqlite_store
from tests.support.servers.postgres import postgres_url

__all__ = ["postgres_url"]
NOW_MS = 1_795_345_200_000
WRITER = TargetWriter(owner="one", heartbeat_ms=NOW_MS - 3_000)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedConnection]:
    if request.param == "sqlite":
        url = create_sqlite_store(tmp_path / "metrics.sqlite3")
    else:
        url = request.getfixturevalue("postgres_url")
        create_postgres_store(url)
    connection = connect(url)
    yield connection
    connection.close()


def job(job_id: int, *, target: str = "b", state: str = "requested", claimed_by: str | None = None) -> OpenJob:
    return OpenJob(job_id=job_id, kind="audit", target=target, state=state, claimed_by=claimed_by, progress=None)


def test_open_jobs_are_those_that_wait_or_run(store: SharedConnection) -> None:
    table, queue = JobTable(store, "one"), JobQueue(store)
    done, running, waiting = (table.request("backfill", target, {}) for target in ("a", "b", "c"))
    for target in ("a", "b"):
        table.claim([target], NOW_MS)
    table.finish(done, None)
    table.keep(running, NOW_MS, (0.25, "a quarter"))

    assert [(each.job_id, each.claimed_by, each.said) for each in queue.open_jobs()] == [
        (running, "one", "running: 25 %, a quarter"),
        (waiting, None, "requested"),
    ]


def test_a_cancelled_job_is_its_claimers_no_longer(store: SharedConnection) -> None:
    table, queue = JobTable(store, "one"), JobQueue(store)
    job_id = table.request("backfill", "b", {})
    table.claim(["b"], NOW_MS)

    assert queue.cancel(job_id)

    assert not table.keep(job_id, NOW_MS, None)
    assert not queue.cancel(job_id)
    assert not queue.cancel(job_id + 1)
    assert table.state(job_id)[0] == "cancelled"


def test_writers_are_those_of_every_target_that_was_counted(store: SharedConnection) -> None:
    TargetStore(store, "b", "one").claim(NOW_MS)

    assert JobQueue(store).writers() == {"b": TargetWriter(owner="one", heartbeat_ms=NOW_MS)}


@pytest.mark.parametrize(
    ("jobs", "writer", "why"),
    [
        ([], None, "no metrics process has counted b yet"),
        ([], TargetWriter(owner="one", heartbeat_ms=NOW_MS - 60_000), "not been heard of since 2026-11-22T10:59Z"),
        ([job(1, target="c", state="running", claimed_by="one")], WRITER, "job 1 (audit of c) is done first"),
        ([job(9, target="c", state="claimed", claimed_by="one")], WRITER, "job 9 (audit of c) is done first"),
        ([job(1, target="c", state="running", claimed_by="two")], WRITER, "takes it up"),
        ([job(1), job(5), job(6)], WRITER, "job 1 (audit of b) comes first"),
        ([job(5), job(6)], WRITER, "takes it up"),
    ],
    ids=["never counted", "silent", "runs", "begins", "another process", "older", "later"],
)
def test_a_job_waits_for_its_process_and_for_what_that_does_first(
    jobs: list[OpenJob], writer: TargetWriter | None, why: str
) -> None:
    assert why in why_it_waits(5, "b", jobs, writer, NOW_MS)
