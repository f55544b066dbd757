"""Operators' orders for a running flow: throttle, holds and resets, logged and published like other changes."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import structlog
from django.db import transaction
from django.utils import timezone

from srm_service.flows.contracts import HoldDto, ResetDto
from srm_service.flows.models import FlowHold, FlowReset, ResetState
from srm_service.flows.selectors import hold_dto, reset_dto
from srm_service.flows.services import FlowChangeError, OrderedChange, flow_locked, flow_save

RESETS_KEPT = timedelta(days=1)
_log = structlog.get_logger("audit")


class OrderNotFoundError(Exception):
    """The flow has no such hold or reset."""


def flow_throttle_set(*, source: str, target: str, bytes_per_second: int | None, by: str) -> OrderedChange:
    """Set the throttle; None removes it."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        if flow.throttle_bytes_per_second == bytes_per_second:
            return OrderedChange(False)
        flow.throttle_bytes_per_second = bytes_per_second
        return OrderedChange(True, flow_save(flow, "flow throttled", by=by, bytes_per_second=bytes_per_second))


def hold_set(
    *, source: str, target: str, topic: str, partition: int | None, until: datetime | None, reason: str, by: str
) -> HoldDto:
    """Hold a topic or partition; an existing hold gets the new end and reason."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        hold, _ = FlowHold.objects.update_or_create(
            flow=flow,
            topic=topic,
            partition=partition,
            defaults={"until": until, "reason": reason, "held_by": by},
            create_defaults={"until": until, "reason": reason, "held_by": by, "created_at": timezone.now()},
        )
        ends = until.isoformat() if until else None
        flow_save(flow, "topic held", by=by, topic=topic, partition=partition, reason=reason, until=ends)
    return hold_dto(hold)


def hold_release(*, source: str, target: str, hold_id: int, by: str) -> HoldDto:
    """Release a hold and return it. Raises OrderNotFoundError."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        hold = FlowHold.objects.filter(flow=flow, pk=hold_id).first()
        if hold is None:
            raise OrderNotFoundError(f"{source}->{target} has no hold {hold_id}: it was released, or it has expired")
        released = hold_dto(hold)
        hold.delete()
        flow_save(flow, "topic released", by=by, topic=hold.topic, partition=hold.partition)
    return released


def holds_end(now: datetime) -> int:
    """Delete expired holds, which drivers have already released; returns their number."""
    return FlowHold.objects.filter(until__lte=now).delete()[0]


def resets_request(
    *, source: str, target: str, topic: str, partitions: Sequence[int], to: Any, by: str
) -> tuple[ResetDto, ...]:
    """Order resets of partitions; they replace pending resets of the same partitions."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        if not flow.enabled:
            raise FlowChangeError(f"{source}->{target} is disabled: enable it to reset its topics")
        now = timezone.now()
        before = FlowReset.objects.filter(flow=flow, topic=topic, partition__in=partitions)
        before.filter(state=ResetState.REQUESTED).update(state=ResetState.OVERTAKEN, ended_at=now)
        resets = FlowReset.objects.bulk_create(
            FlowReset(
                key=uuid4().hex, flow=flow, topic=topic, partition=number, to=to, requested_by=by, requested_at=now
            )
            for number in partitions
        )
        flow_save(flow, "reset requested", by=by, topic=topic, partitions=list(partitions), to=to)
    return tuple(reset_dto(reset) for reset in resets)


def reset_withdraw(*, source: str, target: str, key: str, by: str) -> ResetDto:
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
        flow_save(flow, "reset withdrawn", by=by, topic=reset.topic, partition=reset.partition, reset=key)
    return withdrawn


def resets_done(keys: Collection[str], now: datetime) -> int:
    """Record resets that drivers report as done; returns the number of new ones."""
    resets = FlowReset.objects.filter(key__in=keys, state=ResetState.REQUESTED)
    done = resets.update(state=ResetState.DONE, ended_at=now)
    if done:
        _log.info("resets carried out", resets=sorted(keys))
    return done


def resets_forget(now: datetime) -> int:
    """Delete resets that ended a day ago, which removes them from the desired document; returns their number."""
    return FlowReset.objects.filter(ended_at__lte=now - RESETS_KEPT).delete()[0]
