"""The runner's handling of a job, without the session and the clusters."""

import threading
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from metrics.errors import JobError, StoreUnavailableError
from metrics.jobs.context import JobContext
from metrics.jobs.runner import JobRunner, RunJob
from metrics.store.address import connect
from metrics.store.job_table import JobTable
from metrics.stream.targets import MetricsTarget
from tests.support.eventually import eventually
from tests.support.metrics.metrics_store import create_sqlite_store

NOW_MS = 1_790_000_000_000
TARGET = MetricsTarget(alias="b", bootstrap=("one:1",))
SOURCE = MetricsTarget(alias="a", bootstrap=("two:2",))


class FakeSpark:
    """As much of a session as the runner uses."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []

    @property
    def sparkContext(self) -> "FakeSpark":
        return self

    def setJobGroup(self, *_: Any, **__: Any) -> None:
        """Groups the jobs of a thread."""

    def setLocalProperty(self, *_: str) -> None:
        """Names the pool of a thread."""

    def cancelJobGroup(self, group: str) -> None:
        self.cancelled.append(group)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return create_sqlite_store(tmp_path / "metrics.sqlite3")


@pytest.fixture
def table(url: str) -> JobTable:
    return JobTable(connect(url), "service")


def runner(
    url: str,
    run: RunJob,
    stop: Event | None = None,
    spark: FakeSpark | None = None,
    now_ms: Callable[[], int] = lambda: NOW_MS,
) -> JobRunner:
    return JobRunner(
        cast("SparkSession", spark or FakeSpark()),
        {"audit": run},
        lambda: ({"a": SOURCE, "b": TARGET}, ("b",)),
        url,
        "runner",
        stop or Event(),
        now_ms,
    )


def test_a_job_gets_its_spec_and_all_clusters_and_ends_done(url: str, table: JobTable) -> None:
    seen: list[JobContext] = []
    job_id = table.request("audit", "b", {"topics": ["x"]})

    def run(context: JobContext) -> None:
        seen.append(context)
        context.progress(2.0, "more than all")

    assert runner(url, run).run_once()

    assert (seen[0].job_id, seen[0].spec, seen[0].target) == (job_id, {"topics": ["x"]}, TARGET)
    assert dict(seen[0].targets) == {"a": SOURCE, "b": TARGET}
    assert table.state(job_id) == ("done", '{"done": 1.0, "text": "more than all"}', None)


@pytest.mark.parametrize(
    ("error", "text"), [(JobError("no topic x"), "no topic x"), (KeyError("x"), "KeyError: 'x'")], ids=["ours", "a bug"]
)
def test_a_job_that_raises_has_failed_with_its_reason(url: str, table: JobTable, error: Exception, text: str) -> None:
    job_id = table.request("audit", "b", {})

    def run(_: JobContext) -> None:
        raise error

    runner(url, run).run_once()

    assert table.state(job_id) == ("failed", None, text)


def test_an_unknown_kind_fails_with_those_that_are_known(url: str, table: JobTable) -> None:
    job_id = table.request("dance", "b", {})

    assert runner(url, lambda _: None).run_once()

    assert table.state(job_id)[2] == "no such kind of job: dance; known are audit"


def test_without_a_job_there_is_nothing_to_do(url: str) -> None:
    assert not runner(url, lambda _: None).run_once()


def test_a_cancelled_job_is_told_and_stays_cancelled(url: str, table: JobTable) -> None:
    job_id = table.request("audit", "b", {})
    started = threading.Event()
    spark = FakeSpark()

    def run(context: JobContext) -> None:
        started.set()
        eventually(context.cancelled, 20, "the job is told")
        eventually(lambda: bool(spark.cancelled), 20, "its Spark jobs are cancelled")
        context.check_cancelled()

    working = threading.Thread(target=runner(url, run, spark=spark).run_once)
    working.start()
    assert started.wait(10)
    with connect(url).writing("b") as connection:
        connection.run("UPDATE job_request SET state = 'cancelled' WHERE id = ?", (job_id,))
    working.join(30)

    assert not working.is_alive()
    assert table.state(job_id)[0] == "cancelled"
    assert spark.cancelled == [f"job-{job_id}"]


def test_a_job_of_a_process_that_ends_waits_for_the_next_one(url: str, table: JobTable) -> None:
    job_id = table.request("audit", "b", {})
    stop, started = Event(), threading.Event()

    def run(context: JobContext) -> None:
        started.set()
        eventually(context.cancelled, 20, "the job is told")
        context.check_cancelled()

    working = threading.Thread(target=runner(url, run, stop).run_once)
    working.start()
    assert started.wait(10)
    stop.set()
    working.join(30)

    assert table.state(job_id)[0] == "requested"


def test_a_job_that_does_not_end_when_told_is_not_done_and_holds_back_the_next(
    url: str, table: JobTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metrics.jobs.runner._KEEP_S", 0.01)
    monkeypatch.setattr("metrics.jobs.runner._END_LIMIT_S", 0.05)
    monkeypatch.setattr("metrics.jobs.runner.CLAIM_LIFE_MS", 0)
    job_id = table.request("audit", "b", {})
    release, ended, clock = threading.Event(), threading.Event(), [NOW_MS]
    keep = JobTable.keep

    def no_store(*_: object) -> bool:
        raise StoreUnavailableError("gone")

    def run(_: JobContext) -> None:
        release.wait(20)
        ended.set()

    monkeypatch.setattr(JobTable, "keep", no_store)
    jobs = runner(url, run, now_ms=lambda: clock[0])
    assert jobs.run_once()
    monkeypatch.setattr(JobTable, "keep", keep)
    clock[0] += 60_000

    assert table.state(job_id)[0] == "claimed"
    assert not jobs.run_once()

    release.set()
    assert ended.wait(10)
    eventually(jobs.run_once, 10, "the job is begun again")
    assert table.state(job_id)[0] == "done"
