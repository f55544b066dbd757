"""The flows of this service at this moment: the wanted state, the live reports and the metrics store put together.

The REST list and the live publisher both read this, so a program and the page never disagree. Few queries and one
round trip to Redis, independent of the number of flows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import structlog
from django.db import DatabaseError

from replication.domain.health.flow_facts import TOPIC_HELD_BACK, FlowFacts, PlanFact, StatusCause
from replication.domain.health.flow_status import derive_status
from replication.domain.health.heartbeat import age_ms
from replication.domain.health.status_since import status_since_ms
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import HEARTBEATS_TOPIC
from replication.domain.plan.internal_topic_findings import SHAPE_CODES
from replication.domain.reporting.histogram import Histogram
from srm_service.audits.audit_differences import open_differences
from srm_service.core.clock import moment_of, now_ms
from srm_service.core.contracts import Partial
from srm_service.core.kept import Inputs, Kept
from srm_service.flows.contracts import FlowDto
from srm_service.flows.control.in_force import PartCounts, orders_in_force, part_counts
from srm_service.flows.selectors import flow_list
from srm_service.monitoring.contracts import FlowNow, LiveNumbers, Overview
from srm_service.monitoring.flows.flow_estimate import flow_estimate, flow_lag
from srm_service.monitoring.flows.flow_groups import counted_groups, group_numbers
from srm_service.monitoring.flows.freshness import StoreState, store_state
from srm_service.monitoring.flows.live_state import LiveSnapshot, LiveTask, live_snapshot
from srm_service.monitoring.flows.task_facts import cause_of, task_fact

_log = structlog.get_logger(__name__)
METRICS_PEER = "metrics"
_NONE: Mapping[FlowId, StatusCause] = {}


def overview() -> Overview:
    """Never fails because of Redis or the metrics store: `partial` then says what is missing."""
    wanted = tuple(flow for flow in flow_list() if flow.is_reported)
    live, store = live_snapshot(), _store_state(FlowId(flow.source, flow.target) for flow in wanted)
    differ, parts = _NONE if store.problem else _differences(live), part_counts(moment_of(now_ms()))
    inputs = Inputs(live, store, differ, equal=(wanted, parts))  # a reading of the reports is half a second old at most
    return _kept.get(inputs, lambda: _overview(wanted, live, store, differ, parts))


_kept: Kept[Inputs, Overview] = Kept(seconds=1.0, most=2)
_Differences = Mapping[FlowId, StatusCause]


def _overview(
    wanted: tuple[FlowDto, ...],
    live: LiveSnapshot,
    store: StoreState,
    differ: _Differences,
    parts: Mapping[FlowId, PartCounts],
) -> Overview:
    at_ms, flows = now_ms(), []
    for flow in wanted:
        flow_id = FlowId(flow.source, flow.target)
        found = _flow_now(flow, live, store, differ.get(flow_id), at_ms)
        flows.append(replace(found, orders_in_force=orders_in_force(flow, parts.get(flow_id, {}), at_ms)))
    return Overview(as_of_ms=at_ms, flows=tuple(flows), partial=_partial(live, store))


def _store_state(flows: Iterable[FlowId]) -> StoreState:
    try:
        return store_state(frozenset(flows))
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return StoreState(problem="the metrics store does not answer or is not migrated yet")


def _differences(live: LiveSnapshot) -> Mapping[FlowId, StatusCause]:
    try:
        return open_differences(live)
    except DatabaseError as error:
        _log.warning("the audits cannot be read", error=str(error))
        return _NONE


def _partial(live: LiveSnapshot, store: StoreState) -> tuple[Partial, ...]:
    stored = (Partial(peer=METRICS_PEER, error=store.problem),) if store.problem else ()
    return (*live.partial, *stored)


def _flow_now(flow: FlowDto, live: LiveSnapshot, store: StoreState, differs: StatusCause | None, at_ms: int) -> FlowNow:
    flow_id = FlowId(flow.source, flow.target)
    tasks = live.of(flow_id, "source")
    plan = next(iter(live.of(flow_id, "plan")), None)
    beat = next(iter(live.of(flow_id, "heartbeat")), None)
    plan_fact = _plan_fact(plan, live.plans.get(flow_id), flow.policy_separator)
    running = tuple(task for task in tasks if not task.is_frozen)
    planned = len(tasks) if plan_fact is None else plan_fact.tasks
    lag = flow_lag(running, planned, plan_fact)
    numbers = _numbers(running, beat, lag, at_ms) if tasks or beat else store.numbers(flow_id, at_ms)
    reports = [task for task in (*tasks, plan, beat) if task is not None]
    checkpoints = live.of(flow_id, "checkpoint")
    checkpoint_tasks = 0 if plan_fact is None else plan_fact.checkpoint_tasks
    facts = _facts(flow, live, numbers, at_ms, plan=plan_fact, beat=beat, store=store, differs=differs)
    topics, partitions = _counts(plan, live.plans.get(flow_id))
    status = derive_status(facts, at_ms)
    return FlowNow(
        source=flow.source,
        target=flow.target,
        status=replace(status, since_ms=status_since_ms(status, live.noted_statuses.get(str(flow_id)), at_ms)),
        numbers=replace(numbers, **group_numbers(checkpoints, checkpoint_tasks, at_ms)),
        groups=counted_groups(checkpoints, checkpoint_tasks),
        estimate=flow_estimate(running, numbers.lag_offsets),
        topics=topics,
        partitions=partitions,
        tasks_running=sum(task.state == "running" for task in tasks),
        tasks_total=max(len(tasks), facts.plan.tasks if facts.plan is not None else 0),
        metrics_age_ms=facts.metrics_age_ms,
        metrics_warning=facts.metrics_warning,
        live_age_ms=_age_ms(tasks, reports, at_ms),
        served_by=next((task.driver for task in (*tasks, *reports)), None),
        description=flow.description,
    )


def _facts(
    flow: FlowDto,
    live: LiveSnapshot,
    numbers: LiveNumbers,
    at_ms: int,
    *,
    plan: PlanFact | None,
    beat: LiveTask | None,
    store: StoreState,
    differs: StatusCause | None,
) -> FlowFacts:
    flow_id = FlowId(flow.source, flow.target)
    return FlowFacts(
        source=flow.source,
        target=flow.target,
        enabled=flow.enabled,
        paused=flow.state == "pause" and not _is_over(flow.pause_until_ms, at_ms),
        stopped=flow.state == "stop" and not _is_over(flow.pause_until_ms, at_ms),
        pause_reason=flow.pause_reason,
        pause_by=flow.pause_by,
        pause_since_ms=flow.state_since_ms,
        pause_until_ms=flow.pause_until_ms,
        resumed_ms=_resumed_ms(flow, at_ms),
        allows_topics=flow.allows_topics,
        plan=plan,
        wants_heartbeats=flow.heartbeats,
        has_heartbeat_task=beat is not None,
        source_tasks=tuple(task_fact(task) for task in live.of(flow_id, "source")),
        checkpoint_tasks=tuple(task_fact(task) for task in live.of(flow_id, "checkpoint")),
        metrics_age_ms=store.age_ms(flow.target, at_ms),
        metrics_warning=store.warning(flow.target, at_ms),
        metric_states=store.states(flow_id),
        heartbeat_age_ms=numbers.heartbeat_age_ms,
        lag_offsets=numbers.lag_offsets,
        latency_p95_ms=numbers.latency_p95_ms,
        audit_difference=differs,
        live_problem=live.problem,
    )


def _is_over(until_ms: int | None, at_ms: int) -> bool:
    return until_ms is not None and until_ms <= at_ms


def _resumed_ms(flow: FlowDto, at_ms: int) -> int | None:
    """Return since when the flow is to run again after a pause or a stop."""
    if flow.state == "run":
        return flow.state_since_ms
    return flow.pause_until_ms if _is_over(flow.pause_until_ms, at_ms) else None


def _plan_fact(report: LiveTask | None, plan: Mapping[str, object] | None, separator: str) -> PlanFact | None:
    if report is None:
        return None
    heartbeats = _heartbeat_topics(plan, separator)
    slots = plan.get("slots") if plan is not None else None
    return PlanFact(
        task=task_fact(report),
        checkpoint_tasks=int(report.number("checkpoint_tasks") or 0),
        groups_problem=cause_of(report.fields.get("groups_problem")),
        topics=max(0, int(report.number("topics") or 0) - heartbeats),
        tasks=len(slots) if isinstance(slots, list) else 0,
        source_reachable=_flag(report.fields.get("source_reachable")),
        target_reachable=_flag(report.fields.get("target_reachable")),
        wrong_topics=_wrong_topics(report.fields.get("warnings")),
        held_back=_held_back(report.fields.get("skipped")),
    )


def _wrong_topics(warnings: object) -> tuple[StatusCause, ...]:
    """Return the warnings of the plan that are about the shape of internal topics."""
    found = warnings if isinstance(warnings, list) else []
    causes = (cause_of(warning) for warning in found)
    return tuple(cause for cause in causes if cause is not None and cause.code in SHAPE_CODES)


def _held_back(skipped: object) -> StatusCause | None:
    """Return the first topic that the plan selects and cannot copy."""
    first = next(iter(skipped), None) if isinstance(skipped, list) else None
    if not isinstance(first, dict):
        return None
    return StatusCause(code=TOPIC_HELD_BACK, text=str(first.get("reason", "")), topic=str(first.get("topic", "")))


def _heartbeat_topics(plan: Mapping[str, object] | None, separator: str) -> int:
    """Return the number of heartbeat topics in the plan: no filter stops them, and they are no user's."""
    topics = plan.get("topics") if plan is not None else None
    names = [str(topic.get("upstream")) for topic in topics] if isinstance(topics, list) else []
    return sum(name == HEARTBEATS_TOPIC or name.endswith(f"{separator}{HEARTBEATS_TOPIC}") for name in names)


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _counts(report: LiveTask | None, plan: Mapping[str, object] | None) -> tuple[int | None, int | None]:
    """Topics and partitions: as the connector reports, else as planned last."""
    if report is not None and report.number("topics") is not None:
        return int(report.number("topics") or 0), int(report.number("partitions") or 0)
    topics = plan.get("topics") if plan is not None else None
    if isinstance(topics, list):
        return len(topics), sum(int(topic.get("partitions", 0)) for topic in topics)
    return None, None


def _numbers(tasks: tuple[LiveTask, ...], beat: LiveTask | None, lag: int | None, at_ms: int) -> LiveNumbers:
    """Sums over the tasks that report."""
    latency = Histogram()
    for task in tasks:
        latency.merge(task.histogram())
    gaps = _sum(tasks, "open_gaps")
    return LiveNumbers(
        records_per_second=_sum(tasks, "records_per_second"),
        bytes_per_second=_sum(tasks, "bytes_per_second"),
        wire_bytes_per_second=_sum(tasks, "wire_bytes_per_second"),
        lag_offsets=lag,
        latency_p50_ms=latency.quantile(0.50),
        latency_p95_ms=latency.quantile(0.95),
        latency_p99_ms=latency.quantile(0.99),
        latency_max_ms=float(latency.max_ms) if latency.count else None,
        heartbeat_age_ms=None if beat is None else _heartbeat_age_ms(beat, at_ms),
        open_gaps=None if gaps is None else int(gaps),
    )


def _heartbeat_age_ms(beat: LiveTask, at_ms: int) -> int | None:
    """The age grows with the clock; drivers of older releases report the age at their last look only."""
    written, age = beat.number("written_ms"), beat.number("age_ms")
    if written is not None:
        return age_ms(int(written), at_ms)
    return None if age is None else int(age)


def _age_ms(tasks: Iterable[LiveTask], reports: Iterable[LiveTask], at_ms: int) -> int | None:
    """The age of the numbers: that of the slot that has been silent longest, since a frozen one's lag still counts."""
    oldest = min((task.sent_ms for task in tasks), default=None)
    sent_ms = max((task.sent_ms for task in reports), default=None) if oldest is None else oldest
    return None if sent_ms is None else max(0, at_ms - sent_ms)


def _sum(tasks: tuple[LiveTask, ...], name: str) -> float | None:
    """The sum over tasks; unknown when no task knows, since a part of a sum is better than none."""
    known = [value for task in tasks if (value := task.number(name)) is not None]
    return sum(known) if known else None
