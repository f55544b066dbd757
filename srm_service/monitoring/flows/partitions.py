"""The partitions of a topic of a flow, as the drivers reported them last."""

from dataclasses import dataclass
from typing import Annotated

from replication.domain.identifiers import FlowId
from srm_service.monitoring.models import PartitionNow, Series

# Idle partitions are reported once a minute; what is older is not the state of now.
_NOW_MS = 180_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionReport:
    """The newest report of a partition. State, lag and rates are null once it is older than three minutes."""

    partition: int
    remote_topic: str
    state: str | None
    cause: str | None
    copied_to: Annotated[int | None, "next source offset to copy"]
    source_end: Annotated[int | None, "end of the source partition at the report"]
    target_end: Annotated[int | None, "end of the remote partition at the report"]
    lag_offsets: int | None
    records_per_second: float | None
    bytes_per_second: float | None
    updated_ms: Annotated[int | None, "time of the report, in ms since the epoch; null: none yet"]


def partitions_now(flow: FlowId, topic: str, now_ms: int) -> list[PartitionReport]:
    """Return the partitions of a topic, by number. Raises DatabaseError if the metrics store does not answer.

    A topic that was copied under several names has one row per partition: that of its newest report.
    """
    series = Series.objects.filter(source=flow.source, target=flow.target, topic=topic, partition__gte=0)
    rows = {row.id: row for row in series}
    reports = {row.series_id: row for row in PartitionNow.objects.filter(series_id__in=rows)}
    newest: dict[int, PartitionReport] = {}
    for series_id, row in rows.items():
        found = _report(row, reports.get(series_id), now_ms)
        known = newest.get(row.partition)
        if known is None or (found.updated_ms or 0) > (known.updated_ms or 0):
            newest[row.partition] = found
    return [newest[number] for number in sorted(newest)]


def _report(series: Series, now: PartitionNow | None, now_ms: int) -> PartitionReport:
    fresh = now if now is not None and now_ms - now.last_ms <= _NOW_MS else None
    return PartitionReport(
        partition=series.partition,
        remote_topic=series.remote_topic,
        state=fresh.state if fresh else None,
        cause=fresh.cause if fresh else None,
        copied_to=now.covered_to if now else None,
        source_end=now.log_end if now else None,
        target_end=now.downstream_end if now else None,
        lag_offsets=fresh.lag if fresh else None,
        records_per_second=fresh.records_per_second if fresh else None,
        bytes_per_second=fresh.bytes_per_second if fresh else None,
        updated_ms=now.last_ms if now else None,
    )
