"""Throttles of topics and partitions, beside the throttle of the whole flow."""

from datetime import datetime
from typing import Any

from django.db import transaction

from srm_service.flows.actions import THROTTLE, OrderDetails
from srm_service.flows.contracts import OrderScope, ThrottleDto
from srm_service.flows.control.topic_rows import (
    check_not_whole,
    row_new,
    row_of,
    row_values,
    rows_covered,
    rows_delete,
    rows_end,
)
from srm_service.flows.models import FlowThrottle
from srm_service.flows.selectors import epoch_ms
from srm_service.flows.services import OrderedChange, flow_locked, flow_save
from srm_service.trail.contracts import Actor


def topic_throttle_set(
    *,
    source: str,
    target: str,
    scope: OrderScope,
    bytes_per_second: int,
    until: datetime | None,
    reason: str,
    by: Actor | str,
    dry_run: bool,
) -> OrderedChange:
    """Throttle a topic or partition; a present throttle gets the new rate, end and reason."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        known = row_of(FlowThrottle, flow, scope)
        if known is not None and (known.bytes_per_second, known.until, known.reason) == (
            bytes_per_second,
            until,
            reason,
        ):
            return OrderedChange(False)
        if dry_run:
            return OrderedChange(True)
        before = None if known is None else _values(known)
        throttle = known or row_new(FlowThrottle, flow, scope)
        throttle.bytes_per_second, throttle.until, throttle.reason = bytes_per_second, until, reason
        throttle.throttled_by = str(by)
        throttle.save()
        order = OrderDetails(scope=scope, reason=reason, until=until, detail=f"{bytes_per_second} bytes/s")
        action = flow_save(flow, THROTTLE, by=by, before=before, after=_values(throttle), order=order)
        return OrderedChange(True, action)


def topic_throttle_remove(
    *, source: str, target: str, scope: OrderScope, reason: str, by: Actor | str, dry_run: bool
) -> OrderedChange:
    """Remove the throttles of a topic and its partitions, or that of one partition.

    Raises FlowChangeError if the partition has none but that of its topic.
    """
    with transaction.atomic():
        flow = flow_locked(source, target)
        found = rows_covered(FlowThrottle, flow, scope)
        if not found:
            check_not_whole(FlowThrottle, flow, scope, "throttled: remove the throttle of")
        if not found or dry_run:
            return OrderedChange(bool(found))
        before = [_values(throttle) for throttle in found]
        rows_delete(FlowThrottle, found)
        order = OrderDetails(scope=scope, reason=reason, detail="off")
        return OrderedChange(True, flow_save(flow, THROTTLE, by=by, before=before, order=order))


def topic_throttles_end(now: datetime) -> int:
    """Delete expired throttles, which drivers no longer apply; returns their number."""
    return rows_end(FlowThrottle, THROTTLE, "throttle expired", now)


def topic_throttle_list(source: str, target: str) -> tuple[ThrottleDto, ...]:
    """Return the throttles of a flow's topics and partitions, by topic and partition."""
    throttles = FlowThrottle.objects.filter(flow__source__alias=source, flow__target__alias=target)
    return tuple(
        ThrottleDto(
            id=throttle.pk,
            topic=throttle.topic,
            partition=throttle.partition,
            bytes_per_second=throttle.bytes_per_second,
            until_ms=epoch_ms(throttle.until),
            reason=throttle.reason,
            throttled_by=throttle.throttled_by,
            since_ms=epoch_ms(throttle.created_at) or 0,
        )
        for throttle in throttles
    )


def _values(throttle: FlowThrottle) -> dict[str, Any]:
    """The values of a throttle, for the trail."""
    return {**row_values(throttle), "bytes_per_second": throttle.bytes_per_second}
