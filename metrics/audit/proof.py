"""How far an audit has proven a partition. Pure."""

from collections.abc import Collection

from metrics.audit.cuts import Cut
from metrics.audit.findings import Finding
from metrics.audit.ranges import PartitionPlan, Range


def proven_by(plan: PartitionPlan, wrong: Collection[Finding]) -> Cut:
    """The end of the last range before the first one in which something is wrong."""
    proven = plan.start
    for each in plan.ranges:
        if any(_lies_in(finding, each) for finding in wrong):
            return proven
        proven = Cut(each.source_to, each.target_to)
    return proven if plan.ranges or not wrong else plan.start


def _lies_in(finding: Finding, each: Range) -> bool:
    on_source = _touches(finding.source_offset, finding.records, each.source_from, each.source_to)
    return on_source or _touches(finding.target_offset, finding.records, each.target_from, each.target_to)


def _touches(offset: int | None, records: int, first: int, following: int) -> bool:
    return offset is not None and offset < following and offset + records > first
