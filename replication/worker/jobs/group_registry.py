"""The task groups of this process, by kind and flow."""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from replication.domain.identifiers import TaskId, TaskKind
from replication.worker.jobs.source_group import SourceGroup
from replication.worker.periodic.periodic_group import PeriodicGroup

Group = SourceGroup | PeriodicGroup[Any]  # slots take slot specs, the others flow orders


class GroupKey(NamedTuple):
    kind: TaskKind
    target: str
    source: str
    slot: int = 0  # of checkpoint tasks; the source slots of a flow share one group

    @classmethod
    def of(cls, target: str, task: TaskId) -> "GroupKey":
        return cls(task.kind, target, task.source, task.slot if task.kind == "checkpoint" else 0)


class GroupRegistry:
    """Thread-safe."""

    def __init__(self, make: Callable[[GroupKey], Group]) -> None:
        self._make = make
        self._groups: dict[GroupKey, Group] = {}
        self._sorted: list[tuple[GroupKey, Group]] = []
        self._lock = threading.Lock()

    def get(self, key: GroupKey) -> Group:
        """Return the group; creates it on first use."""
        with self._lock:
            if key not in self._groups:
                self._groups[key] = self._make(key)
                self._sorted = sorted(self._groups.items(), key=lambda item: item[0])
            return self._groups[key]

    def items(self) -> list[tuple[GroupKey, Group]]:
        with self._lock:
            return self._sorted
