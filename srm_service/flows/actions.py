"""Ordered changes of flows, from the order to the desired document that contains it."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from srm_service.flows.contracts import ActionDto
from srm_service.flows.models import DesiredRevision, Flow, FlowAction

ACTIONS_KEPT = timedelta(days=30)


def action_record(flow: Flow, event: str, *, by: str) -> ActionDto:
    """Store an order, in the transaction of its change."""
    return action_dto(FlowAction.objects.create(flow=flow, event=event[:100], ordered_by=by, ordered_at=timezone.now()))


def actions_of(source: str, target: str) -> QuerySet[FlowAction]:
    """Return the orders of a flow."""
    return FlowAction.objects.filter(flow__source__alias=source, flow__target__alias=target)


def action_find(source: str, target: str, action_id: int) -> ActionDto | None:
    """Return an order as it is now."""
    action = actions_of(source, target).filter(pk=action_id).first()
    return None if action is None else action_dto(action)


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
        event=action.event,
        ordered_by=action.ordered_by,
        ordered_ms=int(action.ordered_at.timestamp() * 1000),
        revision=action.revision,
    )
