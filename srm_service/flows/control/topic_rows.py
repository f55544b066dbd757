"""The rows of orders for topics and partitions that may have an end: holds, stops and throttles."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.utils import timezone

from srm_service.flows.contracts import OrderScope
from srm_service.flows.models import Flow, FlowHold, FlowStop, FlowThrottle, TopicOrderRow
from srm_service.flows.services import FlowChangeError, flow_record
from srm_service.trail.contracts import MAINTENANCE

Row = TypeVar("Row", FlowHold, FlowStop, FlowThrottle)


def row_of(rows: type[Row], flow: Flow, scope: OrderScope) -> Row | None:
    """Return the order for exactly this topic or partition."""
    return rows.objects.filter(flow=flow, topic=scope.topic, partition=scope.partition).first()


def row_new(rows: type[Row], flow: Flow, scope: OrderScope) -> Row:
    """Return an order that is not stored yet."""
    return rows(flow=flow, topic=scope.topic, partition=scope.partition, created_at=timezone.now())


def row_values(row: TopicOrderRow) -> dict[str, Any]:
    """Return the values of an order, for the trail."""
    return {"topic": row.topic, "partition": row.partition, "until": row.until, "reason": row.reason}


def rows_covered(rows: type[Row], flow: Flow, scope: OrderScope) -> list[Row]:
    """Return the orders for a topic and its partitions, or for one partition."""
    of_topic = rows.objects.filter(flow=flow, topic=scope.topic)
    return list(of_topic if scope.partition is None else of_topic.filter(partition=scope.partition))


def rows_delete(rows: type[Row], found: Collection[Row]) -> None:
    """Delete these orders."""
    rows.objects.filter(pk__in=[row.pk for row in found]).delete()


def rows_end(rows: type[Row], event: str, reason: str, now: datetime) -> int:
    """Delete expired orders, which drivers no longer apply; returns their number."""
    with transaction.atomic():
        over = list(rows.objects.select_related("flow__source", "flow__target").filter(until__lte=now))
        for row in over:
            flow_record(row.flow, event, by=MAINTENANCE, before=row_values(row), reason=reason)
        rows_delete(rows, over)
    return len(over)


def check_not_whole(rows: type[Row], flow: Flow, scope: OrderScope, remedy: str) -> None:
    """Raise FlowChangeError if an order of the whole topic covers the partition."""
    if scope.partition is not None and row_of(rows, flow, OrderScope(topic=scope.topic)) is not None:
        raise FlowChangeError(f"the whole topic {scope.topic} of {flow} is {remedy} the topic, not one partition")
