"""The status of a task of this process, for its live state and for the decision to release its lease."""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from replication.domain.errors import Cause
from replication.domain.health.flow_facts import TaskState

Rows = Sequence[Sequence[Any]]  # JSON


class GroupRows:
    """Rows of raw metrics by record, which a job adds and the coordinator thread takes. Thread-safe."""

    def __init__(self, most_records: int = 200) -> None:
        self._most = most_records
        self._lock = threading.Lock()
        self._records: list[Rows] = []

    def add(self, records: Iterable[Rows]) -> None:
        """The oldest are dropped if no one takes them."""
        with self._lock:
            self._records = [*self._records, *records][-self._most :]

    def drain(self) -> list[Rows]:
        with self._lock:
            taken, self._records = self._records, []
        return taken


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """The report of a checkpoint task for others: its newest summary, and rows of raw metrics that are taken once."""

    summary: bytes
    rows: GroupRows


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStatus:
    """`fields` are the live state of the task's kind; `fenced` means that another owner has taken over."""

    state: TaskState
    since_ms: int
    cause: Cause | None = None
    fenced: bool = False
    fields: dict[str, Any] = field(default_factory=dict)  # JSON of the kind
