"""The partitions of consumer groups as the metrics store has them: ordered and paged by the database."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from django.db.models import F, Q, QuerySet

from replication.domain.identifiers import FlowId
from srm_service.core.api.pagination import Page, decode_cursor, encode_cursor, garbage_cursor
from srm_service.core.api.requests import Values
from srm_service.monitoring.models import GroupNow

_IDENTITY = ("consumer_group", "topic", "partition")
_VALUES = ("committed", "checkpointed", "log_end", "lag", "latency_ms", "last_ms")
ORDERINGS = {
    "group": "consumer_group",
    "topic": "topic",
    "partition": "partition",
    "lag_offsets": "lag",
    "checkpoint_latency_ms": "latency_ms",
    "updated_ms": "last_ms",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPartitionNow:
    """A partition of a consumer group by its newest report, also one that is no longer reported."""

    group: str
    topic: Annotated[str, "on the source"]
    partition: int
    committed: Annotated[int | None, "the group's offset on the source"]
    checkpointed: Annotated[int | None, "the translated offset on the target"]
    source_end: int | None
    lag_offsets: Annotated[int | None, "records that the group has not read; null: one of both offsets is unknown"]
    checkpoint_latency_ms: int | None
    updated_ms: int


def group_partitions(flow: FlowId, query: Values) -> Page[GroupPartitionNow]:
    """Return a page of a validated query. Raises DatabaseError, and ValidationError for a cursor of another list."""
    rows = GroupNow.objects.filter(source=flow.source, target=flow.target)
    for column, wanted in (("consumer_group", query["group"]), ("topic", query["topic"])):
        rows = rows.filter(**{column: wanted}) if wanted else rows
    ordering: str = query.get("ordering") or "group"
    column, descending = ORDERINGS[ordering.lstrip("-")], ordering.startswith("-")
    first = F(column).desc(nulls_last=True) if descending else F(column).asc(nulls_last=True)
    ordered = rows.annotate(lag=F("log_end") - F("committed")).order_by(first, *_IDENTITY)
    if query["cursor"]:
        ordered = _after(ordered, query["cursor"], ordering, column, descending=descending)
    limit: int = query["limit"]
    found = list(
        ordered.values(*_IDENTITY, "committed", "checkpointed", "log_end", "lag", "latency_ms", "last_ms")[: limit + 1]
    )
    cursor = None
    if len(found) > limit:
        last = found[limit - 1]
        cursor = encode_cursor(ordering, last[column], json.dumps([last[name] for name in _IDENTITY]))
    return Page(tuple(_row(row) for row in found[:limit]), cursor)


def _after(rows: QuerySet[Any], cursor: str, ordering: str, column: str, *, descending: bool) -> QuerySet[Any]:
    """Return the rows behind a cursor: those of a later value, and those of the same with a later identity."""
    value, key = decode_cursor(cursor, ordering)
    group, topic, partition = _identity(key)
    later = Q(consumer_group__gt=group) | Q(consumer_group=group) & (
        Q(topic__gt=topic) | Q(topic=topic, partition__gt=partition)
    )
    if value is None:
        return rows.filter(Q(**{f"{column}__isnull": True}) & later)
    if isinstance(value, str) is not (column in ("consumer_group", "topic")):
        raise garbage_cursor()
    beyond = Q(**{f"{column}__{'lt' if descending else 'gt'}": value})
    return rows.filter(beyond | Q(**{column: value}) & later | Q(**{f"{column}__isnull": True}))


def _identity(key: str) -> tuple[str, str, int]:
    try:
        match json.loads(key):
            case [str(group), str(topic), int(partition)] if abs(partition) < 2**31:
                return group, topic, partition
    except (ValueError, RecursionError) as error:
        raise garbage_cursor() from error
    raise garbage_cursor()


def _row(row: dict[str, Any]) -> GroupPartitionNow:
    lag = row["lag"]
    return GroupPartitionNow(
        group=row["consumer_group"],
        topic=row["topic"],
        partition=row["partition"],
        committed=row["committed"],
        checkpointed=row["checkpointed"],
        source_end=row["log_end"],
        lag_offsets=None if lag is None else max(0, lag),
        checkpoint_latency_ms=row["latency_ms"],
        updated_ms=row["last_ms"],
    )
