"""The status of a task of this process, for its live state and for the decision to release its lease."""

from dataclasses import dataclass, field
from typing import Any

from replication.domain.errors import Cause
from replication.domain.health.flow_status import TaskState


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStatus:
    """`fields` are the live state of the task's kind; `fenced` means that another owner has taken over."""

    state: TaskState
    since_ms: int
    cause: Cause | None = None
    fenced: bool = False
    fields: dict[str, Any] = field(default_factory=dict)  # JSON of the kind
