"""Runs the checkpoint task of one slot and keeps what it reports for the coordinator thread."""

import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Protocol

from replication.domain.groups.group_summary import summary_to_bytes
from replication.tasks.groups.checkpoint_order import CheckpointOrder
from replication.tasks.groups.round_report import RoundReport
from replication.worker.assignment.task_status import GroupRows, TaskReport
from replication.worker.jobs.task_group import CheckpointSlotOrder, FlowOrder

_SHORTEST_MS = 200


class Checkpoints(Protocol):
    """A checkpoint task with its connections."""

    def apply_order(self, order: CheckpointOrder) -> None: ...

    def next_ms(self, now_ms: int) -> int: ...

    def run_once(self, now_ms: int) -> RoundReport: ...

    def close(self) -> None: ...


OpenCheckpoints = Callable[[CheckpointSlotOrder, str, str], Checkpoints]  # order, driver, boot


class CheckpointRun:
    """The work of one checkpoint slot. Its groups, topics, filters and intervals change while it runs."""

    def __init__(self, order: CheckpointSlotOrder, task: Checkpoints) -> None:
        self._order = order
        self._task = task
        self._lock = threading.Lock()
        self._report: RoundReport | None = None
        self._text: bytes | None = None
        self._rows = GroupRows()
        self._now_ms = 0

    @property
    def interval_ms(self) -> int:
        return max(_SHORTEST_MS, self._task.next_ms(self._now_ms) - self._now_ms)

    def run_once(self, now_ms: int) -> None:
        """Do what is due. Raises the error of a source that did not answer after its groups have been judged."""
        self._now_ms = now_ms
        if self._task.next_ms(now_ms) > now_ms:
            return
        report = self._task.run_once(now_ms)
        text = summary_to_bytes(report.summary)
        with self._lock:
            self._report, self._text = report, text
        self._rows.add(report.rows)
        if report.problem is not None:
            raise report.problem

    def apply_order(self, order: FlowOrder) -> bool:
        """Continue with an order of the same slot and clusters, whose records go to the same topic."""
        if not isinstance(order, CheckpointSlotOrder) or order.connections() != self._order.connections():
            return False
        self._order = order
        self._task.apply_order(order.work())
        return True

    def live(self) -> dict[str, Any]:
        with self._lock:
            report = self._report
        settings = self._order.work().settings
        times = None if report is None else report.times
        return {
            "groups": None if report is None else asdict(report.counts),
            "group_lag": None if report is None else report.group_lag,
            "checkpoint_age_ms": None if report is None else report.checkpoint_age_ms,
            "checkpoints_total": 0 if times is None else times.written,
            "last_round_ms": None if times is None else times.round_ms,
            "took_ms": None if times is None else times.took_ms,
            "requests": None if times is None else times.requests,
            "interval_ms": settings.emit_interval_ms,
            "sync": None if report is None else asdict(report.summary.sync),
        }

    def report(self) -> TaskReport | None:
        with self._lock:
            return None if self._text is None else TaskReport(summary=self._text, rows=self._rows)

    def close(self) -> None:
        self._task.close()
