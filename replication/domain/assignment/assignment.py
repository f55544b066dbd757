"""The tasks that flows need, and the role of the workers that run them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from replication.domain.desired.desired_document import DesiredDocument, DesiredFlow
from replication.domain.identifiers import TaskId

DriverRole = Literal["control", "data"]
ROLES: tuple[DriverRole, ...] = get_args(DriverRole)
TaskKey = tuple[str, TaskId]  # target and task


def role_of(task: TaskId) -> DriverRole:
    """Copying belongs into data workers; everything with JSON and admin calls into control workers."""
    return "data" if task.kind == "source" else "control"


@dataclass(frozen=True, slots=True)
class PlannedSlots:
    """The number of slots in a flow's plan; none while it has no plan."""

    source: int = 0
    checkpoint: int = 0


def tasks_of_flow(flow: DesiredFlow, planned: PlannedSlots, now_ms: int) -> frozenset[TaskId]:
    """The tasks a flow needs now."""
    tasks: set[TaskId] = set()
    if flow.beats(now_ms):
        tasks.add(TaskId(flow.source, "heartbeat", 0))
    if flow.copies(now_ms):
        tasks.add(TaskId(flow.source, "plan", 0))
        tasks.update(TaskId(flow.source, "source", slot) for slot in range(planned.source))
        tasks.update(TaskId(flow.source, "checkpoint", slot) for slot in range(planned.checkpoint))
    return frozenset(tasks)


def next_change_ms(document: DesiredDocument, now_ms: int) -> float:
    """Return when `tasks_of` may next have another result although its arguments are the same: a pause is over."""
    ends = (flow.pause.until_ms for flow in document.flows if flow.pause is not None)
    return min((end for end in ends if end is not None and end > now_ms), default=math.inf)


def tasks_of(document: DesiredDocument, planned: Mapping[str, PlannedSlots], now_ms: int) -> frozenset[TaskId]:
    """All tasks of a target cluster; `planned` by source."""
    flows = (tasks_of_flow(flow, planned.get(flow.source, PlannedSlots()), now_ms) for flow in document.flows)
    return frozenset().union(*flows)
