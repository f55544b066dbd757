"""Stops of topics and partitions: no task has them, and their positions stay."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from srm_service.flows.actions import OrderDetails
from srm_service.flows.contracts import OrderScope, StopDto
from srm_service.flows.models import Flow, FlowStop
from srm_service.flows.selectors import epoch_ms
from srm_service.flows.services import FlowChangeError, OrderedChange, flow_locked, flow_record, flow_save
from srm_service.trail.contracts import MAINTENANCE, Actor


def topic_stop(
    *, source: str, target: str, scope: OrderScope, until: datetime | None, reason: str, by: Actor | str, dry_run: bool
) -> OrderedChange:
    """Stop a topic or partition; a present stop gets the new end and reason."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        known = FlowStop.objects.filter(flow=flow, topic=scope.topic, partition=scope.partition).first()
        if dry_run:
            return OrderedChange(known is None or (known.until, known.reason) != (until, reason))
        before = None if known is None else _values(known)
        stop = known or FlowStop(flow=flow, topic=scope.topic, partition=scope.partition, created_at=timezone.now())
        stop.until, stop.reason, stop.stopped_by = until, reason, str(by)
        stop.save()
        order = OrderDetails(scope=scope, reason=reason, until=until)
        action = flow_save(flow, "flow.stop_topic", by=by, before=before, after=_values(stop), order=order)
        return OrderedChange(True, action)


def topic_start(
    *, source: str, target: str, scope: OrderScope, reason: str, by: Actor | str, dry_run: bool
) -> OrderedChange:
    """End the stops of a topic, or that of one partition. Raises FlowChangeError if the whole topic is stopped."""
    with transaction.atomic():
        flow = flow_locked(source, target)
        stops = FlowStop.objects.filter(flow=flow, topic=scope.topic)
        if scope.partition is not None:
            check_not_whole(flow, scope, "stopped: start", is_whole=stops.filter(partition=None).exists())
            stops = stops.filter(partition=scope.partition)
        found = list(stops)
        if not found or dry_run:
            return OrderedChange(bool(found))
        before = [_values(stop) for stop in found]
        FlowStop.objects.filter(pk__in=[stop.pk for stop in found]).delete()
        order = OrderDetails(scope=scope, reason=reason)
        return OrderedChange(True, flow_save(flow, "flow.start_topic", by=by, before=before, order=order))


def stops_end(now: datetime) -> int:
    """Delete expired stops, which drivers no longer apply; returns their number."""
    with transaction.atomic():
        over = list(FlowStop.objects.select_related("flow__source", "flow__target").filter(until__lte=now))
        for stop in over:
            flow_record(stop.flow, "flow.start_topic", by=MAINTENANCE, before=_values(stop), reason="stop expired")
        FlowStop.objects.filter(pk__in=[stop.pk for stop in over]).delete()
    return len(over)


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


def check_not_whole(flow: Flow, scope: OrderScope, remedy: str, *, is_whole: bool) -> None:
    """Raise FlowChangeError if an order of the whole topic covers the partition."""
    if is_whole:
        raise FlowChangeError(f"the whole topic {scope.topic} of {flow} is {remedy} the topic, not one partition")


def _values(stop: FlowStop) -> dict[str, Any]:
    """The values of a stop, for the trail."""
    return {"topic": stop.topic, "partition": stop.partition, "until": stop.until, "reason": stop.reason}
