"""Changes of flows. Every change is published to the drivers after its transaction has committed."""

from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from srm_service.flows.actions import action_record
from srm_service.flows.contracts import ActionDto
from srm_service.flows.models import Flow
from srm_service.flows.publishing import publish_quietly

_log = structlog.get_logger("audit")


class FlowNotFoundError(Exception):
    """The flow does not exist."""


class FlowChangeError(Exception):
    """The change conflicts with the flow's current state; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class OrderedChange:
    """`changes`: the flow was in another state; `action` is the order, None if there was nothing to do."""

    changes: bool
    action: ActionDto | None = None

    def __bool__(self) -> bool:
        return self.changes


def flow_pause(
    *, source: str, target: str, reason: str, by: str, until: datetime | None, dry_run: bool
) -> OrderedChange:
    """Pause copying, until `until` if given; heartbeats continue."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        if not flow.enabled:
            raise FlowChangeError(f"{source}->{target} is disabled, so it cannot be paused")
        wanted = ("pause", reason, until)
        changes = (flow.state, flow.pause_reason, flow.pause_until) != wanted
        if changes and not dry_run:
            flow.state, flow.pause_reason, flow.pause_until = wanted
            flow.pause_by, flow.pause_since = by, timezone.now()
            ends = until.isoformat() if until else None
            return OrderedChange(changes, flow_save(flow, "flow paused", by=by, reason=reason, until=ends))
    return OrderedChange(changes)


def flow_resume(*, source: str, target: str, reason: str, by: str, dry_run: bool) -> OrderedChange:
    """Resume copying where it stopped."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        changes = flow.state != "run"
        if changes and not dry_run:
            _run(flow)
            return OrderedChange(changes, flow_save(flow, "flow resumed", by=by, reason=reason, until=None))
    return OrderedChange(changes)


def flow_end_pauses(now: datetime) -> int:
    """Resume flows whose pause has expired; returns their number."""
    over = Flow.objects.filter(Q(state="pause"), pause_until__isnull=False, pause_until__lte=now)
    return over.update(state="run", pause_reason="", pause_by="", pause_since=None, pause_until=None, updated_at=now)


def flow_locked(source: str, target: str) -> Flow:
    """Return the flow, locked for the current transaction. Raises FlowNotFoundError."""
    flows = Flow.objects.select_related("source", "target").select_for_update(of=("self",))
    flow = flows.filter(source__alias=source, target__alias=target).first()
    if flow is None:
        raise FlowNotFoundError(f"there is no replication {source}->{target}")
    return flow


def _run(flow: Flow) -> None:
    flow.state, flow.pause_reason, flow.pause_by = "run", "", ""
    flow.pause_since = flow.pause_until = None


def flow_save(flow: Flow, event: str, *, by: str, **fields: object) -> ActionDto:
    """Save a changed flow, record the order, write the audit log, and publish the change after the commit."""
    source, target = flow.source.alias, flow.target.alias
    flow.save()
    _log.info(event, flow=f"{source}->{target}", by=by, **fields)
    transaction.on_commit(lambda: publish_quietly([target]))
    return action_record(flow, event, by=by)
