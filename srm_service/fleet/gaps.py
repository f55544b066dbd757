"""Queries of gaps: source records that flows do not copy."""

from dataclasses import dataclass
from typing import Annotated, get_args

from django.db.models import Q, QuerySet

from replication.domain.identifiers import FlowId
from replication.domain.settings.choices import GapPolicy, TargetPolicy
from srm_service.monitoring.models import Gap

RECORDED_POLICIES: tuple[str, ...] = tuple(dict.fromkeys((*get_args(GapPolicy), *get_args(TargetPolicy))))
_EXACT = ("source", "target", "topic", "partition", "cause", "policy")


@dataclass(frozen=True, slots=True, kw_only=True)
class GapFilter:
    """The wanted gaps; an empty field does not filter."""

    source: str = ""
    target: str = ""
    topic: str = ""
    partition: int | None = None
    cause: str = ""
    policy: str = ""
    from_ms: int | None = None
    to_ms: int | None = None
    flows: frozenset[FlowId] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GapDto:
    """Source records that a flow does not copy."""

    id: int
    detected_ms: int
    source: str
    target: str
    topic: Annotated[str, "of the source"]
    partition: int
    cause: str
    from_offset: Annotated[int, "first source offset that is not copied"]
    to_offset: Annotated[int | None, "the offset after the last one; null if it is unknown"]
    records: Annotated[int | None, "number of offsets; null if it is unknown"]
    policy: Annotated[str, "the flow's policy for such gaps when it was detected"]
    topic_id: Annotated[str, "of the source topic"]


def gap_rows(wanted: GapFilter) -> QuerySet[Gap]:
    """Return the wanted gaps."""
    given = {name: value for name in _EXACT if (value := getattr(wanted, name)) not in ("", None)}
    gaps = Gap.objects.filter(**given)
    if wanted.from_ms is not None:
        gaps = gaps.filter(detected_ms__gte=wanted.from_ms)
    if wanted.to_ms is not None:
        gaps = gaps.filter(detected_ms__lt=wanted.to_ms)
    if wanted.flows is None:
        return gaps
    condition = Q(pk__in=[])
    for flow in wanted.flows:
        condition |= Q(target=flow.target, source=flow.source)
    return gaps.filter(condition)


def gap_dto(gap: Gap) -> GapDto:
    return GapDto(
        id=gap.pk,
        detected_ms=gap.detected_ms,
        source=gap.source,
        target=gap.target,
        topic=gap.topic,
        partition=gap.partition,
        cause=gap.cause,
        from_offset=gap.from_offset,
        to_offset=gap.to_offset,
        records=gap.count,
        policy=gap.policy,
        topic_id=gap.topic_id,
    )
