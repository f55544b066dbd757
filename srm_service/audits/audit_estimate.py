"""The reading of a full audit of a flow, by the newest reports of its partitions."""

from dataclasses import dataclass
from typing import Annotated

from replication.domain.identifiers import FlowId
from srm_service.audits.audit_state import copied_topics
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.partitions import PartitionReport, partitions_of_flow


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEstimate:
    """The reading of a full audit. It reads the records of the source, and their copies on the target."""

    topics: int
    partitions: int
    records: Annotated[int | None, "of the source at most; null: unknown for every partition"]
    unmeasured: Annotated[int, "partitions without a report, whose records are not in `records`"]


def audit_estimate(flow: FlowId, live: LiveSnapshot, now_ms: int) -> AuditEstimate:
    """Return what an audit of all topics would read. Raises DatabaseError if the metrics store does not answer."""
    names = set(copied_topics(flow, live))
    found = {name: rows for name, rows in partitions_of_flow(flow, live, now_ms).items() if name in names}
    sizes = [_records(report) for rows in found.values() for report in rows]
    known = [size for size in sizes if size is not None]
    return AuditEstimate(
        topics=len(names),
        partitions=len(sizes),
        records=sum(known) if known else None,
        unmeasured=len(sizes) - len(known),
    )


def _records(report: PartitionReport) -> int | None:
    if report.source_start is None or report.source_end is None:
        return None
    return max(0, report.source_end - report.source_start)
