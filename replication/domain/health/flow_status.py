"""The one place that says how a replication flow is doing, why, and since when.

The table is read from the top and the first row that holds wins. Reasons are whole sentences: an operator who is
woken at night reads the reason and knows where to search, without knowing how this program works.
"""

from collections.abc import Callable, Iterable

from replication.domain.errors import AuthenticationError
from replication.domain.health.checkpoint_complaints import checkpoint_cause, checkpoint_complaints
from replication.domain.health.flow_facts import (
    CLUSTER_UNREACHABLE,
    LOOP_FROZEN,
    RECORDS_WAIT,
    RETENTION_NEAR,
    FlowFacts,
    FlowStatus,
    FlowStatusWord,
    StatusCause,
    TaskFact,
    Thresholds,
)
from replication.domain.health.lost_cluster import (
    first_of,
    has_lost_cluster,
    lost_cause,
    partition_states,
    unreachable,
)
from replication.domain.health.partition_state import BAD_STATES, MOVING_STATES
from replication.domain.sentences import sentence

_Rule = Callable[[FlowFacts, Thresholds, int], FlowStatus | None]


def derive_status(facts: FlowFacts, now_ms: int, thresholds: Thresholds | None = None) -> FlowStatus:
    """Go through the status table; some row always holds."""
    thresholds = thresholds or Thresholds()
    for rule in _RULES:
        status = rule(facts, thresholds, now_ms)
        if status is not None:
            return status
    return _healthy(facts)


def _disabled(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> FlowStatus | None:
    if facts.enabled:
        return None
    return FlowStatus(status="disabled", reason="Replication is switched off; at most heartbeats are sent.")


def _paused(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> FlowStatus | None:
    if not (facts.paused or facts.stopped):
        return None
    who = f" by {facts.pause_by}" if facts.pause_by else ""
    why = f": {facts.pause_reason}" if facts.pause_reason else ""
    end = "." if facts.pause_until_ms is None else f", for another {_duration(facts.pause_until_ms - now_ms)}."
    verb = "Stopped" if facts.stopped else "Paused"
    return FlowStatus(status="paused", reason=f"{verb}{who}{why}{end}", since_ms=facts.pause_since_ms)


def _copies_nothing(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> FlowStatus | None:
    if not facts.allows_topics:
        return FlowStatus(status="idle", reason="No topic is allowed yet: add one to the allow list of the flow.")
    plan = facts.plan
    planned_none = plan is not None and plan.task.state == "running" and plan.topics == 0
    if plan is None or not planned_none or plan.source_reachable is not True:
        return None
    if (held := plan.held_back) is not None:
        what = "Only heartbeats are copied" if facts.source_tasks else "Nothing is copied"
        text = f"{what}, {held.topic} is held back: {held.text.rstrip('.')}."
        return FlowStatus(status="degraded", reason=text, cause=held, since_ms=plan.task.since_ms)
    what = "Only heartbeats are copied" if facts.source_tasks else "There is nothing to copy"
    text = (
        f"{what}: no topic of {facts.source} matches the allow list, which matches names as they are on "
        f"{facts.source}, prefixes included."
    )
    return FlowStatus(status="idle", reason=text, since_ms=plan.task.since_ms)


def _resumed(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> FlowStatus | None:
    if facts.plan is not None or facts.source_tasks or facts.live_problem or facts.resumed_ms is None:
        return None
    if now_ms - facts.resumed_ms >= thresholds.resume_grace_ms:
        return None
    reason = "The flow continues: its tasks are being given to drivers."
    return FlowStatus(status="starting", reason=reason, since_ms=facts.resumed_ms)


def _unknown(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> FlowStatus | None:
    has_live = facts.plan is not None or bool(facts.source_tasks)
    if has_live or _metrics_are_fresh(facts, thresholds):
        return None
    why = facts.live_problem or f"no driver reports for this flow: is a driver for {facts.target} running?"
    end = "" if why.endswith("?") else "."
    last = "" if facts.metrics_age_ms is None else f" The last metrics are {_duration(facts.metrics_age_ms)} old."
    return FlowStatus(status="unknown", reason=f"Nothing is known: {why}{end}{last}")


def _failed(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> FlowStatus | None:
    if facts.plan is not None and facts.plan.task.state == "failed" and not unreachable(facts):
        return _because("failed", "The planning of this flow failed", facts.plan.task)
    failed = [task for task in facts.source_tasks if task.state == "failed"]
    if failed and all(has_lost_cluster(task) for task in failed):
        return None
    if not failed or len(failed) < max(len(facts.source_tasks), _tasks_total(facts)):
        return None
    first = min(failed, key=_since)
    what = "The task of this flow failed" if len(failed) == 1 else f"All {len(failed)} tasks of this flow failed"
    return _because("failed", what, first)


def _interrupted(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> FlowStatus | None:
    lost = unreachable(facts)
    if lost and not _copies(facts, thresholds):
        text = f"{lost} does not answer; copying continues automatically when it is back."
        cause = lost_cause(facts) or StatusCause(code=CLUSTER_UNREACHABLE, text=f"{lost} does not answer.")
        if cause.code == AuthenticationError.code:
            text = sentence(cause.text, cause.topic)
        return FlowStatus(status="interrupted", reason=text, cause=cause, since_ms=cause.since_ms)
    unassigned = _unassigned(facts)
    if unassigned and len(unassigned) == len(facts.source_tasks):
        return _because("interrupted", "Nothing is copied", min(unassigned, key=_since))
    frozen = _frozen(facts, thresholds)
    if frozen and len(frozen) == len(facts.source_tasks):
        cause = _frozen_cause(frozen, now_ms)
        return FlowStatus(
            status="interrupted", reason=_explained("Nothing moves", cause), cause=cause, since_ms=cause.since_ms
        )
    states = partition_states(facts)
    stalled = states.get("stalled", 0)
    if not stalled or any(states.get(state, 0) for state in MOVING_STATES):
        return None
    first = _first_cause(facts)
    text = f"Nothing moves: {_partitions(stalled)} stalled"
    return FlowStatus(status="interrupted", reason=_explained(text, first), cause=first, since_ms=_cause_since(first))


def _starting(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> FlowStatus | None:
    if facts.source_tasks and any(task.state == "running" for task in facts.source_tasks):
        return None
    if facts.source_tasks:
        text = "The tasks are starting: they fence their predecessors and read their positions."
        return FlowStatus(status="starting", reason=text, since_ms=min(map(_since, facts.source_tasks)))
    if facts.plan is None:
        return None
    waits = "The topics are being looked up." if facts.plan.tasks == 0 else "The plan is made; no task runs yet."
    return FlowStatus(status="starting", reason=waits, since_ms=facts.plan.task.since_ms)


def _degraded(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> FlowStatus | None:
    complaints = list(_complaints(facts, thresholds, now_ms))
    if not complaints:
        return None
    frozen = _frozen(facts, thresholds)
    is_past = bool(unreachable(facts)) and _copies(facts, thresholds)  # the planner's cause
    first = _first_cause(facts, of_planner=not is_past) or (_frozen_cause(frozen, now_ms) if frozen else None)
    cause = first or facts.audit_difference or checkpoint_cause(facts) or next(iter(_wrong_topics(facts)), None)
    return FlowStatus(
        status="degraded",
        reason=_explained(" ".join(map(sentence, complaints)), first or checkpoint_cause(facts)),
        cause=cause,
        since_ms=_cause_since(cause),
    )


def _healthy(facts: FlowFacts) -> FlowStatus:
    states = partition_states(facts)
    total = sum(states.values())
    level = states.get("caught_up", 0)
    reason = "All partitions have caught up with the source." if total and level == total else "All tasks are copying."
    since = max((task.since_ms for task in facts.source_tasks), default=None)
    return FlowStatus(status="healthy", reason=reason, since_ms=since)


_RULES: tuple[_Rule, ...] = (
    _disabled,
    _paused,
    _copies_nothing,
    _resumed,
    _unknown,
    _failed,
    _interrupted,
    _starting,
    _degraded,
)

_CAUSE_PHRASES = {
    RETENTION_NEAR: "records are about to be lost to retention",
    RECORDS_WAIT: "records of the flow's own topics cannot be written",
    AuthenticationError.code: "a cluster refuses the flow's login",
}


def _complaints(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> Iterable[str]:
    """Everything that keeps a running flow from being healthy, worst first."""
    if facts.audit_difference is not None:
        yield facts.audit_difference.text
    failed_tasks = sum(task.state == "failed" for task in facts.source_tasks)
    total = max(len(facts.source_tasks), _tasks_total(facts))
    if failed_tasks:
        yield f"{failed_tasks} of {total} tasks failed"
    elif 0 < len(facts.source_tasks) < total:
        yield f"only {len(facts.source_tasks)} of {total} tasks run"
    if unassigned := _unassigned(facts):
        yield f"{len(unassigned)} of {total} tasks {'has' if len(unassigned) == 1 else 'have'} no driver"
    states = partition_states(facts)
    for state in BAD_STATES:
        if states.get(state, 0):
            yield f"{_partitions(states[state])} {_PARTITION_PHRASES[state]}"
    gaps = sum(task.open_gaps for task in facts.source_tasks)
    if gaps and not states.get("gap", 0):
        yield f"{gaps} open {'gap' if gaps == 1 else 'gaps'}: source records that were not copied"
    codes = {task.cause.code for task in facts.source_tasks if task.cause is not None}
    yield from (text for code, text in _CAUSE_PHRASES.items() if code in codes)
    if not facts.source_tasks:
        why = facts.live_problem or "no driver reports"
        yield f"live state is missing ({why}), the numbers come from the metrics store"
    if frozen := _frozen(facts, thresholds):
        yield f"{len(frozen)} of {total} tasks do not run although their driver reports"
    yield from _without_control(facts, thresholds, now_ms)
    yield from checkpoint_complaints(facts, _running_ms(facts, now_ms) >= thresholds.unplanned_grace_ms)
    yield from (cause.text for cause in _wrong_topics(facts))
    yield from _stale(facts, thresholds, now_ms)
    yield from _crossed(facts, thresholds, now_ms)


def _without_control(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> Iterable[str]:
    """Copying continues without a planner and a heartbeat task, but no one notices what they are there for."""
    if lost := unreachable(facts):
        yield f"{lost} does not answer the planner, so new topics and partitions are not found"
    if _running_ms(facts, now_ms) < thresholds.unplanned_grace_ms:
        return
    if facts.plan is None:
        yield "no driver plans this flow, so new topics and partitions are not found: is a control worker running?"
    if facts.wants_heartbeats and not facts.has_heartbeat_task:
        yield "no driver sends heartbeats for this flow: is a control worker running?"


def _wrong_topics(facts: FlowFacts) -> tuple[StatusCause, ...]:
    return () if facts.plan is None else facts.plan.wrong_topics


def _running_ms(facts: FlowFacts, now_ms: int) -> int:
    """Return for how long the first slot has run."""
    return now_ms - min(map(_since, facts.source_tasks), default=now_ms)


def _unassigned(facts: FlowFacts) -> list[TaskFact]:
    return [task for task in facts.source_tasks if task.state == "unassigned"]


def _frozen(facts: FlowFacts, thresholds: Thresholds) -> list[TaskFact]:
    return [task for task in facts.source_tasks if task.frozen_ms > thresholds.frozen_ms]


def _frozen_cause(frozen: Iterable[TaskFact], now_ms: int) -> StatusCause:
    longest = max(frozen, key=lambda task: task.frozen_ms)
    text = f"The copying loop of driver {longest.driver} has not run for {_duration(longest.frozen_ms)}."
    return StatusCause(code=LOOP_FROZEN, text=text, since_ms=now_ms - longest.frozen_ms)


def _stale(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> Iterable[str]:
    if _metrics_are_fresh(facts, thresholds):
        return
    started_ms = min(map(_since, facts.source_tasks), default=now_ms)
    if now_ms - started_ms < thresholds.metrics_grace_ms:
        return
    if facts.metrics_age_ms is None:
        yield f"no metrics have arrived: {_metrics_remedy(facts)}"
    else:
        yield f"the metrics are {_duration(facts.metrics_age_ms)} old: {_metrics_remedy(facts)}"


def _metrics_remedy(facts: FlowFacts) -> str:
    return (facts.metrics_warning or "check that the metrics process runs").rstrip(".")


def _crossed(facts: FlowFacts, thresholds: Thresholds, now_ms: int) -> Iterable[str]:
    # after a pause the last heartbeat is as old as the pause: the tasks have the usual time to copy the next one
    if _above(facts.heartbeat_age_ms, thresholds.heartbeat_age_ms) and _above(
        _running_ms(facts, now_ms), thresholds.heartbeat_age_ms
    ):
        yield f"no heartbeat has come through for {_duration(facts.heartbeat_age_ms or 0)}"
    if _above(facts.lag_offsets, thresholds.lag_offsets):
        yield f"{facts.lag_offsets:,} records behind, the limit is {thresholds.lag_offsets:,}"
    if _above(facts.latency_p95_ms, thresholds.latency_p95_ms):
        yield f"replication takes {facts.latency_p95_ms:,.0f} ms (p95), the limit is {thresholds.latency_p95_ms:,} ms"


_PARTITION_PHRASES = {
    "failed": "failed",
    "gap": "stopped at a gap",
    "stalled": "stalled",
}


def _above(value: float | None, limit: int | None) -> bool:
    return value is not None and limit is not None and value > limit


def _metrics_are_fresh(facts: FlowFacts, thresholds: Thresholds) -> bool:
    return facts.metrics_age_ms is not None and facts.metrics_age_ms <= thresholds.metrics_stale_ms


def _tasks_total(facts: FlowFacts) -> int:
    return facts.plan.tasks if facts.plan is not None else 0


def _copies(facts: FlowFacts, thresholds: Thresholds) -> bool:
    """True when records arrive: newer evidence that both clusters answer than the last run of the planner."""
    frozen = _frozen(facts, thresholds)
    running = (task for task in facts.source_tasks if task.state == "running" and task not in frozen)
    return any(task.records_per_second > 0 for task in running)


def _first_cause(facts: FlowFacts, *, of_planner: bool = True) -> StatusCause | None:
    tasks = [*facts.source_tasks, *([facts.plan.task] if facts.plan is not None and of_planner else [])]
    causes = [task.cause for task in tasks if task.cause is not None]
    return first_of(causes)


def _because(status: FlowStatusWord, what: str, task: TaskFact) -> FlowStatus:
    return FlowStatus(
        status=status,
        reason=_explained(what, task.cause),
        cause=task.cause,
        since_ms=_cause_since(task.cause) or task.since_ms,
    )


def _explained(text: str, cause: StatusCause | None) -> str:
    """Return the sentence, followed by that of the cause with its place."""
    if cause is None:
        return sentence(text)
    told = sentence(cause.text, cause.topic)
    place = "" if cause.topic is None else f"{cause.topic}{'' if cause.partition is None else f'-{cause.partition}'}"
    if place not in told:
        told = f"{told[:-1]} ({place}){told[-1]}"
    return f"{sentence(text)} {told}"


def _since(task: TaskFact) -> int:
    return task.since_ms


def _cause_since(cause: StatusCause | None) -> int | None:
    return None if cause is None else cause.since_ms


def _partitions(count: int) -> str:
    return f"{count} partition{'' if count == 1 else 's'}"


def _duration(ms: int) -> str:
    seconds = max(0, ms) // 1000
    if seconds < 120:
        return f"{seconds} s"
    minutes = seconds // 60
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
