"""The task groups of this process, by kind and flow: made by the coordinator, run by Celery jobs."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog

from replication.domain.identifiers import TaskId, TaskKind
from replication.worker.task_group import TaskGroup

log = structlog.get_logger(__name__)
Group = TaskGroup[Any]  # slots take slot specs, planners and heartbeats take flow orders


@dataclass(frozen=True, slots=True, order=True)
class GroupKey:
    kind: TaskKind
    target: str
    source: str

    @classmethod
    def of(cls, target: str, task: TaskId) -> "GroupKey":
        return cls(task.kind, target, task.source)


class GroupRegistry:
    """Any thread."""

    def __init__(self, make: Callable[[GroupKey], Group]) -> None:
        self._make = make
        self._groups: dict[GroupKey, Group] = {}
        self._lock = threading.Lock()

    def get(self, key: GroupKey) -> Group:
        """The group, made when there is none yet."""
        with self._lock:
            if key not in self._groups:
                self._groups[key] = self._make(key)
            return self._groups[key]

    def items(self) -> list[tuple[GroupKey, Group]]:
        with self._lock:
            return sorted(self._groups.items())

    def run(self, key: GroupKey, epoch: str) -> None:
        """The body of a job: park until the group has nothing to do. Messages that nobody waits for are dropped."""
        with self._lock:
            group = self._groups.get(key)
        if group is None or not group.ticket.begin(epoch):
            log.debug("start message dropped", kind=key.kind, target=key.target, source=key.source)
            return
        try:
            group.run()
        finally:
            group.ticket.end()
