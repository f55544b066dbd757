"""The partitions of a topic that were measured, ordered and cut by the database.

A partition that was copied to several remote topics counts with its newest report. The name of a row is the number of
the partition with leading zeros, so that names sort as numbers do.
"""

from collections.abc import Collection, Iterable
from typing import Any

from django.db import connections
from django.db.models import BigIntegerField, Case, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Collate

from replication.domain.identifiers import FlowId
from srm_service.monitoring.flows.topics import NOW_MS
from srm_service.monitoring.models import PartitionNow, Series
from srm_service.monitoring.topics.listing import Row
from srm_service.monitoring.topics.stored_topics import COLLATIONS

_NO_LAG = -(2**53)  # before every record's time
# how long a record has waited, as an order that stays the same while time passes
_WAITING = Case(
    When(lag=0, then=Value(_NO_LAG)),
    When(lag__isnull=False, then=-F("last_record_ms")),
    output_field=BigIntegerField(null=True),
)
VALUES: dict[str, Combinable] = {
    "lag_offsets": F("lag"),
    "lag_ms": _WAITING,
    "last_record_ms": F("last_record_ms"),
    "records_per_second": F("records_per_second"),
    "bytes_per_second": F("bytes_per_second"),
    "updated_ms": F("last_ms"),
}
_OF_ANY_AGE = ("last_record_ms", "updated_ms")  # the others are null if the report is not of now
STATE = "state"


def row_name(partition: int) -> str:
    return f"{partition:010}"


class StoredPartitions:
    """The partitions of one topic. All methods raise DatabaseError."""

    def __init__(self, flow: FlowId, topic: str, at_ms: int) -> None:
        self._own = Series.objects.filter(source=flow.source, target=flow.target, topic=topic, partition__gte=0)
        self._at_ms = at_ms

    def names(self, after: str | None, most: int, *, descending: bool = False) -> list[str]:
        """Return the next partitions; from the first one if `after` is None."""
        rows = self._own
        if after is not None:
            rows = rows.filter(**{f"partition__{'lt' if descending else 'gt'}": int(after)})
        ordered = rows.order_by("-partition" if descending else "partition")
        return list(map(row_name, ordered.values_list("partition", flat=True).distinct()[:most]))

    def valued(
        self, column: str, after: Row | None, most: int, *, without: Collection[str], descending: bool
    ) -> list[Row]:
        """Return the next partitions that have a value, by it and by number."""
        rows = self._with_value(column, without).filter(value__isnull=False)
        if after is not None:
            value, name = after
            beyond = Q(**{f"value__{'lt' if descending else 'gt'}": value})
            rows = rows.filter(beyond | Q(value=value, partition__gt=int(name)))
        ordered = rows.order_by(F("value").desc() if descending else F("value").asc(), "partition")
        return [(value, row_name(number)) for number, value in ordered.values_list("partition", "value")[:most]]

    def without_value(self, column: str, after: str | None, most: int, *, without: Collection[str]) -> list[str]:
        """Return the next partitions that have no value."""
        rows = self._with_value(column, without).filter(value__isnull=True)
        if after is not None:
            rows = rows.filter(partition__gt=int(after))
        return list(map(row_name, rows.order_by("partition").values_list("partition", flat=True)[:most]))

    def present(self, names: Iterable[str]) -> set[str]:
        """Return those of the partitions that were measured."""
        found = self._own.filter(partition__in=list(map(int, names))).values_list("partition", flat=True)
        return set(map(row_name, found))

    def _with_value(self, column: str, without: Collection[str]) -> QuerySet[Any, Any]:
        """The newest report of each partition."""
        fresh = _report() if column in _OF_ANY_AGE else _report().filter(last_ms__gte=self._at_ms - NOW_MS)
        value: Combinable = Collate(column, COLLATIONS[connections[Series.objects.db].vendor])
        if column != STATE:
            value = VALUES[column]
        same = _with_time(self._own.filter(partition=OuterRef("partition")))
        newer = same.filter(Q(last_ms__gt=OuterRef("last_ms")) | Q(last_ms=OuterRef("last_ms"), id__lt=OuterRef("id")))
        rows = self._own.exclude(partition__in=list(map(int, without))) if without else self._own
        newest = _with_time(rows).filter(~Exists(newer))
        found: QuerySet[Any, Any] = newest.annotate(value=Subquery(fresh.values(of=value)[:1]))
        return found


def _report() -> QuerySet[PartitionNow]:
    return PartitionNow.objects.filter(series_id=OuterRef("id"))


def _with_time(rows: QuerySet[Series]) -> QuerySet[Any, Any]:
    timed: QuerySet[Any, Any] = rows.annotate(last_ms=Coalesce(Subquery(_report().values("last_ms")[:1]), 0))
    return timed
