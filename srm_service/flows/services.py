"""Changes of flows. Every change is published to the drivers after its transaction has committed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from replication.domain.desired.desired_flow import FlowState
from srm_service.flows.actions import NO_DETAILS, OrderDetails, action_record
from srm_service.flows.models import Flow, FlowAction
from srm_service.flows.publishing import publish_quietly
from srm_service.trail.contracts import MAINTENANCE, Actor, flow_subject
from srm_service.trail.services import record


class FlowNotFoundError(Exception):
    """The flow does not exist."""


class FlowChangeError(Exception):
    """The change conflicts with the flow's current state; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class OrderedChange:
    """`changes`: the flow was in another state; `action` is the order, None if there was nothing to do."""

    changes: bool
    action: FlowAction | None = None

    def __bool__(self) -> bool:
        return self.changes


def flow_pause(
    *,
    source: str,
    target: str,
    reason: str,
    by: Actor | str,
    until: datetime | None,
    dry_run: bool,
    publishes: bool = True,
) -> OrderedChange:
    """Pause copying, until `until` if given; heartbeats continue.

    A caller that says `publishes=False` publishes the target itself.
    """
    order = OrderDetails(reason=reason, until=until)
    return _halt("pause", source, target, order, by=by, dry_run=dry_run, publishes=publishes)


def flow_stop(
    *,
    source: str,
    target: str,
    reason: str,
    by: Actor | str,
    until: datetime | None,
    dry_run: bool,
    publishes: bool = True,
) -> OrderedChange:
    """End all tasks, also the heartbeat, until `until` if given; positions stay. `publishes` as for a pause."""
    order = OrderDetails(reason=reason, until=until)
    return _halt("stop", source, target, order, by=by, dry_run=dry_run, publishes=publishes)


def flow_resume(
    *, source: str, target: str, reason: str, by: Actor | str, dry_run: bool, publishes: bool = True
) -> OrderedChange:
    """Resume copying where it was paused. `publishes` as for a pause. Raises FlowChangeError for a stopped flow."""
    return _continue("pause", "flow.resume", source, target, reason, by=by, dry_run=dry_run, publishes=publishes)


def flow_start(
    *, source: str, target: str, reason: str, by: Actor | str, dry_run: bool, publishes: bool = True
) -> OrderedChange:
    """Start a stopped flow. `publishes` as for a pause. Raises FlowChangeError for a paused flow."""
    return _continue("stop", "flow.start", source, target, reason, by=by, dry_run=dry_run, publishes=publishes)


def flow_end_pauses(now: datetime) -> int:
    """Continue flows whose pause or stop has expired; returns their number."""
    expired = Q(state__in=("pause", "stop"), pause_until__isnull=False, pause_until__lte=now)
    with transaction.atomic():
        flows = Flow.objects.select_related("source", "target").select_for_update(of=("self",))
        ended = list(flows.filter(expired))
        for flow in ended:
            before, was = _pause(flow), flow.state
            _run(flow)
            flow.save()
            event, reason = ("flow.resume", "pause expired") if was == "pause" else ("flow.start", "stop expired")
            flow_record(flow, event, by=MAINTENANCE, before=before, after=_pause(flow), reason=reason)
    return len(ended)


def _halt(
    state: FlowState, source: str, target: str, order: OrderDetails, *, by: Actor | str, dry_run: bool, publishes: bool
) -> OrderedChange:
    with transaction.atomic():
        flow = flow_locked(source, target)
        if not flow.enabled:
            done = {"pause": "paused", "stop": "stopped"}[state]
            raise FlowChangeError(f"{source}->{target} is disabled, so it cannot be {done}")
        wanted = (state, order.reason, order.until)
        changes = (flow.state, flow.pause_reason, flow.pause_until) != wanted
        if not changes or dry_run:
            return OrderedChange(changes)
        before = _pause(flow)
        flow.state, flow.pause_reason, flow.pause_until = wanted
        flow.pause_by, flow.state_since = str(by), timezone.now()
        return OrderedChange(
            True,
            flow_save(
                flow, f"flow.{state}", by=by, publishes=publishes, before=before, after=_pause(flow), order=order
            ),
        )


def _continue(
    ends: FlowState,
    event: str,
    source: str,
    target: str,
    reason: str,
    *,
    by: Actor | str,
    dry_run: bool,
    publishes: bool,
) -> OrderedChange:
    with transaction.atomic():
        flow = flow_locked(source, target)
        if flow.state not in ("run", ends):
            remedy = "is stopped, not paused: start it" if ends == "pause" else "is paused, not stopped: resume it"
            raise FlowChangeError(f"{source}->{target} {remedy}")
        changes = flow.state == ends
        if not changes or dry_run:
            return OrderedChange(changes)
        before = _pause(flow)
        _run(flow)
        order, after = OrderDetails(reason=reason), _pause(flow)
        action = flow_save(flow, event, by=by, publishes=publishes, before=before, after=after, order=order)
        return OrderedChange(True, action)


def flow_locked(source: str, target: str) -> Flow:
    """Return the flow, locked for the current transaction. Raises FlowNotFoundError."""
    flows = Flow.objects.select_related("source", "target").select_for_update(of=("self",))
    flow = flows.filter(source__alias=source, target__alias=target).first()
    if flow is None:
        raise FlowNotFoundError(f"there is no replication {source}->{target}")
    return flow


def _run(flow: Flow) -> None:
    flow.state, flow.pause_reason, flow.pause_by = "run", "", ""
    flow.state_since, flow.pause_until = timezone.now(), None


def _pause(flow: Flow) -> dict[str, Any]:
    """The values of a flow that pausing changes, for the trail."""
    return {"state": flow.state, "reason": flow.pause_reason, "by": flow.pause_by, "until": flow.pause_until}


def flow_save(
    flow: Flow,
    action: str,
    *,
    by: Actor | str,
    publishes: bool = True,
    before: Any = None,
    after: Any = None,
    order: OrderDetails = NO_DETAILS,
) -> FlowAction:
    """Save a changed flow, record the change and the order, and publish it after the commit."""
    target = flow.target.alias
    flow.save()
    flow_record(flow, action, by=by, before=before, after=after, reason=order.reason)
    if publishes:
        transaction.on_commit(lambda: publish_quietly([target]))
    return action_record(flow, action, by=str(by), order=order)


def flow_record(
    flow: Flow, action: str, *, by: Actor | str, before: Any = None, after: Any = None, reason: str = ""
) -> None:
    """Record a change or an order of a flow in the audit trail."""
    subject = flow_subject(flow.source.alias, flow.target.alias)
    record(by=by, action=action, subject=subject, before=before, after=after, reason=reason)
