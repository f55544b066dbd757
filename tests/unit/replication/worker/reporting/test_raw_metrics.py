"""Raw metrics of the control worker: their shape, their topic, and that a dead cluster never holds anybody up."""

import json
import threading
from collections.abc import Sequence
from typing import Any

from replication.domain.identifiers import TaskId
from replication.domain.plan.slot import ClusterClient
from replication.worker.assignment.task_status import TaskStatus
from replication.worker.reporting.documents import DriverProcess
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.reporting.raw_metrics import RawMetrics, Report

TARGET = ClusterClient(alias="west", bootstrap=("w:1",))
PROCESS = DriverProcess(driver="d1", role="control", boot="b1", host="h", pid=1, version="0", started_ms=0)
PLAN = Report(
    target=TARGET,
    task=TaskId("east", "plan", 0),
    generation=0,
    status=TaskStatus(
        state="running", since_ms=0, fields={"topics": 2, "partitions": 6, "warnings": [], "skipped": []}
    ),
)
HEARTBEAT = Report(
    target=TARGET,
    task=TaskId("east", "heartbeat", 0),
    generation=0,
    status=TaskStatus(state="running", since_ms=0, fields={"last_sent_ms": 7, "age_ms": None}),
)
NEW = Report(
    target=TARGET, task=TaskId("north", "plan", 0), generation=0, status=TaskStatus(state="starting", since_ms=0)
)


class Producer:
    def __init__(self, gate: threading.Event | None = None) -> None:
        self.sent: list[tuple[str, bytes | None, dict[str, Any]]] = []
        self._gate = gate

    def send(
        self,
        topic: str,
        *,
        key: bytes | None,
        value: bytes | None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes]] = (),
    ) -> None:
        if self._gate is not None:
            self._gate.wait(10.0)
        self.sent.append((topic, key, json.loads(value or b"{}")))

    def flush(self, timeout_s: float = 10.0) -> None:
        return

    def close(self) -> None:
        return


def test_a_clock_that_is_set_back_delays_no_period_and_none_ends_before_it_begins() -> None:
    producer = Producer()
    metrics = RawMetrics(PROCESS, lambda cluster: producer)
    metrics.start()
    metrics.is_due(3_600_000)

    assert not metrics.is_due(1_000)
    assert metrics.is_due(6_000)
    metrics.report([PLAN], ProcessLoad(), 6_000)
    metrics.stop(5.0)

    assert {(value["from_ms"], value["to_ms"]) for _, _, value in producer.sent} == {(1_000, 6_000)}


def test_a_period_tells_of_planner_heartbeat_and_driver() -> None:
    producer = Producer()
    metrics = RawMetrics(PROCESS, lambda cluster: producer)
    metrics.start()
    assert not metrics.is_due(1_000)
    assert metrics.is_due(6_000)

    metrics.report([HEARTBEAT, PLAN, NEW], ProcessLoad(), 6_000)
    metrics.stop(5.0)

    by_kind = {value["kind"]: (topic, key, value) for topic, key, value in producer.sent}
    assert set(by_kind) == {"connector", "heartbeat", "driver"}
    topic, key, connector = by_kind["connector"]
    assert (topic, key) == ("srm-metrics.east.internal", b"east/plan/0")
    assert connector == {
        "v": 1,
        "kind": "connector",
        "source": "east",
        "target": "west",
        "task": "east/plan/0",
        "driver": "d1",
        "boot": "b1",
        "generation": 0,
        "seq": connector["seq"],
        "from_ms": 1_000,
        "to_ms": 6_000,
        "topics": 2,
        "partitions": 6,
        "warnings": [],
    }
    assert (by_kind["heartbeat"][2]["sent_ms"], by_kind["heartbeat"][2]["age_ms"]) == (7, None)
    assert by_kind["driver"][2]["loop_lag_ms"] is None
    assert len({value["seq"] for _, _, value in producer.sent}) == 3


def test_a_cluster_that_takes_nothing_costs_periods_but_no_time() -> None:
    gate = threading.Event()
    metrics = RawMetrics(PROCESS, lambda cluster: Producer(gate))
    metrics.start()

    for period in range(10):
        metrics.report([HEARTBEAT], ProcessLoad(), 5_000 * period)

    assert metrics.dropped_records > 0
    gate.set()


def test_the_rows_of_groups_are_reported_with_the_checkpoint_task() -> None:
    producer = Producer()
    metrics = RawMetrics(PROCESS, lambda cluster: producer)
    metrics.start()
    metrics.is_due(1_000)
    row = ["app", "orders", 0, 7, 7, 10, None]
    checkpoints = Report(
        target=TARGET,
        task=TaskId("east", "checkpoint", 1),
        generation=0,
        status=TaskStatus(state="running", since_ms=0, fields={"interval_ms": 60_000}),
        rows=([row], [row]),
    )

    metrics.report([checkpoints], ProcessLoad(), 6_000)
    metrics.stop(5.0)

    groups = [value for _, _, value in producer.sent if value["kind"] == "group"]
    assert [each["groups"] for each in groups] == [[row], [row]]
    assert {each["task"] for each in groups} == {"east/checkpoint/1"}
