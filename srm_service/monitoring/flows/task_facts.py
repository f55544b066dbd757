"""The facts about a task, from its live report, and about the clusters that planners have lost."""

from collections.abc import Mapping
from typing import get_args

from replication.domain.errors import AuthenticationError
from replication.domain.health.flow_facts import CLUSTER_UNREACHABLE, StatusCause, TaskFact, TaskState
from srm_service.monitoring.flows.live_state import LiveSnapshot, LiveTask

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


def lost_clusters(live: LiveSnapshot) -> Mapping[str, StatusCause]:
    """Return why and since when clusters do not answer the planners of flows that copy nothing, by alias."""
    lost: dict[str, StatusCause] = {}
    for flow in live.tasks:
        if any(task.number("records_per_second") for task in live.of(flow, "source")):
            continue  # newer evidence that both answer
        for plan in live.of(flow, "plan"):
            for alias, field in ((flow.source, "source_reachable"), (flow.target, "target_reachable")):
                if plan.fields.get(field) is False:
                    lost.setdefault(alias, _lost(alias, plan))
    return lost


def doubted_clusters(live: LiveSnapshot) -> frozenset[str]:
    """Return the clusters of flows that copy nothing while one of their tasks names a cause."""
    doubted: set[str] = set()
    for flow in live.tasks:
        tasks = live.of(flow, "source")
        is_moving = any(task.number("records_per_second") for task in tasks)
        if not is_moving and any(task.fields.get("cause") for task in tasks):
            doubted |= {flow.source, flow.target}
    return frozenset(doubted)


def _lost(alias: str, plan: LiveTask) -> StatusCause:
    known = cause_of(plan.fields.get("cause"))
    is_told = (
        known is not None and known.code in (CLUSTER_UNREACHABLE, AuthenticationError.code) and alias in known.text
    )
    text = known.text if known is not None and is_told else f"Cluster {alias} does not answer."
    since_ms = known.since_ms if known is not None else plan.since_ms
    return StatusCause(code=CLUSTER_UNREACHABLE, text=f"Drivers report: {text}", since_ms=since_ms)
