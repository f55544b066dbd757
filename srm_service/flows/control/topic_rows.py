"""Orders for topics and partitions that may have an end: holds, stops and throttles are kinds of one order."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db import transaction
from django.utils import timezone

from srm_service.flows.actions import THROTTLE, OrderDetails
from srm_service.flows.contracts import HoldDto, OrderScope, StopDto, ThrottleDto
from srm_service.flows.models import Flow, FlowHold, FlowStop, FlowThrottle
from srm_service.flows.selectors import epoch_ms
from srm_service.flows.services import FlowChangeError, OrderedChange, flow_locked, flow_record, flow_save
from srm_service.trail.contracts import MAINTENANCE, Actor

Row = FlowHold | FlowStop | FlowThrottle
Dto = TypeVar("Dto", HoldDto, StopDto, ThrottleDto)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderKind(Generic[Dto]):
    """One kind of order: its table, its answer, and how it is recorded.

    `by` is the field with the name of who gave it, `values` are its fields beside those of all kinds. `remedy` says
    what to do with the order of a whole topic, if `topic_comes_first`: then that of a partition does not end alone.
    """

    name: str
    rows: type[Row]
    dto: type[Dto]
    by: str
    set_event: str
    end_event: str
    remedy: str
    values: tuple[str, ...] = ()
    set_detail: str = ""  # of the order, made from the values
    end_detail: str = ""
    topic_comes_first: bool = True


HOLDS = OrderKind(
    name="hold",
    rows=FlowHold,
    dto=HoldDto,
    by="held_by",
    set_event="flow.hold",
    end_event="flow.release",
    remedy="held: resume",
)
STOPS = OrderKind(
    name="stop",
    rows=FlowStop,
    dto=StopDto,
    by="stopped_by",
    set_event="flow.stop_topic",
    end_event="flow.start_topic",
    remedy="stopped: start",
)
THROTTLES = OrderKind(
    name="throttle",
    rows=FlowThrottle,
    dto=ThrottleDto,
    by="throttled_by",
    set_event=THROTTLE,
    end_event=THROTTLE,
    remedy="throttled: remove the throttle of",
    values=("bytes_per_second",),
    set_detail="{bytes_per_second} bytes/s",
    end_detail="off",
    topic_comes_first=False,
)
KINDS: tuple[OrderKind[Any], ...] = (HOLDS, STOPS, THROTTLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicOrderRequest:
    """An order for a topic or partition of a flow; `values` are those of its kind."""

    source: str
    target: str
    scope: OrderScope
    by: Actor | str
    reason: str = ""
    until: datetime | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


def topic_order_give(kind: OrderKind[Dto], order: TopicOrderRequest, *, dry_run: bool) -> OrderedChange:
    """Give an order; a present one gets the new values, end and reason. The same order again changes nothing."""
    with transaction.atomic():
        flow = flow_locked(order.source, order.target)
        known, wanted = _row_of(kind, flow, order.scope), _wanted(order)
        if known is not None and all(getattr(known, name) == value for name, value in wanted.items()):
            return OrderedChange(False)
        return OrderedChange(True) if dry_run else _store(kind, flow, known, order)[1]


def topic_order_renew(kind: OrderKind[Dto], order: TopicOrderRequest) -> tuple[Dto, OrderedChange]:
    """Give an order, also if the same one is in force, and return it."""
    with transaction.atomic():
        flow = flow_locked(order.source, order.target)
        return _store(kind, flow, _row_of(kind, flow, order.scope), order)


def topic_order_end(kind: OrderKind[Dto], order: TopicOrderRequest, *, dry_run: bool) -> OrderedChange:
    """End the orders of a topic and its partitions, or that of one partition.

    Raises FlowChangeError if the partition has none but that of its topic, or if that comes first.
    """
    with transaction.atomic():
        flow = flow_locked(order.source, order.target)
        of_topic = kind.rows.objects.filter(flow=flow, topic=order.scope.topic)
        is_whole = order.scope.partition is None
        found: list[Row] = list(of_topic if is_whole else of_topic.filter(partition=order.scope.partition))
        if kind.topic_comes_first or not found:
            _check_not_whole(kind, flow, order.scope)
        if not found or dry_run:
            return OrderedChange(bool(found))
        return topic_rows_end(kind, flow, found, order)


def topic_rows_end(kind: OrderKind[Dto], flow: Flow, found: Collection[Row], order: TopicOrderRequest) -> OrderedChange:
    """Delete these orders of a flow, and record it."""
    before = [_values(kind, row) for row in found]
    _delete(kind, found)
    details = OrderDetails(scope=order.scope, reason=order.reason, detail=kind.end_detail)
    return OrderedChange(True, flow_save(flow, kind.end_event, by=order.by, before=before, order=details))


def topic_orders_expire(now: datetime) -> int:
    """Delete expired orders of all kinds, which drivers no longer apply; returns their number."""
    return sum(_expire(kind, now) for kind in KINDS)


def topic_order_list(kind: OrderKind[Dto], source: str, target: str) -> tuple[Dto, ...]:
    """Return the orders of a flow by topic and partition."""
    rows = kind.rows.objects.filter(flow__source__alias=source, flow__target__alias=target)
    return tuple(topic_order_dto(kind, row) for row in rows)


def topic_order_dto(kind: OrderKind[Dto], row: Row) -> Dto:
    own = {name: getattr(row, name) for name in (*kind.values, kind.by)}
    return kind.dto(
        id=row.pk,
        topic=row.topic,
        partition=row.partition,
        until_ms=epoch_ms(row.until),
        reason=row.reason,
        since_ms=epoch_ms(row.created_at) or 0,
        **own,
    )


def _store(kind: OrderKind[Dto], flow: Flow, known: Row | None, order: TopicOrderRequest) -> tuple[Dto, OrderedChange]:
    scope, wanted = order.scope, _wanted(order)
    before = None if known is None else _values(kind, known)
    row = known or kind.rows(flow=flow, topic=scope.topic, partition=scope.partition, created_at=timezone.now())
    for name, value in {**wanted, kind.by: str(order.by)}.items():
        setattr(row, name, value)
    row.save()
    detail = kind.set_detail.format(**wanted)
    details = OrderDetails(scope=scope, reason=order.reason, until=order.until, detail=detail)
    action = flow_save(flow, kind.set_event, by=order.by, before=before, after=_values(kind, row), order=details)
    return topic_order_dto(kind, row), OrderedChange(True, action)


def _wanted(order: TopicOrderRequest) -> dict[str, Any]:
    return {"until": order.until, "reason": order.reason, **order.values}


def _row_of(kind: OrderKind[Dto], flow: Flow, scope: OrderScope) -> Row | None:
    """Return the order for exactly this topic or partition."""
    return kind.rows.objects.filter(flow=flow, topic=scope.topic, partition=scope.partition).first()


def _values(kind: OrderKind[Dto], row: Row) -> dict[str, Any]:
    """Return the values of an order, for the trail."""
    return {name: getattr(row, name) for name in ("topic", "partition", "until", "reason", *kind.values)}


def _delete(kind: OrderKind[Dto], found: Collection[Row]) -> None:
    kind.rows.objects.filter(pk__in=[row.pk for row in found]).delete()


def _expire(kind: OrderKind[Dto], now: datetime) -> int:
    with transaction.atomic():
        over: list[Row] = list(kind.rows.objects.select_related("flow__source", "flow__target").filter(until__lte=now))
        for row in over:
            before, reason = _values(kind, row), f"{kind.name} expired"
            flow_record(row.flow, kind.end_event, by=MAINTENANCE, before=before, reason=reason)
        _delete(kind, over)
    return len(over)


def _check_not_whole(kind: OrderKind[Dto], flow: Flow, scope: OrderScope) -> None:
    """Raise FlowChangeError if an order of the whole topic covers the partition."""
    if scope.partition is not None and _row_of(kind, flow, OrderScope(topic=scope.topic)) is not None:
        text = f"the whole topic {scope.topic} of {flow} is {kind.remedy} the topic, not one partition"
        raise FlowChangeError(text)
