"""The orders in force that slow or stop the copying of flows, counted for lists of flows."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Value

from replication.domain.control.throttle import rate_text
from replication.domain.identifiers import FlowId
from srm_service.flows.contracts import FlowDto, OrdersInForce
from srm_service.flows.models import FlowHold, FlowStop, FlowThrottle

PartCounts = Mapping[str, int]  # by the name of the field of OrdersInForce

_Row = FlowHold | FlowStop | FlowThrottle
_WORDS: dict[str, type[_Row]] = {"stopped": FlowStop, "paused": FlowHold, "throttled": FlowThrottle}


def part_counts(at: datetime) -> dict[FlowId, dict[str, int]]:
    """Return for each flow that has some how many topics and partitions are paused, stopped and throttled. One query.

    A partition of a topic with the same order does not count.
    """
    first, *others = (_counted(word, model, at) for word, model in _WORDS.items())
    found: dict[FlowId, dict[str, int]] = {}
    for source, target, word, topics, partitions in first.union(*others, all=True):
        counts = found.setdefault(FlowId(source, target), {})
        counts[f"{word}_topics"], counts[f"{word}_partitions"] = topics, partitions
    return found


def orders_in_force(flow: FlowDto, parts: PartCounts, at_ms: int) -> OrdersInForce | None:
    """Return what is in force of a flow at a time in epoch ms; None if nothing is."""
    is_over = flow.throttle_until_ms is not None and flow.throttle_until_ms <= at_ms
    rate = None if is_over else flow.throttle_bytes_per_second
    text = ", ".join(_texts(rate, parts))
    return OrdersInForce(text=text[0].upper() + text[1:], throttle_bytes_per_second=rate, **parts) if text else None


def _texts(rate: int | None, parts: PartCounts) -> Iterator[str]:
    if rate is not None:
        yield f"throttled to {rate_text(rate)}"
    for word in _WORDS:
        counts = ((parts.get(f"{word}_{thing}s", 0), thing) for thing in ("topic", "partition"))
        told = " and ".join(f"{count:,} {thing}{'' if count == 1 else 's'}" for count, thing in counts if count)
        if told:
            yield f"{told} {word}"


def _counted(word: str, model: type[_Row], at: datetime) -> "QuerySet[Any, Any]":
    """Return rows of source, target, word, topics and partitions."""
    rows = model.objects.filter(Q(until__isnull=True) | Q(until__gt=at)).order_by()
    whole = rows.filter(flow=OuterRef("flow"), topic=OuterRef("topic"), partition__isnull=True)
    counted = rows.filter(Q(partition__isnull=True) | ~Exists(whole)).values(
        "flow__source__alias", "flow__target__alias", word=Value(word)
    )
    return counted.annotate(
        topics=Count("pk", filter=Q(partition__isnull=True)), partitions=Count("partition")
    ).values_list("flow__source__alias", "flow__target__alias", "word", "topics", "partitions")
