"""The metrics process counts the rows that a checkpoint task reports, down to its tables."""

from pathlib import Path
from typing import Any

import pytest

from metrics.store.address import connect
from replication.domain.identifiers import TaskId
from replication.domain.plan.slot import ClusterClient
from replication.worker.assignment.task_status import TaskStatus
from replication.worker.reporting.documents import DriverProcess
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.reporting.raw_metrics import RawMetrics, Report
from tests.support.metrics.history_lab import FIRST_MS, CountedHours, count_in_this_process
from tests.support.metrics.metrics_store import create_sqlite_store
from tests.unit.replication.tasks.groups.checkpoint_lab import Lab
from tests.unit.replication.worker.reporting.test_raw_metrics import Producer

PROCESS = DriverProcess(driver="d1", role="control", boot="b1", host="h", pid=1, version="0", started_ms=0)
TASK = TaskId("a", "checkpoint", 0)
RUNNING = TaskStatus(state="running", since_ms=0, fields={"interval_ms": 60_000})


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    count_in_this_process(monkeypatch)
    return create_sqlite_store(tmp_path / "metrics.sqlite3")


def reported(*rounds: Any) -> list[dict[str, Any]]:
    """The raw metrics of kind group that a control worker writes, with the rows of a round every 10 s."""
    producer = Producer()
    metrics = RawMetrics(PROCESS, lambda cluster: producer)
    metrics.start()
    target = ClusterClient(alias="b", bootstrap=("b:1",))
    metrics.is_due(FIRST_MS)
    for number, rows in enumerate(rounds):
        report = Report(target=target, task=TASK, generation=0, status=RUNNING, rows=tuple(rows))
        metrics.report([report], ProcessLoad(), FIRST_MS + 6_000 + number * 10_000)
    metrics.stop(5.0)
    return [value for _, _, value in producer.sent if value["kind"] == "group"]


def rows_of(url: str, sql: str) -> list[tuple[Any, ...]]:
    connection = connect(url)
    try:
        with connection.reading() as opened:
            return [tuple(row) for row in opened.rows(sql)]
    finally:
        connection.close()


def test_lag_checkpoint_latency_and_offsets_of_a_group_are_counted(url: str) -> None:
    lab = Lab()
    lab.copy(10)
    lab.commit("app", 7)
    task = lab.task()
    first = lab.round(task)
    lab.commit("app", 9)
    second = lab.round(task)

    CountedHours(url).take(reported(first.rows, second.rows))

    [now] = rows_of(url, "SELECT consumer_group, topic, partition, committed, checkpointed, log_end FROM group_now")
    assert now == ("app", "orders", 0, 9, 9, 10)
    series = rows_of(url, "SELECT id FROM series WHERE consumer_group = 'app' AND source = 'a' AND target = 'b'")
    assert len(series) == 1
    tiles = rows_of(url, f"SELECT time_ms, records, lag_last FROM tile_group_10s WHERE id = {series[0][0]} ORDER BY 1")
    assert tiles == [(FIRST_MS, 1, 3), (FIRST_MS + 10_000, 1, 1)]
