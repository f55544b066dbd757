"""Operators' orders for a running flow: throttle, holds and resets, recorded and published like other changes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from srm_service.flows.actions import RESET, THROTTLE, OrderDetails, action_record
from srm_service.flows.contracts import HoldDto, OrderScope, ResetDto
from srm_service.flows.control.topic_rows import (
    HOLDS,
    TopicOrderRequest,
    topic_order_dto,
    topic_order_renew,
    topic_rows_end,
)
from srm_service.flows.models import Flow, FlowAction, FlowHold, FlowReset, ResetState
from srm_service.flows.publishing import publish_quietly
from srm_service.flows.selectors import reset_dto
from srm_service.flows.services import FlowChangeError, OrderedChange, flow_locked, flow_record, flow_save
from srm_service.trail.contracts import MAINTENANCE, Actor

RESETS_KEPT = timedelta(days=1)


class OrderNotFoundError(Exception):
    """The flow has no such hold or reset."""


@dataclass(frozen=True, slots=True)
class OrderedHold:
    """A hold and the order that set it."""

    hold: HoldDto
    change: OrderedChange


def flow_throttle_set(
    *,
    source: str,
    target: str,
    bytes_per_second: int | None,
    by: Actor | str,
    reason: str = "",
    until: datetime | None = None,
    dry_run: bool = False,
) -> OrderedChange:
    """Set the throttle, until `until` if given; None removes it. A dry run only says whether it would change."""
    until = None if bytes_per_second is None else until
    with transaction.atomic():
        flow = flow_locked(source, target)
        if (flow.throttle_bytes_per_second, flow.throttle_until) == (bytes_per_second, until):
            return OrderedChange(False)
        if dry_run:
            return OrderedChange(True)
        before = _throttle(flow)
        flow.throttle_bytes_per_second, flow.throttle_until = bytes_per_second, until
        detail = "off" if bytes_per_second is None else f"{bytes_per_second} bytes/s"
        order = OrderDetails(reason=reason, until=until, detail=detail)
        action = flow_save(flow, THROTTLE, by=by, before=before, after=_throttle(flow), order=order)
        return OrderedChange(True, action)


def throttles_end(now: datetime) -> int:
    """Remove expired throttles, which drivers no longer apply; returns their number."""
    with transaction.atomic():
        flows = Flow.objects.select_related("source", "target").select_for_update(of=("self",))
        over = list(flows.filter(throttle_until__lte=now))
        for flow in over:
            before = _throttle(flow)
            flow.throttle_bytes_per_second = flow.throttle_until = None
            flow.save()
            flow_record(flow, THROTTLE, by=MAINTENANCE, before=before, after=_throttle(flow), reason="throttle expired")
    return len(over)


def hold_set(
    *, source: str, target: str, topic: str, partition: int | None, until: datetime | None, reason: str, by: Actor | str
) -> OrderedHold:
    """Hold a topic or partition; an existing hold gets the new end and reason."""
    scope = OrderScope(topic=topic, partition=partition)
    order = TopicOrderRequest(source=source, target=target, scope=scope, by=by, reason=reason, until=until)
    return OrderedHold(*topic_order_renew(HOLDS, order))


def hold_release(
    *, source: str, target: str, hold_id: int, by: Actor | str, reason: str = "", dry_run: bool = False
) -> OrderedHold:
    """Release a hold and return it; a dry run only returns it. Raises OrderNotFoundError."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        hold = FlowHold.objects.filter(flow=flow, pk=hold_id).first()
        if hold is None:
            raise OrderNotFoundError(f"{source}->{target} has no hold {hold_id}: it was released, or it has expired")
        released = topic_order_dto(HOLDS, hold)
        if dry_run:
            return OrderedHold(released, OrderedChange(True))
        scope = OrderScope(topic=hold.topic, partition=hold.partition)
        order = TopicOrderRequest(source=source, target=target, scope=scope, by=by, reason=reason)
        return OrderedHold(released, topic_rows_end(HOLDS, flow, [hold], order))


def resets_request(
    *, source: str, target: str, topic: str, partitions: Sequence[int], to: Any, by: Actor | str, reason: str = ""
) -> tuple[ResetDto, ...]:
    """Order resets of partitions; they replace pending resets of the same partitions."""
    with transaction.atomic():
        flow = _resettable(source, target)
        now = timezone.now()
        before = FlowReset.objects.filter(flow=flow, topic=topic, partition__in=partitions)
        before.filter(state=ResetState.REQUESTED).update(state=ResetState.OVERTAKEN, ended_at=now)
        action = _reset_action(flow, topic, partitions, to, by=by, reason=reason)
        resets = FlowReset.objects.bulk_create(
            FlowReset(
                key=uuid4().hex,
                flow=flow,
                topic=topic,
                partition=number,
                to=to,
                requested_by=str(by),
                requested_at=now,
                action=action,
            )
            for number in partitions
        )
        after = {"topic": topic, "partitions": list(partitions), "to": to, "ids": [reset.key for reset in resets]}
        flow_record(flow, RESET, by=by, after=after, reason=reason)
        transaction.on_commit(lambda: publish_quietly([target]))
    return tuple(reset_dto(reset) for reset in resets)


def resets_check(source: str, target: str) -> None:
    """Raise FlowChangeError if resets of the flow are refused now."""
    with transaction.atomic():
        _resettable(source, target)


def reset_withdraw(*, source: str, target: str, key: str, by: Actor | str, reason: str = "") -> ResetDto:
    """Withdraw a pending reset. Raises OrderNotFoundError, FlowChangeError."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        reset = FlowReset.objects.filter(flow=flow, key=key).first()
        if reset is None:
            raise OrderNotFoundError(f"{source}->{target} has no reset {key}")
        if reset.state != ResetState.REQUESTED:
            raise FlowChangeError(f"reset {key} is {reset.state}: only a pending reset can be withdrawn")
        withdrawn = reset_dto(reset)
        reset.delete()
        before = {"topic": reset.topic, "partitions": [reset.partition], "to": reset.to, "ids": [key]}
        scope = OrderScope(topic=reset.topic, partition=reset.partition)
        flow_save(flow, "flow.withdraw_reset", by=by, before=before, order=OrderDetails(scope=scope, reason=reason))
    return withdrawn


def resets_done(keys: Collection[str], now: datetime) -> int:
    """Record resets that drivers report as done; returns the number of new ones."""
    with transaction.atomic():
        waiting = FlowReset.objects.filter(key__in=keys, state=ResetState.REQUESTED)
        resets = list(waiting.select_related("flow__source", "flow__target"))
        done = FlowReset.objects.filter(pk__in=[reset.pk for reset in resets]).update(
            state=ResetState.DONE, ended_at=now
        )
        for flow in dict.fromkeys(reset.flow for reset in resets):
            ids = sorted(reset.key for reset in resets if reset.flow_id == flow.pk)
            flow_record(flow, "flow.reset_done", by=MAINTENANCE, after={"ids": ids})
    return done


def resets_forget(now: datetime) -> int:
    """Delete resets that ended a day ago, which removes them from the desired document; returns their number."""
    return FlowReset.objects.filter(ended_at__lte=now - RESETS_KEPT).delete()[0]


def _resettable(source: str, target: str) -> Flow:
    """Return the flow, locked. Raises FlowChangeError if it is disabled."""
    flow = flow_locked(source, target)
    if not flow.enabled:
        raise FlowChangeError(f"{source}->{target} is disabled: enable it to reset its topics")
    return flow


def _reset_action(
    flow: Flow, topic: str, partitions: Sequence[int], to: Any, *, by: Actor | str, reason: str
) -> FlowAction:
    scope = OrderScope(topic=topic, partition=partitions[0] if len(partitions) == 1 else None)
    detail = to if isinstance(to, str) else " ".join(f"{name}={value}" for name, value in to.items())
    return action_record(flow, RESET, by=str(by), order=OrderDetails(scope=scope, reason=reason, detail=detail))


def _throttle(flow: Flow) -> dict[str, Any]:
    """The throttle of a flow, for the trail."""
    return {"bytes_per_second": flow.throttle_bytes_per_second, "until": flow.throttle_until}
