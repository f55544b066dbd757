"""Decides whether a flow has lost one of its clusters, which one, and by what cause that shows.

Every place that names the cause of an interruption asks here, so that an outage has one name from its first second: the
tasks notice it before the next run of the planner does.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from replication.domain.errors import AuthenticationError
from replication.domain.health.flow_facts import CLUSTER_UNREACHABLE, FlowFacts, StatusCause, TaskFact

_CODES = (CLUSTER_UNREACHABLE, AuthenticationError.code)


def unreachable(facts: FlowFacts) -> str | None:
    """Return the cluster that does not answer, as the beginning of a sentence; None when all answer."""
    plan = facts.plan
    if plan is not None and plan.source_reachable is False:
        return f"Cluster {facts.source}"
    if plan is not None and plan.target_reachable is False:
        return f"Cluster {facts.target}"
    everybody = [*facts.source_tasks, *([plan.task] if plan is not None else [])]
    is_any_running = any(task.state == "running" for task in facts.source_tasks)
    if not is_any_running and any(map(has_lost_cluster, everybody)):
        return _named(facts, (task.cause for task in everybody if has_lost_cluster(task)))
    if _all_wait(facts) and all(task.cause and task.cause.code == CLUSTER_UNREACHABLE for task in facts.source_tasks):
        return _named(facts, (task.cause for task in facts.source_tasks))
    return None


def lost_cause(facts: FlowFacts) -> StatusCause | None:
    """Return the first cause that tells of the lost cluster, else the first one."""
    causes = list(_causes(facts))
    return first_of(cause for cause in causes if cause.code in _CODES) or first_of(causes)


def has_lost_cluster(task: TaskFact) -> bool:
    return task.state == "failed" and task.cause is not None and task.cause.code == CLUSTER_UNREACHABLE


def first_of(causes: Iterable[StatusCause]) -> StatusCause | None:
    """Return the oldest cause."""
    return min(causes, key=lambda cause: cause.since_ms or 0, default=None)


def partition_states(facts: FlowFacts) -> Mapping[str, int]:
    """Live counts where tasks report, else what the metrics store last saw."""
    if not facts.source_tasks:
        return facts.metric_states
    counts: dict[str, int] = {}
    for task in facts.source_tasks:
        for state, count in task.partition_states.items():
            counts[state] = counts.get(state, 0) + count
    return counts


def _all_wait(facts: FlowFacts) -> bool:
    """True when tasks report, and all their partitions are stalled."""
    states = partition_states(facts)
    total = sum(states.values())
    return bool(facts.source_tasks) and total > 0 and states.get("stalled", 0) == total


def _causes(facts: FlowFacts) -> Iterator[StatusCause]:
    tasks = [*facts.source_tasks, *([facts.plan.task] if facts.plan is not None else [])]
    yield from (task.cause for task in tasks if task.cause is not None)


def _named(facts: FlowFacts, causes: Iterable[StatusCause | None]) -> str:
    """Return the cluster that the causes name; both if they name none, or each."""
    text = " ".join(cause.text for cause in causes if cause is not None)
    both = (facts.source, facts.target)
    named = [alias for alias in both if re.search(rf"\b{re.escape(alias)}(?![\w-])", text)]
    return f"Cluster {named[0]}" if len(named) == 1 else f"Cluster {facts.source} or {facts.target}"
