"""The tasks that drivers report: where each runs, since when, and why it runs there."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from replication.domain.assignment.assignment import DriverRole
from replication.domain.assignment.move import MOVE_REASONS, MOVE_TEXTS, MoveReason
from replication.domain.health.flow_facts import StatusCause, TaskState
from replication.domain.identifiers import TASK_KINDS, TaskKind
from srm_service.core.clock import now_ms
from srm_service.monitoring.flows.live_state import LiveSnapshot, LiveTask
from srm_service.monitoring.flows.task_facts import cause_of, task_fact


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMove:
    """The last move of a task."""

    at_ms: int
    reason: MoveReason
    text: str
    from_driver: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskNow:
    """A task as its driver reports it."""

    task: Annotated[str, "<source>/<kind>/<slot>"]
    kind: TaskKind
    source: str
    target: str
    driver: Annotated[str | None, "id of the process that runs it; null: no driver has it"]
    role: DriverRole
    boot: str | None
    state: TaskState
    since_ms: Annotated[int, "since when it is in this state"]
    generation: Annotated[int | None, "plan generation of its lease; 0 for tasks without slots of a plan"]
    moved: Annotated[TaskMove | None, "its last move, and why; null: the driver does not report it"]
    cause: StatusCause | None
    last_error: Annotated[StatusCause | None, "the newest cause since the task is here, also if it is over"]
    frozen_ms: Annotated[int, "how old the numbers were when they were sent; above 5000 the copying loop does not run"]
    live_age_ms: int
    applied_revision: int | None
    partitions: int | None
    records_per_second: float | None
    bytes_per_second: float | None
    lag_offsets: int | None

    @property
    def key(self) -> str:
        return f"{self.target}:{self.task}"


def tasks_now(live: LiveSnapshot) -> tuple[TaskNow, ...]:
    """Return all fresh reports by target and task."""
    at_ms = now_ms()
    rows = (row for found in live.tasks.values() for row in _rows(found, at_ms))
    return tuple(sorted(rows, key=lambda row: row.key))


def role_of_kind(kind: str) -> DriverRole:
    """Return the role of the processes that run tasks of this kind."""
    return "data" if kind == "source" else "control"


def _rows(tasks: Iterable[LiveTask], at_ms: int) -> Iterable[TaskNow]:
    for task in tasks:
        kind = next((known for known in TASK_KINDS if known == task.kind), None)
        if kind is not None:
            yield _row(task, kind, at_ms)


def _row(task: LiveTask, kind: TaskKind, at_ms: int) -> TaskNow:
    fact, boot = task_fact(task), task.fields.get("boot")
    return TaskNow(
        task=task.task,
        kind=kind,
        source=task.flow.source,
        target=task.flow.target,
        driver=task.driver or None,
        role=role_of_kind(kind),
        boot=str(boot) if boot else None,
        state=fact.state,
        since_ms=task.since_ms,
        generation=_whole(task, "generation") if task.driver else None,
        moved=_moved(task.fields.get("moved")),
        cause=fact.cause,
        last_error=cause_of(task.fields.get("last_error")),
        frozen_ms=task.frozen_ms,
        live_age_ms=max(0, at_ms - task.sent_ms),
        applied_revision=_whole(task, "applied_revision"),
        partitions=_whole(task, "partitions"),
        records_per_second=task.number("records_per_second"),
        bytes_per_second=task.number("bytes_per_second"),
        lag_offsets=_whole(task, "lag_offsets"),
    )


def _whole(task: LiveTask, name: str) -> int | None:
    value = task.number(name)
    return None if value is None else int(value)


def _moved(raw: object) -> TaskMove | None:
    if not isinstance(raw, dict):
        return None
    reason = next((known for known in MOVE_REASONS if known == raw.get("reason")), None)
    at_ms, before = raw.get("at_ms"), raw.get("from_driver")
    if reason is None or not isinstance(at_ms, int):
        return None
    return TaskMove(
        at_ms=at_ms, reason=reason, text=MOVE_TEXTS[reason], from_driver=None if before is None else str(before)
    )
