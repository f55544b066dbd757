"""Queries of gaps: source records that flows do not copy."""

from dataclasses import dataclass
from typing import Annotated, get_args

from django.db.models import QuerySet

from replication.domain.settings.choices import GapPolicy, TargetPolicy
from srm_service.monitoring.models import Gap
from srm_service.monitoring.reported_rows import COMMON, ReportedFilter, reported_rows

RECORDED_POLICIES: tuple[str, ...] = tuple(dict.fromkeys((*get_args(GapPolicy), *get_args(TargetPolicy))))


@dataclass(frozen=True, slots=True, kw_only=True)
class GapFilter(ReportedFilter):
    """The wanted gaps; an empty field does not filter."""

    policy: str = ""


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
    return reported_rows(Gap.objects.all(), wanted, (*COMMON, "policy"), time="detected_ms")


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
