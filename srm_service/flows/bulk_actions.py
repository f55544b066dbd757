"""One action on many flows: a result per flow, and one flow that fails stops no other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

import structlog
from django.db import DatabaseError

from replication.domain.identifiers import FlowId
from srm_service.configuration.contracts import InvalidChangeError, VersionConflictError
from srm_service.configuration.forms.changes import FormAuthor, change_tree
from srm_service.configuration.forms.fields import flow_changes
from srm_service.core.description import DescriptionFilter
from srm_service.flows.changes import SWITCH, flow_switch, switch_record
from srm_service.flows.control.verbs import VerbOrder, order_give
from srm_service.flows.models import FlowAction
from srm_service.flows.publishing import publish_quietly
from srm_service.flows.selectors import flow_list
from srm_service.flows.services import FlowChangeError, FlowNotFoundError, OrderedChange
from srm_service.trail.contracts import flow_subject

BulkAction = Literal["pause", "resume", "stop", "start", "restart", "enable", "disable"]
_SWITCHES = ("enable", "disable")
BulkOutcome = Literal["done", "unchanged", "refused"]
_REFUSALS = (FlowChangeError, FlowNotFoundError, InvalidChangeError, VersionConflictError)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkOrder:
    """The action, its reason and its author."""

    action: BulkAction
    reason: str
    by: str
    request_id: str = ""
    until: datetime | None = None  # of a pause
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkResult:
    """The outcome for one flow; `text` says why a flow was refused."""

    source: str
    target: str
    result: BulkOutcome
    text: str
    order: Annotated[int | None, "id of the order, see GET .../actions/{id}; null: none is stored"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFilter:
    """Conditions on flows, all of which must hold."""

    source: str = ""
    target: str = ""
    q: str = ""
    described: DescriptionFilter = field(default_factory=DescriptionFilter)


def flows_matching(wanted: FlowFilter) -> tuple[FlowId, ...]:
    """The flows that fulfil the filter, by source and target."""
    return tuple(
        FlowId(flow.source, flow.target)
        for flow in flow_list()
        if wanted.source in ("", flow.source)
        and wanted.target in ("", flow.target)
        and wanted.q.lower() in flow.key.lower()
        and wanted.described.matches(flow.description)
    )


def flows_act(flows: Sequence[FlowId], order: BulkOrder) -> tuple[BulkResult, ...]:
    """Carry out the action on each flow; targets are published once."""
    wanted = tuple(dict.fromkeys(flows))
    switched = _switched_together(wanted, order)
    results = tuple(_result(flow, order, switched=switched.get(flow)) for flow in wanted)
    changed = {result.target for result in results if result.result == "done"}
    if changed and not order.dry_run and order.action not in _SWITCHES:
        publish_quietly(sorted(changed))
    return results


def _switched_together(flows: Sequence[FlowId], order: BulkOrder) -> Mapping[FlowId, FlowAction]:
    """Enable or disable all flows as one version; none if one of them is refused: then each is tried alone."""
    if order.action not in _SWITCHES or order.dry_run:
        return {}
    enabled = order.action == "enable"
    known = {FlowId(flow.source, flow.target): flow.enabled for flow in flow_list()}
    wanted = [flow for flow in flows if known.get(flow, enabled) != enabled]
    changes = [change for flow in wanted for change in flow_changes(flow.source, flow.target, {"enabled": enabled})]
    author, given = _author(order), dict[FlowId, FlowAction]()

    def record_all() -> None:
        given.update({flow: switch_record(flow.source, flow.target, author) for flow in wanted if flow in known})

    try:
        subjects = [flow_subject(flow.source, flow.target) for flow in wanted]
        change_tree(lambda tree: changes, author, action=SWITCH[enabled], subjects=subjects, also=record_all)
    except (*_REFUSALS, DatabaseError):
        return {}
    return given


def _result(flow: FlowId, order: BulkOrder, *, switched: FlowAction | None) -> BulkResult:
    try:
        change = _act(flow, order) if switched is None else OrderedChange(True, switched)
    except _REFUSALS as error:
        return BulkResult(source=flow.source, target=flow.target, result="refused", text=str(error))
    except Exception as error:
        _log.exception("bulk action failed", flow=str(flow), action=order.action)
        text = f"internal error ({type(error).__name__}); the service's log has the cause"
        return BulkResult(source=flow.source, target=flow.target, result="refused", text=text)
    return BulkResult(
        source=flow.source,
        target=flow.target,
        result="done" if change else "unchanged",
        text=_text(order, changed=change.changes),
        order=None if change.action is None else change.action.pk,
    )


def _act(flow: FlowId, order: BulkOrder) -> OrderedChange:
    if order.action == "enable" or order.action == "disable":
        enabled, author = order.action == "enable", _author(order)
        return flow_switch(flow.source, flow.target, enabled=enabled, author=author, dry_run=order.dry_run)
    given = VerbOrder(
        source=flow.source,
        target=flow.target,
        verb=order.action,
        reason=order.reason,
        by=order.by,
        until=order.until,
        dry_run=order.dry_run,
        publishes=False,
    )
    return order_give(given)


def _author(order: BulkOrder) -> FormAuthor:
    return FormAuthor(by=order.by, comment=order.reason, request_id=order.request_id)


def _text(order: BulkOrder, *, changed: bool) -> str:
    if not changed:
        return "is in this state already"
    return f"would {order.action}" if order.dry_run else f"{order.action} is ordered"
