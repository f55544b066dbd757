"""The end of what an audit has proven of a partition. Pure."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from metrics.audit.cuts import Cut
from metrics.audit.findings import Finding
from metrics.audit.ranges import FrozenPartition, NotCompared, OffsetRange, PartitionPlan, uncovered_front

NOTHING = Cut(-1, -1)  # no audit begins here: it lies below every log start


@dataclass(frozen=True, slots=True)
class Proof:
    """A partition is proven equal below this cut; `until_ms`: so was everything the source held at that time."""

    cut: Cut
    until_ms: int | None


def proven_by(plan: PartitionPlan, wrong: Collection[Finding]) -> Cut:
    """The end of the last range before the first one in which something is wrong; NOTHING when none was compared."""
    proven = NOTHING
    for each in plan.ranges:
        if any(_lies_in(finding, each) for finding in wrong):
            return proven if proven != NOTHING else plan.start
        proven = Cut(each.source_to, each.target_to)
    return proven


def next_proof(
    frozen: FrozenPartition,
    plan: PartitionPlan,
    wrong: Collection[Finding],
    not_compared: Collection[NotCompared],
    earlier: Proof | None,
    frozen_ms: int,
) -> Proof:
    """The proof after this audit. Only a finding below an earlier one lowers it; a hole before the end holds it.

    `earlier` is of the same log; findings and ranges are those of this partition.
    """
    before = earlier or Proof(NOTHING, None)
    cut = proven_by(plan, wrong)
    if any(_lies_below(finding, before.cut) for finding in wrong):
        return Proof(min(cut, before.cut), None)
    holes = list(_holes(frozen, plan, not_compared, before))
    if any(hole.first < plan.end.upstream or hole.side == "target" for hole in holes) and before.until_ms is not None:
        return before
    cut = max(cut, before.cut)
    is_empty = frozen.source_start >= frozen.end.upstream
    reached = is_empty or (cut != NOTHING and cut.upstream >= frozen.end.upstream)
    return Proof(cut, frozen_ms if reached and not wrong and not holes else before.until_ms)


def _holes(
    frozen: FrozenPartition, plan: PartitionPlan, not_compared: Collection[NotCompared], before: Proof
) -> Iterator[NotCompared]:
    """Source offsets that neither this audit nor an earlier one can vouch for."""
    covered = frozen.source_start if before.until_ms is None else max(frozen.source_start, before.cut.upstream)
    front = uncovered_front(frozen) if before.until_ms is None else ()
    for each in (*front, *not_compared):
        if each.next > (covered if each.side == "source" else plan.start.downstream):
            yield each


def _lies_below(finding: Finding, cut: Cut) -> bool:
    offsets = (finding.source_offset, finding.target_offset)
    if offsets == (None, None):
        return cut != NOTHING
    on_source = finding.source_offset is not None and finding.source_offset < cut.upstream
    return on_source or (finding.target_offset is not None and finding.target_offset < cut.downstream)


def _lies_in(finding: Finding, each: OffsetRange) -> bool:
    """A finding without offsets may lie anywhere."""
    if finding.source_offset is None and finding.target_offset is None:
        return True
    on_source = _touches(finding.source_offset, finding.records, each.source_from, each.source_to)
    return on_source or _touches(finding.target_offset, finding.records, each.target_from, each.target_to)


def _touches(offset: int | None, records: int, first: int, following: int) -> bool:
    return offset is not None and offset < following and offset + records > first
