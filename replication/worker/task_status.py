"""Where a task of this process stands, for live state and for the decision to give its lease back."""

from dataclasses import dataclass, field
from typing import Any, Literal

from replication.domain.errors import Cause

TaskState = Literal["starting", "running", "stopping", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStatus:
    """`fields` are those of the task's kind in the live state; `fenced` tells that another owner took over."""

    state: TaskState
    since_ms: int
    cause: Cause | None = None
    fenced: bool = False
    fields: dict[str, Any] = field(default_factory=dict)  # JSON of the kind
