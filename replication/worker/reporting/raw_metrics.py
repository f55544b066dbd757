"""Raw metrics of the control worker: the driver, its planners, its heartbeats (docs/contracts/raw-metrics.md)."""

import itertools
import json
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TaskId
from replication.domain.names.internal_topics import RAW_METRICS
from replication.domain.plan.slot import ClusterClient
from replication.ports.producer import RecordProducer
from replication.worker.assignment.task_status import Rows, TaskStatus
from replication.worker.reporting.documents import DriverProcess, raw_metric
from replication.worker.reporting.process_load import ProcessLoad

log = structlog.get_logger(__name__)
PERIOD_MS = 5_000
OpenProducer = Callable[[ClusterClient], RecordProducer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One task's contribution to a period."""

    target: ClusterClient
    task: TaskId
    generation: int
    status: TaskStatus
    rows: tuple[Rows, ...] = ()  # of consumer groups, by record


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    target: ClusterClient
    topic: str
    key: str
    value: dict[str, Any]


class RawMetrics:
    """Sends raw metrics in a separate thread; `report` never blocks, and a period that does not fit is dropped."""

    def __init__(self, process: DriverProcess, open_producer: OpenProducer) -> None:
        self._process = process
        self._open_producer = open_producer
        self._seq = itertools.count(1)
        self._from_ms: int | None = None
        self._queue: queue.Queue[list[_Record] | None] = queue.Queue(maxsize=3)
        self._producers: dict[str, tuple[ClusterClient, RecordProducer]] = {}
        self._thread = threading.Thread(target=self._send_all, name="srm-raw-metrics", daemon=True)
        self.dropped_records = 0

    def start(self) -> None:
        self._thread.start()

    def is_due(self, now_ms: int) -> bool:
        """A clock that is set back starts the period again: no metric ends before it begins."""
        if self._from_ms is None or now_ms < self._from_ms:
            self._from_ms = now_ms
        return now_ms - self._from_ms >= PERIOD_MS

    def report(self, reports: list[Report], load: ProcessLoad, now_ms: int) -> None:
        """Queue the records of the period that ends now."""
        period = (now_ms if self._from_ms is None else self._from_ms, now_ms)
        self._from_ms = now_ms
        records = [record for report in reports for record in self._task_records(report, period)]
        records += self._driver_records(reports, load, period)
        try:
            self._queue.put_nowait(records)
        except queue.Full:
            self.dropped_records += len(records)

    def stop(self, timeout_s: float) -> None:
        try:
            self._queue.put_nowait(None)
        except queue.Full:
            return  # the thread is blocked by an unreachable cluster; the process ends without it
        self._thread.join(timeout_s)

    def _task_records(self, report: Report, period: tuple[int, int]) -> list[_Record]:
        task = str(report.task)
        if report.task.kind == "checkpoint":
            return [self._make(report, "group", task, {"groups": rows}, period) for rows in report.rows]
        return [self._record(report, period)] if report.status.fields else []

    def _record(self, report: Report, period: tuple[int, int]) -> _Record:
        fields = report.status.fields
        if report.task.kind == "heartbeat":
            kind, body = "heartbeat", {"sent_ms": fields["last_sent_ms"], "age_ms": fields["age_ms"]}
        else:
            kind, body = "connector", {name: fields[name] for name in ("topics", "partitions", "warnings")}
        return self._make(report, kind, str(report.task), body, period)

    def _driver_records(self, reports: list[Report], load: ProcessLoad, period: tuple[int, int]) -> list[_Record]:
        """Once per target cluster, in the topic of its first flow."""
        firsts: dict[str, Report] = {}
        for report in sorted(reports, key=lambda one: one.task):
            firsts.setdefault(report.target.alias, report)
        body = {"cpu_ratio": load.cpu_ratio, "rss_bytes": load.rss_bytes, "loop_lag_ms": load.loop_lag_ms}
        task = f"{self._process.driver}/{self._process.role}"
        return [self._make(report, "driver", task, body, period) for report in firsts.values()]

    def _make(self, report: Report, kind: str, task: str, body: dict[str, Any], period: tuple[int, int]) -> _Record:
        flow = (report.task.source, report.target.alias)
        value = raw_metric(
            self._process, kind, flow, task, body, generation=report.generation, seq=next(self._seq), period=period
        )
        return _Record(target=report.target, topic=RAW_METRICS.name(report.task.source), key=task, value=value)

    def _send_all(self) -> None:
        while (records := self._queue.get()) is not None:
            for record in records:
                self._send(record)
        for _, producer in self._producers.values():
            producer.close()

    def _send(self, record: _Record) -> None:
        try:
            value = json.dumps(record.value, separators=(",", ":")).encode()
            self._producer(record.target).send(record.topic, key=record.key.encode(), value=value)
        except ReplicationError as error:
            self.dropped_records += 1
            log.debug("raw metric dropped", topic=record.topic, error=error.text, dropped=self.dropped_records)

    def _producer(self, target: ClusterClient) -> RecordProducer:
        known = self._producers.get(target.alias)
        if known is not None and known[0] == target:
            return known[1]
        if known is not None:
            known[1].close()
        producer = self._open_producer(target)
        self._producers[target.alias] = (target, producer)
        return producer
