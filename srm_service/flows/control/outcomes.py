"""The outcomes of orders: what the tasks of a flow report about them, recorded in their rows."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from replication.domain.identifiers import FlowId
from srm_service.flows.actions import PAUSE, RESET, RESTART, STOP
from srm_service.flows.contracts import TaskOnDriver
from srm_service.flows.models import FlowAction, OrderOutcome, ResetState
from srm_service.monitoring.flows.live_state import LiveSnapshot, LiveTask


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
    reports.
    """
    if action.revision is None or live.problem:
        return False
    tasks = concerned_tasks(action, flow, live)
    if action.event == STOP or (action.event == PAUSE and not tasks):
        return not tasks and any(flow.target in (driver.get("targets") or ()) for driver in live.drivers)
    return bool(tasks) and all(is_applied_by(action, task) for task in tasks)


def outcomes_note(live: LiveSnapshot, now: datetime) -> int:
    """Record orders that are applied, and those that expired unapplied; returns their number."""
    waiting = FlowAction.objects.filter(outcome=OrderOutcome.WAITING).select_related("flow__source", "flow__target")
    ended: list[FlowAction] = []
    for action in waiting.prefetch_related("resets"):
        flow = FlowId(action.flow.source.alias, action.flow.target.alias)
        outcome = _reset_outcome(action) if action.event == RESET else _outcome(action, flow, live, now)
        if outcome is not None:
            action.outcome, action.ended_at = outcome, now
            if outcome == OrderOutcome.APPLIED:
                action.applied_by = [asdict(each) for each in _named(concerned_tasks(action, flow, live))]
            ended.append(action)
    with transaction.atomic():
        for action in ended:
            still_waiting = FlowAction.objects.filter(pk=action.pk, outcome=OrderOutcome.WAITING)
            still_waiting.update(outcome=action.outcome, ended_at=now, applied_by=action.applied_by)
    return len(ended)


def restarts_waiting() -> Q:
    """Return the condition on orders to restart that drivers have not carried out."""
    return Q(event=RESTART, outcome=OrderOutcome.WAITING)


def _outcome(action: FlowAction, flow: FlowId, live: LiveSnapshot, now: datetime) -> OrderOutcome | None:
    if is_applied(action, flow, live):
        return OrderOutcome.APPLIED
    return OrderOutcome.EXPIRED if action.until is not None and action.until <= now else None


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
