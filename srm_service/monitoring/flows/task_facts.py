"""The facts about a task, from its live report."""

from typing import get_args

from replication.domain.health.flow_facts import StatusCause, TaskFact, TaskState
from srm_service.monitoring.flows.live_state import LiveTask

_TASK_STATES: tuple[TaskState, ...] = get_args(TaskState)


def task_fact(task: LiveTask) -> TaskFact:
    """Return the facts of one report; an unknown state counts as failed."""
    state: TaskState = next((known for known in _TASK_STATES if known == task.state), "failed")
    states = task.fields.get("states")
    return TaskFact(
        state=state,
        since_ms=task.since_ms,
        cause=cause_of(task.fields.get("cause")),
        partition_states={str(name): int(count) for name, count in states.items()} if isinstance(states, dict) else {},
        open_gaps=int(task.number("open_gaps") or 0),
        driver=task.driver,
        records_per_second=task.number("records_per_second") or 0.0,
        frozen_ms=task.frozen_ms,
    )


def cause_of(raw: object) -> StatusCause | None:
    """Return a cause of a report; None if it is none."""
    if not isinstance(raw, dict):
        return None
    topic, partition, since = raw.get("topic"), raw.get("partition"), raw.get("since_ms")
    return StatusCause(
        code=str(raw.get("code", "unknown")),
        text=str(raw.get("text", "")),
        topic=None if topic is None else str(topic),
        partition=partition if isinstance(partition, int) else None,
        since_ms=since if isinstance(since, int) else None,
    )
