"""Filters that events and gaps share: rows of the metrics store that a driver reported about a flow."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

from replication.domain.identifiers import FlowId

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedFilter:
    """The wanted rows; an empty field does not filter."""

    source: str = ""
    target: str = ""
    topic: str = ""
    partition: int | None = None
    cause: str = ""
    from_ms: int | None = None
    to_ms: int | None = None
    flows: frozenset[FlowId] | None = None


COMMON = ("source", "target", "topic", "partition", "cause")


def reported_rows(rows: QuerySet[Row], wanted: ReportedFilter, exact: Collection[str], *, time: str) -> QuerySet[Row]:
    """Return the rows that have the wanted values in the columns `exact`; `time` is the column of the time range."""
    given = {name: value for name in exact if (value := getattr(wanted, name)) not in ("", None)}
    if wanted.from_ms is not None:
        given[f"{time}__gte"] = wanted.from_ms
    if wanted.to_ms is not None:
        given[f"{time}__lt"] = wanted.to_ms
    found = rows.filter(**given)
    return found if wanted.flows is None else found.filter(_of_flows(wanted.flows))


def _of_flows(flows: frozenset[FlowId]) -> Q:
    """Return the condition by target, so that it stays short with many flows."""
    sources: dict[str, list[str]] = {}
    for flow in flows:
        sources.setdefault(flow.target, []).append(flow.source)
    condition = Q(pk__in=[])
    for target, of_target in sources.items():
        condition |= Q(target=target, source__in=of_target)
    return condition
