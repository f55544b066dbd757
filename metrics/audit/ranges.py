"""Decides which ranges of both logs an audit compares, and which it cannot. Pure."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from metrics.audit.cuts import ORIGIN, RANGE_OFFSETS, Cut
from replication.domain.offsets.offset_run import OffsetRun

Side = Literal["source", "target"]
_AGED = "older than what the other cluster still holds, or before the flow began"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenPartition:
    """One partition on both sides, as it stood when the audit froze it."""

    partition: int
    source_start: int  # log starts
    target_start: int
    end: Cut
    cuts: tuple[Cut, ...] = ()  # valid ones, ascending
    runs: tuple[OffsetRun, ...] = ()  # all known ones, superseded ones as well
    foreign: tuple[OffsetRun, ...] = ()  # runs of the flow the other way: what it wrote into our source topic
    proven: Cut | None = None  # where the last audit ended, for an incremental one
    recreated: bool = False  # the source topic had an older incarnation


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetRange:
    """Source offsets [source_from, source_to) whose copies are at target offsets [target_from, target_to)."""

    number: int
    partition: int
    source_from: int
    source_to: int
    target_from: int
    target_to: int

    @property
    def offsets(self) -> int:
        return (self.source_to - self.source_from) + (self.target_to - self.target_from)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCompared:
    """Offsets [first, next) of one side about which the audit says nothing, and why."""

    partition: int
    side: Side
    first: int
    next: int
    reason: str
    open: bool = False  # an audit with such a range does not call the copy equal


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionPlan:
    """The ranges of one partition that will be compared."""

    start: Cut
    end: Cut
    ranges: tuple[OffsetRange, ...]
    not_compared: tuple[NotCompared, ...] = field(default=())


def plan_partition(frozen: FrozenPartition, *, first_number: int, max_offsets: int | None = None) -> PartitionPlan:
    """Cut the partition into ranges; a limit leaves out the newest ones."""
    start = _start(frozen)
    if start is None:
        return PartitionPlan(start=frozen.end, end=frozen.end, ranges=(), not_compared=_whole(frozen))
    bounds = [start, *(cut for cut in frozen.cuts if start < cut <= frozen.end and _after(cut, start)), frozen.end]
    bounds = _thinned(bounds)
    ranges = tuple(
        OffsetRange(
            number=first_number + index,
            partition=frozen.partition,
            source_from=low.upstream,
            source_to=high.upstream,
            target_from=low.downstream,
            target_to=high.downstream,
        )
        for index, (low, high) in enumerate(itertools.pairwise(bounds))
    )
    if not ranges and start != frozen.proven:
        return PartitionPlan(start=start, end=start, ranges=(), not_compared=_whole(frozen))
    kept = _limited(ranges, max_offsets)
    end = Cut(kept[-1].source_to, kept[-1].target_to) if kept else start
    return PartitionPlan(start=start, end=end, ranges=kept, not_compared=_skipped_ends(frozen, start, end))


def uncovered_front(frozen: FrozenPartition) -> tuple[NotCompared, ...]:
    """Source offsets before the first place that both logs still hold, regardless of earlier proofs."""
    start = _start(replace(frozen, proven=None)) or frozen.end
    return _skipped(frozen, "source", frozen.source_start, start.upstream, _AGED)


def _start(frozen: FrozenPartition) -> Cut | None:
    """The first place that both logs still hold."""
    source_start, target_start = frozen.source_start, frozen.target_start
    if frozen.proven is not None and _holds(frozen.proven, source_start, target_start):
        return min(frozen.proven, frozen.end)
    first = frozen.cuts[0] if frozen.cuts else frozen.end
    is_whole = source_start == 0 and target_start == 0 and not frozen.recreated
    if is_whole and first.upstream > 0 and first.downstream > 0:
        return ORIGIN  # the first runs were lost with their driver
    candidates = [cut for cut in (*frozen.cuts, frozen.end) if _holds(cut, source_start, target_start)]
    inside = [_inside(run, source_start, target_start) for run in frozen.runs]
    candidates += [cut for cut in inside if cut is not None and _fits(cut, frozen)]
    return min(candidates, default=None)


def _inside(run: OffsetRun, source_start: int, target_start: int) -> Cut | None:
    """The first record of a run that both logs still hold."""
    upstream = max(run.upstream, source_start, run.upstream + target_start - run.downstream)
    downstream = run.translate(upstream)
    return None if downstream is None else Cut(upstream, downstream)


def _fits(cut: Cut, frozen: FrozenPartition) -> bool:
    """Return True if a cut contradicts no valid one."""
    return _after(frozen.end, cut) and all(_after(other, cut) or _after(cut, other) for other in frozen.cuts)


def _after(later: Cut, earlier: Cut) -> bool:
    return later.upstream >= earlier.upstream and later.downstream >= earlier.downstream


def _holds(cut: Cut, source_start: int, target_start: int) -> bool:
    return cut.upstream >= source_start and cut.downstream >= target_start


def _thinned(bounds: Sequence[Cut]) -> list[Cut]:
    """Leave out cuts that lie close together; where one side is empty both ends stay."""
    kept = [bounds[0]]
    for index, cut in enumerate(bounds[1:], 1):
        last = index == len(bounds) - 1
        if cut != kept[-1] and (last or _is_far(kept[-1], cut)):
            kept.append(cut)
    return kept


def _is_far(earlier: Cut, cut: Cut) -> bool:
    return max(cut.upstream - earlier.upstream, cut.downstream - earlier.downstream) >= RANGE_OFFSETS // 2


def _limited(ranges: tuple[OffsetRange, ...], max_offsets: int | None) -> tuple[OffsetRange, ...]:
    if max_offsets is None:
        return ranges
    taken = 0
    for index, each in enumerate(ranges):
        if taken >= max_offsets:
            return ranges[:index]
        taken += each.source_to - each.source_from
    return ranges


def _skipped_ends(frozen: FrozenPartition, start: Cut, end: Cut) -> tuple[NotCompared, ...]:
    if start == frozen.proven:
        front: tuple[NotCompared, ...] = ()
    else:
        front = (
            *_skipped(frozen, "source", frozen.source_start, start.upstream, _AGED),
            *_skipped(
                frozen, "target", frozen.target_start, start.downstream, "older copies, or aged out of the source"
            ),
        )
    return (*front, *_skipped(frozen, "source", end.upstream, frozen.end.upstream, "above the limit of this audit"))


def _whole(frozen: FrozenPartition) -> tuple[NotCompared, ...]:
    found = _skipped(frozen, "source", frozen.source_start, frozen.end.upstream, "no stretch of both logs is known")
    return tuple(replace(each, open=True) for each in found)


def _skipped(frozen: FrozenPartition, side: Side, first: int, following: int, reason: str) -> tuple[NotCompared, ...]:
    if first >= following:
        return ()
    return (NotCompared(partition=frozen.partition, side=side, first=first, next=following, reason=reason),)
