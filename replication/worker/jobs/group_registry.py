"""The task groups of this process, by kind and flow: created by the coordinator, run by Celery jobs."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog

from replication.domain.identifiers import TaskId, TaskKind
from replication.worker.jobs.task_group import TaskGroup

log = structlog.get_logger(__name__)
Group = TaskGroup[Any]  # slots take slot specs, planners and heartbeats take flow orders


@dataclass(frozen=True, slots=True, order=True)
class GroupKey:
    kind: TaskKind
    target: str
    source: str
    slot: int = 0  # of checkpoint tasks, which have a job each; the source slots of a flow share one

    @classmethod
    def of(cls, target: str, task: TaskId) -> "GroupKey":
        return cls(task.kind, target, task.source, task.slot if task.kind == "checkpoint" else 0)


class GroupRegistry:
    """Thread-safe."""

    def __init__(self, make: Callable[[GroupKey], Group]) -> None:
        self._make = make
        self._groups: dict[GroupKey, Group] = {}
        self._lock = threading.Lock()

    def get(self, key: GroupKey) -> Group:
        """Return the group; creates it on first use."""
        with self._lock:
            if key not in self._groups:
                self._groups[key] = self._make(key)
            return self._groups[key]

    def items(self) -> list[tuple[GroupKey, Group]]:
        with self._lock:
            return sorted(self._groups.items())

    def run(self, key: GroupKey, epoch: str) -> None:
        """Run a job until its group has nothing to do. Stale start messages are dropped."""
        with self._lock:
            group = self._groups.get(key)
        if group is None or not group.ticket.begin(epoch):
            log.debug("start message dropped", kind=key.kind, target=key.target, source=key.source)
            return
        try:
            group.run()
        finally:
            group.ticket.end()
