"""Orders to flows as rows, from the order to the desired document that contains it, and to its outcome."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast
from uuid import uuid4

from django.db.models import Max, QuerySet
from django.utils import timezone

from srm_service.flows.contracts import WHOLE_FLOW, ActionDto, OrderScope, OutcomeWord, TaskOnDriver
from srm_service.flows.models import DesiredRevision, Flow, FlowAction, OrderOutcome

ACTIONS_KEPT = timedelta(days=30)
OPEN_OUTCOMES = (OrderOutcome.WAITING, OrderOutcome.REFUSED)  # the order may still be applied
RESTART = "flow.restart"
PAUSE = "flow.pause"
STOP = "flow.stop"
RESET = "flow.reset"
THROTTLE = "flow.throttle"
ENABLE = "flow.enable"
DISABLE = "flow.disable"
# orders of one group replace one another, for the same part of the flow
_REPLACING = (
    frozenset({PAUSE, "flow.resume", STOP, "flow.start"}),
    frozenset({THROTTLE}),
    frozenset({ENABLE, DISABLE}),
    frozenset({"flow.hold", "flow.release"}),
    frozenset({"flow.stop_topic", "flow.start_topic"}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderDetails:
    """The part of a flow that an order is for, why, until when, and the value that is ordered."""

    scope: OrderScope = WHOLE_FLOW
    reason: str = ""
    until: datetime | None = None
    detail: str = ""


NO_DETAILS = OrderDetails()


def action_record(flow: Flow, event: str, *, by: str, order: OrderDetails = NO_DETAILS) -> FlowAction:
    """Store an order, in the transaction of its change; it overtakes orders that wait for the same."""
    scope, now = order.scope, timezone.now()
    replaced = next((group for group in _REPLACING if event in group), frozenset[str]())
    waiting = FlowAction.objects.filter(flow=flow, outcome__in=OPEN_OUTCOMES, event__in=replaced)
    waiting.filter(topic=scope.topic, partition=scope.partition).update(outcome=OrderOutcome.OVERTAKEN, ended_at=now)
    return FlowAction.objects.create(
        flow=flow,
        event=event[:100],
        topic=scope.topic,
        partition=scope.partition,
        task=scope.task,
        reason=order.reason[:500],
        detail=order.detail[:200],
        until=order.until,
        key=uuid4().hex if event == RESTART else "",
        ordered_by=by,
        ordered_at=now,
    )


def actions_of(source: str, target: str) -> QuerySet[FlowAction]:
    """Return the orders of a flow."""
    return actions_all().filter(flow__source__alias=source, flow__target__alias=target)


def newest_action_id(source: str, target: str) -> int:
    """Return the id of the newest order of a flow; 0 before the first."""
    newest = FlowAction.objects.filter(flow__source__alias=source, flow__target__alias=target).aggregate(Max("pk"))
    return newest["pk__max"] or 0


def actions_all() -> QuerySet[FlowAction]:
    """Return the orders of all flows."""
    return FlowAction.objects.select_related("flow__source", "flow__target")


def action_row(source: str, target: str, action_id: int) -> FlowAction | None:
    """Return an order as it is now."""
    return actions_of(source, target).filter(pk=action_id).first()


def actions_unpublished(target: str) -> list[int]:
    """Return the orders that no published document contains; read them before the content of a document."""
    return list(FlowAction.objects.filter(flow__target__alias=target, revision=None).values_list("pk", flat=True))


def actions_published(action_ids: Collection[int], revision: int) -> None:
    """Record the first revision that contains these orders."""
    FlowAction.objects.filter(pk__in=action_ids, revision=None).update(revision=revision)


def actions_forget(now: datetime) -> int:
    """Delete orders that are a month old; returns their number."""
    return FlowAction.objects.filter(ordered_at__lte=now - ACTIONS_KEPT).delete()[0]


def published_revision(target: str) -> int | None:
    """Return the newest revision of a target's desired document; None before the first."""
    return DesiredRevision.objects.filter(target=target).values_list("revision", flat=True).first()


def action_dto(action: FlowAction) -> ActionDto:
    return ActionDto(
        id=action.pk,
        source=action.flow.source.alias,
        target=action.flow.target.alias,
        event=action.event,
        topic=action.topic,
        partition=action.partition,
        task=action.task,
        reason=action.reason,
        detail=action.detail,
        until_ms=_ms(action.until),
        ordered_by=action.ordered_by,
        ordered_ms=int(action.ordered_at.timestamp() * 1000),
        revision=action.revision,
        outcome=cast("OutcomeWord", action.outcome),
        ended_ms=_ms(action.ended_at),
        refusal=action.refusal,
        applied_by=tuple(TaskOnDriver(**each) for each in action.applied_by),
    )


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() * 1000)
