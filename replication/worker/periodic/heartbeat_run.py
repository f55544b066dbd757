"""Sends the heartbeats of one flow and reports their age in the live state."""

from collections.abc import Callable
from typing import Any, Protocol

from replication.domain.health.heartbeat import HeartbeatState, next_beat_ms
from replication.worker.assignment.task_status import TaskReport
from replication.worker.jobs.task_group import FlowOrder


class HeartbeatSender(Protocol):
    """A heartbeat task with its connections."""

    @property
    def interval_ms(self) -> int:
        """The time between two heartbeats."""

    def prepare(self, now_ms: int) -> None: ...

    def beat(self, now_ms: int) -> HeartbeatState: ...

    def close(self) -> None: ...


OpenHeartbeatSender = Callable[[FlowOrder], HeartbeatSender]


class HeartbeatRun:
    """Calls the heartbeat task and keeps its last state."""

    def __init__(self, sender: HeartbeatSender) -> None:
        self._sender = sender
        self._state: HeartbeatState | None = None
        self._ran_ms = 0

    @property
    def interval_ms(self) -> int:
        sent_ms = None if self._state is None else self._state.last_sent_ms
        return next_beat_ms(sent_ms, self._sender.interval_ms, self._ran_ms)

    def prepare(self, now_ms: int) -> None:
        self._sender.prepare(now_ms)

    def run_once(self, now_ms: int) -> None:
        self._ran_ms = now_ms
        self._state = self._sender.beat(now_ms)

    def apply_order(self, order: FlowOrder) -> bool:
        return False

    def report(self) -> TaskReport | None:
        return None

    def live(self) -> dict[str, Any]:
        state = self._state
        return {
            "last_sent_ms": None if state is None else state.last_sent_ms,
            "age_ms": None if state is None else state.age_ms,
            "written_ms": None if state is None else state.written_ms,
        }

    def close(self) -> None:
        self._sender.close()
