"""Stops of topics and partitions: no task has them, and their positions stay."""

from datetime import datetime

from django.db import transaction

from srm_service.flows.actions import OrderDetails
from srm_service.flows.contracts import OrderScope, StopDto
from srm_service.flows.control.topic_rows import (
    check_not_whole,
    row_new,
    row_of,
    row_values,
    rows_covered,
    rows_delete,
    rows_end,
)
from srm_service.flows.models import FlowStop
from srm_service.flows.selectors import epoch_ms
from srm_service.flows.services import OrderedChange, flow_locked, flow_save
from srm_service.trail.contracts import Actor


def topic_stop(
    *, source: str, target: str, scope: OrderScope, until: datetime | None, reason: str, by: Actor | str, dry_run: bool
) -> OrderedChange:
    """Stop a topic or partition; a present stop gets the new end and reason."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        known = row_of(FlowStop, flow, scope)
        if dry_run:
            return OrderedChange(known is None or (known.until, known.reason) != (until, reason))
        before = None if known is None else row_values(known)
        stop = known or row_new(FlowStop, flow, scope)
        stop.until, stop.reason, stop.stopped_by = until, reason, str(by)
        stop.save()
        order = OrderDetails(scope=scope, reason=reason, until=until)
        action = flow_save(flow, "flow.stop_topic", by=by, before=before, after=row_values(stop), order=order)
        return OrderedChange(True, action)


def topic_start(
    *, source: str, target: str, scope: OrderScope, reason: str, by: Actor | str, dry_run: bool
) -> OrderedChange:
    """End the stops of a topic, or that of one partition. Raises FlowChangeError if the whole topic is stopped."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        check_not_whole(FlowStop, flow, scope, "stopped: start")
        found = rows_covered(FlowStop, flow, scope)
        if not found or dry_run:
            return OrderedChange(bool(found))
        before = [row_values(stop) for stop in found]
        rows_delete(FlowStop, found)
        order = OrderDetails(scope=scope, reason=reason)
        return OrderedChange(True, flow_save(flow, "flow.start_topic", by=by, before=before, order=order))


def stops_end(now: datetime) -> int:
    """Delete expired stops, which drivers no longer apply; returns their number."""
    return rows_end(FlowStop, "flow.start_topic", "stop expired", now)


def stop_list(source: str, target: str) -> tuple[StopDto, ...]:
    """Return the stops of a flow by topic and partition."""
    stops = FlowStop.objects.filter(flow__source__alias=source, flow__target__alias=target)
    return tuple(
        StopDto(
            id=stop.pk,
            topic=stop.topic,
            partition=stop.partition,
            until_ms=epoch_ms(stop.until),
            reason=stop.reason,
            stopped_by=stop.stopped_by,
            since_ms=epoch_ms(stop.created_at) or 0,
        )
        for stop in stops
    )
