"""`python -m metrics backfill` and `jobs`: what is refused at once, and what is said while a job waits."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from metrics.jobs.job_commands import backfill, export, jobs
from metrics.schemas import ROLLUP
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.job_queue import JobQueue
from metrics.store.job_table import JobTable
from metrics.store.target_store import TargetStore
from tests.support.metrics.metrics_store import create_sqlite_store, store_rows

HOUR_MS = 3_600_000
ELEVEN_MS = 1_795_345_200_000  # 2026-11-22T11:00Z, up to which all is rolled up
OWNER = "host:1"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return create_sqlite_store(tmp_path / "metrics.sqlite3")


@pytest.fixture
def store(url: str) -> Iterator[SharedConnection]:
    """A store into which `b` and `c` are counted."""
    connection = connect(url)
    for target in ("b", "c"):
        TargetStore(connection, target, OWNER).claim(time.time_ns() // 1_000_000)
    with connection.writing("b") as writing:
        writing.upsert(ROLLUP, [("b", "1m", ELEVEN_MS + 240_000), ("b", "1h", ELEVEN_MS + 180_000)])
    yield connection
    connection.close()


def asked(url: str, *, target: str = "b", start: str = "2026-11-22T09:00Z", end: str, wait: bool = False) -> Result:
    words = ("--target", target, "--from", start, "--to", end, "--store", url, "--wait" if wait else "--no-wait")
    return CliRunner().invoke(backfill, words)


@pytest.mark.parametrize(
    ("target", "start", "end", "complaint"),
    [
        ("nope", "2026-11-22T09:00Z", "2026-11-22T10:00Z", "counted a target 'nope'; known are b, c"),
        ("b", "2026-11-22T10:00Z", "2026-11-22T09:00Z", "begins at 2026-11-22T10:00Z, which is not before"),
        ("b", "2026-11-22T10:00Z", "2026-11-22T11:01Z", "reaches to 2026-11-22T12:00Z"),
        ("b", "2026-11-22T10:00Z", "2026-11-22T11:01Z", "end it at 2026-11-22T11:00Z or earlier"),
        ("b", "2099-11-22T10:00Z", "2099-11-22T11:00Z", "end it at 2026-11-22T11:00Z or earlier"),
        ("b", "2016-11-22T10:00Z", "2026-11-22T10:00Z", "longer than 31 days"),
    ],
    ids=["unknown target", "reversed", "present hour", "when it may end", "future", "ten years"],
)
def test_what_cannot_be_done_is_refused_before_it_is_asked_for(
    url: str, store: SharedConnection, target: str, start: str, end: str, complaint: str
) -> None:
    result = asked(url, target=target, start=start, end=end)

    assert result.exit_code == 1
    assert complaint in result.output
    assert str(ELEVEN_MS) not in result.output
    assert JobQueue(store).open_jobs() == ()


def test_a_time_that_cannot_be_read_is_a_wrong_option(url: str, store: SharedConnection) -> None:
    result = asked(url, end="soon")

    assert result.exit_code == 2
    assert "write it like 2026-11-21T05:00Z" in result.output


def test_whole_hours_that_have_passed_are_asked_for(url: str, store: SharedConnection) -> None:
    result = asked(url, end="2026-11-22T10:05Z")

    assert (result.exit_code, result.output) == (0, "backfill of b asked for as job 1\n")
    assert [job.named for job in JobQueue(store).open_jobs()] == ["job 1 (backfill of b)"]


def test_waiting_says_what_for_and_how_it_went(
    url: str, store: SharedConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The metrics process is played in the pauses."""
    table = JobTable(store, OWNER)
    table.request("audit", "c", {})
    table.claim(["c"], time.time_ns() // 1_000_000)

    def work(_: float) -> None:
        if table.finish(1, None):
            return
        if table.keep(2, 0, (0.5, "3 of 6")):
            table.finish(2, "too many tiles")
        else:
            table.claim(["b"], time.time_ns() // 1_000_000)

    monkeypatch.setattr("metrics.jobs.request.time.sleep", work)

    result = asked(url, end="2026-11-22T10:00Z", wait=True)

    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "backfill of b asked for as job 2",
        "requested: job 1 (audit of c) is done first",
        "requested: the metrics process takes it up",
        "claimed",
        "failed: 3 of 6",
        "Error: too many tiles",
    ]


def test_an_interrupted_wait_leaves_the_job_and_says_how_to_end_it(
    url: str, store: SharedConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("metrics.jobs.request.time.sleep", interrupt)

    result = asked(url, end="2026-11-22T10:00Z", wait=True)

    assert result.exit_code == 1
    assert "`srm metrics jobs --cancel 1` ends it" in result.output
    assert len(JobQueue(store).open_jobs()) == 1


def test_open_jobs_are_listed_and_cancelled(url: str, store: SharedConnection) -> None:
    asked(url, end="2026-11-22T10:00Z")

    listed = CliRunner().invoke(jobs, ["--store", url])
    cancelled = CliRunner().invoke(jobs, ["--store", url, "--cancel", "1"])
    again = CliRunner().invoke(jobs, ["--store", url, "--cancel", "1"])

    assert listed.output.split() == ["1", "backfill", "b", "requested"]
    assert (cancelled.exit_code, cancelled.output) == (0, "job 1 is cancelled\n")
    assert again.exit_code == 1
    assert "there is nothing to cancel" in again.output
    assert CliRunner().invoke(jobs, ["--store", url]).output == ""


def exported(url: str, *words: str, start: str = "2026-11-22T09:00Z", end: str = "2026-11-22T10:00Z") -> Result:
    times = ("--from", start, "--to", end, "--store", url, "--no-wait")
    return CliRunner().invoke(export, (*times, *words))


def test_an_export_is_asked_for_of_all_targets_or_of_the_named_ones(url: str, store: SharedConnection) -> None:
    with store.writing("c") as writing:
        writing.upsert(ROLLUP, [("c", "1m", ELEVEN_MS), ("c", "1h", ELEVEN_MS)])

    result = exported(url, "--uri", "/data/history")
    one = exported(url, "--uri", "s3a://bucket/history", "--target", "c", "--width", "1h")

    assert result.output.splitlines() == ["export of b asked for as job 1", "export of c asked for as job 2"]
    assert (result.exit_code, one.exit_code) == (0, 0)
    specs = [json.loads(row[0]) for row in store_rows(url, "SELECT spec FROM job_request ORDER BY id")]
    times = {"from_ms": ELEVEN_MS - 2 * HOUR_MS, "to_ms": ELEVEN_MS - HOUR_MS}
    assert specs == [
        {"uri": "file:///data/history", "widths": ["1m", "1h"], **times},
        {"uri": "file:///data/history", "widths": ["1m", "1h"], **times},
        {"uri": "s3a://bucket/history", "widths": ["1h"], **times},
    ]


@pytest.mark.parametrize(
    ("words", "end", "code", "complaint"),
    [
        (("--uri", "/data", "--target", "nope"), "2026-11-22T10:00Z", 1, "counted a target 'nope'; known are b, c"),
        (("--uri", "/data", "--target", "b"), "2026-11-22T11:01Z", 1, "the last closed hour ends at 2026-11-22T11:00Z"),
        (("--uri", "/data", "--target", "b"), "2026-11-22T08:00Z", 1, "which is not before its end"),
        (("--uri", "s3a://key:secret@bucket", "--target", "b"), "2026-11-22T10:00Z", 2, "holds credentials"),
        (("--uri", "/data", "--width", "10s"), "2026-11-22T10:00Z", 2, "'10s' is not one of '1m', '1h'"),
        (("--uri", "/data"), "soon", 2, "write it like 2026-11-21T05:00Z"),
    ],
    ids=["unknown target", "open hour", "reversed", "credentials", "width", "time"],
)
def test_an_export_that_cannot_be_done_is_refused_before_it_is_asked_for(
    url: str, store: SharedConnection, words: tuple[str, ...], end: str, code: int, complaint: str
) -> None:
    result = exported(url, *words, end=end)

    assert (result.exit_code, JobQueue(store).open_jobs()) == (code, ())
    assert complaint in " ".join(result.output.split())


def test_an_export_of_a_store_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    result = exported(f"sqlite:///{tmp_path}/none.sqlite3", "--uri", "/data")

    assert result.exit_code == 1
    assert "none.sqlite3 does not exist" in result.output
