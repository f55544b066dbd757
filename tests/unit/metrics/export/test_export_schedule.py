"""The schedule requests an export for every end of the closed hours, one at a time, and again after a failure."""

from pathlib import Path
from threading import Event

import pytest

from metrics.export.export_schedule import ExportSchedule, TargetSchedule
from metrics.export.export_spec import ExportSpec
from metrics.schemas import ROLLUP
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.job_queue import JobQueue
from metrics.store.job_table import JobTable
from metrics.store.target_store import TargetStore
from tests.support.metrics.metrics_store import create_sqlite_store

HOUR_MS = 3_600_000
ELEVEN_MS = 1_795_345_200_000
SPEC = ExportSpec(uri="file:///data", widths=("1m", "1h"))


class Lab:
    """A store with a closed hour, its schedule, and a metrics process that is played."""

    def __init__(self, url: str) -> None:
        self.store: SharedConnection = connect(url)
        self.now_ms = ELEVEN_MS
        TargetStore(self.store, "b", "host:1").claim(self.now_ms)
        self.close_hours(ELEVEN_MS)
        self.jobs = JobTable(self.store, "host:1")
        self.schedule = self.started(url)
        self.url = url

    def started(self, url: str) -> ExportSchedule:
        return ExportSchedule(SPEC, lambda: ("b",), lambda: connect(url), Event(), lambda: self.now_ms)

    def close_hours(self, to_ms: int) -> None:
        with self.store.writing("b") as writing:
            writing.upsert(ROLLUP, [("b", "1m", to_ms + 120_000), ("b", "1h", to_ms + 60_000)])

    def open(self) -> list[int]:
        self.schedule.run_once()
        return [job.job_id for job in JobQueue(self.store).open_jobs()]

    def end(self, error: str | None = None) -> None:
        job = self.jobs.claim(["b"], self.now_ms)
        assert job is not None
        assert (job.kind, job.spec) == ("export", {"uri": "file:///data", "widths": ["1m", "1h"]})
        assert self.jobs.finish(job.job_id, error)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(create_sqlite_store(tmp_path / "metrics.sqlite3"))


def test_each_end_of_the_closed_hours_is_exported_once(lab: Lab) -> None:
    assert lab.open() == [1]
    assert lab.open() == [1]
    lab.end()
    assert lab.open() == []
    lab.close_hours(ELEVEN_MS + HOUR_MS)
    assert lab.open() == [2]


def test_a_failed_export_is_tried_again_after_a_pause_that_grows(lab: Lab) -> None:
    lab.open()
    lab.end("the folder is full")

    assert lab.open() == []
    lab.now_ms += 59_999
    assert lab.open() == []
    lab.now_ms += 1
    assert lab.open() == [2]
    lab.end("the folder is full")
    lab.open()
    lab.now_ms += 119_999
    assert lab.open() == []
    lab.now_ms += 1
    assert lab.open() == [3]
    lab.end()
    assert lab.open() == []


def test_a_cancelled_export_is_not_tried_again_for_the_same_hours(lab: Lab) -> None:
    lab.open()
    JobQueue(lab.store).cancel(1)

    assert lab.open() == []
    lab.close_hours(ELEVEN_MS + HOUR_MS)
    assert lab.open() == [2]


def test_a_process_that_starts_takes_the_open_export_for_its_own(lab: Lab) -> None:
    lab.open()
    lab.schedule = lab.started(lab.url)

    assert lab.open() == [1]
    lab.end()
    assert lab.open() == []


def test_a_target_without_a_closed_hour_is_not_exported(lab: Lab) -> None:
    lab.close_hours(-HOUR_MS)

    assert lab.open() == []


def test_the_pause_has_an_upper_limit() -> None:
    schedule = TargetSchedule()

    for _ in range(40):
        schedule.ended(ELEVEN_MS, failed=True)

    assert schedule.not_before_ms == ELEVEN_MS + 1_800_000
