"""The figures of a minute, and when a query reports them."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql.streaming.query import StreamingQuery
from structlog.testing import capture_logs

from metrics.reporting import query_report
from metrics.reporting.query_minute import BatchProgress, Counted, QueryMinute, TaskTime
from metrics.reporting.query_report import QueryReport, ended_batches
from metrics.stream.ledger import LedgerEntry, RawLog, raw_lag
from replication.domain.errors import ClusterUnreachableError

RAW = ("srm-metrics.a.internal", 0)
NOW_MS = 1_790_000_000_000


def test_the_figures_of_a_minute() -> None:
    minute = QueryMinute(before=Counted(reports=1_000, bad_records=1))
    minute.add([BatchProgress(number=1, duration_ms=300, raw_records=30)], TaskTime(executor_ms=400, busy_ms=200))
    minute.add(
        [
            BatchProgress(number=2, duration_ms=500, raw_records=60),
            BatchProgress(number=3, duration_ms=100, raw_records=30),
        ],
        TaskTime(executor_ms=800, busy_ms=400),
    )

    assert minute.figures(Counted(reports=7_000, bad_records=4), 12, 60.0) == {
        "batches": 3,
        "batch_p50_ms": 300,
        "batch_max_ms": 500,
        "raw_records_per_second": 2.0,
        "reports_per_second": 100.0,
        "raw_lag_offsets": 12,
        "executor_ms_per_second": 20.0,
        "driver_ms_per_second": 5.0,
        "bad_records": 3,
    }


def test_a_minute_without_a_batch_has_rates_of_zero_and_unknown_durations() -> None:
    figures = QueryMinute().figures(Counted(), None, 60.0)

    assert (figures["batches"], figures["reports_per_second"], figures["executor_ms_per_second"]) == (0, 0.0, 0.0)
    assert (figures["batch_p50_ms"], figures["batch_max_ms"], figures["raw_lag_offsets"]) == (None, None, None)


def test_one_record_in_a_minute_shows_in_the_rate() -> None:
    minute = QueryMinute()
    minute.add([BatchProgress(number=1, duration_ms=5, raw_records=1)], None)

    assert minute.figures(Counted(), 0, 60.0)["raw_records_per_second"] == 0.017


def test_task_time_that_spark_did_not_tell_once_is_unknown_for_the_minute() -> None:
    minute = QueryMinute()
    minute.add([], None)
    minute.add([], TaskTime(executor_ms=9, busy_ms=9))

    assert minute.figures(Counted(), 0, 60.0)["executor_ms_per_second"] is None


@pytest.mark.parametrize(
    ("entry", "lag"),
    [
        (LedgerEntry("aa", 40), 60),
        (LedgerEntry("aa", 5), 90),  # offsets before the log start are gone
        (LedgerEntry("aa", 120), 0),
        (LedgerEntry("bb", 40), 90),  # re-created
        (None, 90),
    ],
)
def test_raw_lag_is_what_exists_and_is_not_counted(entry: LedgerEntry | None, lag: int) -> None:
    ledger = {} if entry is None else {RAW: entry}

    assert raw_lag(ledger, {RAW: RawLog("aa", 10, 100)}) == lag


class Progress:
    """A batch as the JVM's object tells it."""

    def __init__(self, number: int, records: int) -> None:
        self.batchId = lambda: number
        self.numInputRows = lambda: records
        self.batchDuration = lambda: 100 + number


def query_with(*progress: Progress) -> StreamingQuery:
    found = SimpleNamespace(runId="run", _jsq=SimpleNamespace(recentProgress=lambda: progress))
    return cast("StreamingQuery", found)


def test_reports_of_an_idle_query_with_the_number_of_its_next_batch_are_no_batches() -> None:
    query = query_with(Progress(4, 9), Progress(5, 8), Progress(6, 0), Progress(6, 0), Progress(6, 7), Progress(7, 0))

    assert [batch.number for batch in ended_batches(query, 4)] == [5, 6]
    assert ended_batches(query, 6) == []


class Around:
    """The store, the cluster, Spark and the batches, as a report sees them."""

    def __init__(self) -> None:
        self.counted = Counted()
        self.ledger = {RAW: LedgerEntry("aa", 90)}
        self.said: list[tuple[Mapping[str, Any], str]] = []
        self.warnings: list[str] = []
        self.warning = ""
        self.is_reachable = True

    def logs(self) -> dict[tuple[str, int], RawLog]:
        if not self.is_reachable:
            raise ClusterUnreachableError("b does not answer")
        return {RAW: RawLog("aa", 0, 100)}

    def report(self, figures: Mapping[str, Any], warning: str, now_ms: int) -> None:
        assert now_ms == NOW_MS
        self.said.append((figures, warning))

    def warn(self, warning: str) -> None:
        self.warnings.append(warning)

    def executor_warning(self, now_ms: int) -> str:
        return self.warning

    def task_time(self, run_id: str, after_job: int) -> tuple[TaskTime, int]:
        return TaskTime(executor_ms=120, busy_ms=60), after_job + 1


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(query_report, "time", found)
    return found


def report_of(around: Around, *progress: Progress) -> QueryReport:
    return QueryReport("b", query_with(*progress), around, around, around, around, lambda: NOW_MS)


def run_for(report: QueryReport, clock: Clock, seconds: int) -> None:
    for _ in range(seconds):
        clock.now_s += 1
        report.run_due()


def test_a_query_says_one_line_a_minute_and_stores_the_same_figures(clock: Clock) -> None:
    around = Around()
    report = report_of(around, Progress(1, 10), Progress(2, 20))

    with capture_logs() as lines:
        run_for(report, clock, 59)
        assert around.said == []
        around.counted = Counted(reports=600)
        run_for(report, clock, 61)

    first, second = (figures for figures, _ in around.said)
    assert [line["event"] for line in lines] == ["raw metrics counted"] * 2
    assert {name: lines[0][name] for name in first} == first
    assert lines[0]["target"] == "b"
    assert (first["batches"], first["reports_per_second"], first["raw_lag_offsets"]) == (2, 10.0, 10)
    assert first["executor_ms_per_second"] == 12.0
    assert (second["batches"], second["reports_per_second"]) == (0, 0.0)


def test_a_cluster_that_does_not_answer_leaves_only_the_lag_unknown(clock: Clock) -> None:
    around = Around()
    around.is_reachable = False
    run_for(report_of(around, Progress(1, 10)), clock, 60)

    assert (around.said[0][0]["raw_lag_offsets"], around.said[0][0]["batches"]) == (None, 1)


def test_a_warning_is_stored_within_ten_seconds_and_again_when_it_ends(clock: Clock) -> None:
    around = Around()
    report = report_of(around)
    assert around.warnings == [""], "what an earlier process warned of has ended"

    around.warning = "Executor 3 on host x: 5 failed tasks."
    with capture_logs() as lines:
        run_for(report, clock, 30)
        around.warning = ""
        run_for(report, clock, 10)

    assert around.warnings == ["", "Executor 3 on host x: 5 failed tasks.", ""]
    assert [line["warning"] for line in lines] == ["Executor 3 on host x: 5 failed tasks."]


def test_the_query_that_follows_a_failed_one_stores_the_warning_at_once(clock: Clock) -> None:
    around = Around()
    around.warning = "Executor 3 on host x: 5 failed tasks."

    report_of(around)

    assert around.warnings == ["Executor 3 on host x: 5 failed tasks."]
