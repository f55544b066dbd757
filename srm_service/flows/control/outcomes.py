"""The outcomes of orders: what the tasks of a flow report about them, recorded in their rows."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from replication.domain.identifiers import FlowId
from srm_service.flows.actions import DISABLE, OPEN_OUTCOMES, PAUSE, RESET, RESTART, STOP
from srm_service.flows.contracts import TaskOnDriver
from srm_service.flows.models import FlowAction, OrderOutcome, ResetState
from srm_service.monitoring.flows.live_state import LiveSnapshot, LiveTask
from srm_service.monitoring.flows.revisions import rejected_parts

_LONGEST_REFUSAL = 500


def is_applied_by(action: FlowAction, task: LiveTask) -> bool:
    """Return True if the task reports that it has applied the order."""
    if action.event == RESTART:
        done = task.fields.get("done_restarts")
        return isinstance(done, list) and action.key in done
    applied = task.number("applied_revision")
    return applied is not None and action.revision is not None and applied >= action.revision


def concerned_tasks(action: FlowAction, flow: FlowId, live: LiveSnapshot) -> tuple[LiveTask, ...]:
    """Return the tasks that must apply the order, among those that report."""
    if action.event == RESTART:
        tasks = live.of(flow, "source")
        return tuple(task for task in tasks if action.task is None or _slot(task) == action.task)
    return live.tasks.get(flow, ())


def is_applied(action: FlowAction, flow: FlowId, live: LiveSnapshot) -> bool:
    """Return True if every task that reports has applied a published order.

    A stop is applied when no task is left, and so is a pause of a flow without a heartbeat, if a driver of the target
    reports. A disabled flow keeps at most its heartbeat task.
    """
    if action.revision is None or live.problem:
        return False
    tasks = concerned_tasks(action, flow, live)
    if action.event == DISABLE and any(task.kind != "heartbeat" for task in tasks):
        return False
    if action.event == STOP or (action.event in (PAUSE, DISABLE) and not tasks):
        return not tasks and any(flow.target in (driver.get("targets") or ()) for driver in live.drivers)
    return bool(tasks) and all(is_applied_by(action, task) for task in tasks)


def outcomes_note(live: LiveSnapshot, now: datetime) -> int:
    """Record orders that are applied or refused, and those that expired unapplied; returns their number."""
    open_orders = FlowAction.objects.filter(outcome__in=OPEN_OUTCOMES).select_related("flow__source", "flow__target")
    noted: list[tuple[FlowAction, str]] = []
    for action in open_orders.prefetch_related("resets"):
        flow, before = FlowId(action.flow.source.alias, action.flow.target.alias), action.outcome
        if _note(action, flow, live, now):
            noted.append((action, before))
    with transaction.atomic():
        for action, before in noted:
            FlowAction.objects.filter(pk=action.pk, outcome=before).update(
                outcome=action.outcome, ended_at=action.ended_at, applied_by=action.applied_by, refusal=action.refusal
            )
    return len(noted)


def _note(action: FlowAction, flow: FlowId, live: LiveSnapshot, now: datetime) -> bool:
    """Set the outcome of an order; True if it is another one than before."""
    refusal = _refusal(action, flow, live)
    outcome = _reset_outcome(action) if action.event == RESET else _outcome(action, flow, live, now, refusal)
    if outcome is None or (outcome, refusal) == (action.outcome, action.refusal):
        return False
    action.outcome, action.refusal = outcome, refusal if outcome == OrderOutcome.REFUSED else ""
    action.ended_at = now
    if outcome == OrderOutcome.APPLIED:
        action.applied_by = [asdict(each) for each in _named(concerned_tasks(action, flow, live))]
    return True


def restarts_waiting() -> Q:
    """Return the condition on orders to restart that drivers have not carried out."""
    return Q(event=RESTART, outcome__in=OPEN_OUTCOMES)


def _refusal(action: FlowAction, flow: FlowId, live: LiveSnapshot) -> str:
    """Return why a driver keeps the definition of the flow before the order; empty if none does."""
    if action.revision is None or live.problem:
        return ""
    for task in live.tasks.get(flow, ()):
        if (task.number("applied_revision") or 0) < action.revision:
            continue
        for part in rejected_parts(task):
            if part.source == flow.source:
                return f"driver {task.driver} cannot use {part.path}: {part.error}"[:_LONGEST_REFUSAL]
    return ""


def _outcome(action: FlowAction, flow: FlowId, live: LiveSnapshot, now: datetime, refusal: str) -> OrderOutcome | None:
    if not refusal and is_applied(action, flow, live):
        return OrderOutcome.APPLIED
    if action.until is not None and action.until <= now:
        return OrderOutcome.EXPIRED
    return OrderOutcome.REFUSED if refusal else None


def _reset_outcome(action: FlowAction) -> OrderOutcome | None:
    """Of a reset: applied when all of its partitions are done, overtaken when none of them will be."""
    states = {reset.state for reset in action.resets.all()}
    if ResetState.REQUESTED in states:
        return None
    return OrderOutcome.APPLIED if ResetState.DONE in states else OrderOutcome.OVERTAKEN


def _named(tasks: Iterable[LiveTask]) -> Sequence[TaskOnDriver]:
    return [TaskOnDriver(task=task.task, driver=task.driver) for task in tasks]


def _slot(task: LiveTask) -> int:
    return int(task.task.rsplit("/", 1)[1])
