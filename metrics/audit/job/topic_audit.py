"""The audit of one frozen topic: fingerprints of all ranges, then the bad ones record by record."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from pyspark.sql import DataFrame

from metrics.audit.coverage import Span, united
from metrics.audit.findings import Finding, joined
from metrics.audit.fingerprints import Difference, Fingerprint, differences
from metrics.audit.islands import islands
from metrics.audit.job.frames import RangePart, fingerprinted, fingerprints
from metrics.audit.job.frozen_logs import Freezer
from metrics.audit.job.last_values import LastValue, last_values, read_last_values
from metrics.audit.job.record_comparison import by_count, drill_down
from metrics.audit.job.recorded_separately import (
    CountedRange,
    FilteredCount,
    count_records,
    counted_pieces,
    loss_findings,
    unnamed,
)
from metrics.audit.job.rows import TopicRows
from metrics.audit.ranges import NotCompared, PartitionPlan, Side, plan_partition
from metrics.audit.recorded_loss import within_range
from metrics.audit.slices import Slice, sampled, slice_offsets, slices
from metrics.jobs.context import JobContext
from replication.domain.reporting.audit_words import FindingKind

Say = Callable[[float, str], None]  # how much of the topic is done, 0 to 1, and a line for people

_MAX_LAST_VALUES = 10_000
_MAX_HOLES = 100  # of a partition; the last one then covers all that follow
_DRILL_DOWN_AT = 0.9


@dataclass(slots=True)
class TopicComparison:
    """The result of the audit of a topic."""

    compared: str = "records"
    records_source: int = 0
    records_target: int = 0
    ranges: int = 0
    ranges_bad: int = 0
    filtered_records: int = 0
    local_records: int = 0
    unnamed: Counter[tuple[Side, int]] = field(default_factory=Counter)  # by side and partition: no run names these
    findings: list[Finding] = field(default_factory=list)
    not_compared: list[NotCompared] = field(default_factory=list)
    plans: dict[int, PartitionPlan] = field(default_factory=dict)


def audit_topic(
    context: JobContext, rows: TopicRows, freezer: Freezer, filtered: FilteredCount, say: Say
) -> TopicComparison:
    """Compare one topic as the spec asks. Raises JobCancelledError, and what Spark and the clusters raise."""
    result = TopicComparison(not_compared=list(rows.frozen.not_compared))
    _plan(rows, result)
    if rows.frozen.compacted and not rows.spec.counts_only:
        _compare_last_values(rows, freezer, result, say)
    else:
        _compare_ranges(context, rows, freezer, result, say)
    if result.compared == "counts":
        _compare_counts(rows, filtered, result)
    result.findings = joined(result.findings)
    return result


def _plan(rows: TopicRows, result: TopicComparison) -> None:
    number = 0
    for each in rows.frozen.partitions:
        is_further = rows.spec.mode == "incremental" and not rows.frozen.compacted
        frozen = each if is_further else replace(each, proven=None)
        plan = plan_partition(frozen, first_number=number, max_offsets=rows.spec.max_offsets)
        number += len(plan.ranges) + 1  # a hole in the numbers: ranges of two partitions are no neighbours
        result.plans[each.partition] = plan
        result.not_compared += plan.not_compared


def _compare_ranges(context: JobContext, rows: TopicRows, freezer: Freezer, result: TopicComparison, say: Say) -> None:
    spec = rows.spec
    result.compared = "counts" if spec.counts_only else "records"
    ranges = [each for plan in result.plans.values() for each in plan.ranges]
    chosen = sampled(ranges, spec.sample, context.job_id) if spec.mode == "sample" else ranges
    work = list(slices(chosen, slice_offsets(spec.records_per_second)))
    found: list[Difference] = []
    for index, each in enumerate(work):
        context.check_cancelled()
        began_s = time.monotonic()
        found += _slice_differences(rows, each, result)
        say(_DRILL_DOWN_AT * (index + 1) / len(work), f"{result.records_source:,} records compared")
        _rest(context, spec.records_per_second, each, began_s)
    result.ranges = len(chosen)
    if spec.shared:
        result.local_records = sum(count for (side, _), count in result.unnamed.items() if side == "target")
    found = _still_there(freezer, rows, found, result)
    result.ranges_bad = len(found)
    if spec.counts_only:
        result.findings += [by_count(each, rows.partition(each.range.partition)) for each in found]
    elif found:
        say(_DRILL_DOWN_AT, f"{len(found)} of {len(chosen)} ranges differ, reading them record by record")
        counted = {number: _local_counted(rows, plan) for number, plan in result.plans.items()}
        drilled = drill_down(context, rows, islands(ranges, found), counted)
        result.findings += drilled.findings
        result.not_compared += drilled.not_compared
        result.local_records += drilled.local


def _local_counted(rows: TopicRows, plan: PartitionPlan) -> list[Span]:
    """Target offsets in which records of others were counted while the ranges were compared; disjoint."""
    return united([(each.target_from, each.target_to) for each in plan.ranges if rows.counts_local(each)])


def _compare_counts(rows: TopicRows, filtered: FilteredCount, result: TopicComparison) -> None:
    """Match the records that no run names with those counted as filtered; the others may be copies of lost runs."""
    left = 0
    for number, plan in result.plans.items():
        ours, theirs = result.unnamed["source", number], result.unnamed["target", number]
        if rows.spec.shared:
            theirs = 0  # others' records, for all that is known
        left += max(0, ours - theirs)
        if theirs > ours:
            reason = f"{theirs - ours} records more than the source has, and no offset run says who wrote them"
            at = plan.start.downstream, plan.end.downstream
            result.not_compared.append(
                NotCompared(partition=number, side="target", first=at[0], next=at[1], reason=reason, open=True)
            )
    if filtered.covers(left):
        result.filtered_records = left
    else:
        result.not_compared += [each for plan in result.plans.values() for each in _unaccounted(rows, plan)]


def _unaccounted(rows: TopicRows, plan: PartitionPlan) -> Iterator[NotCompared]:
    """Source offsets of which no run says that they were copied, when there are more than were counted as filtered."""
    for partition in {each.partition for each in plan.ranges}:
        holes = rows.not_read(partition, plan.start.upstream, plan.end.upstream)
        if len(holes) > _MAX_HOLES:
            holes = [*holes[: _MAX_HOLES - 1], (holes[_MAX_HOLES - 1][0], holes[-1][1])]
        for first, following in holes:
            reason = "no offset run says that these were copied, and not so many are counted as filtered"
            yield NotCompared(partition=partition, side="source", first=first, next=following, reason=reason, open=True)


def _slice_differences(rows: TopicRows, each: Slice, result: TopicComparison) -> list[Difference]:
    """One Spark job over both sides, and over the records that are counted separately."""
    frames: list[DataFrame] = []
    counted_ranges: list[CountedRange] = []
    spans: tuple[tuple[Side, Mapping[int, Span]], ...] = (("source", each.source), ("target", each.target))
    for side, by_partition in spans:
        pieces = [piece for one in each.ranges for piece in rows.range_pieces(side, one)]
        counted_ranges += [part for one in each.ranges for part in rows.counted_ranges(side, one)]
        separate = counted_pieces(counted_ranges, side)
        if rows.spec.counts_only:  # else they are read by themselves: rows in between would change the places
            pieces, separate = pieces + separate, []
        frames.append(fingerprinted(rows.assigned(side, by_partition, pieces), side))
        if separate:
            frames.append(fingerprinted(rows.assigned(side, _around(separate), separate), side))
    found = fingerprints(reduce(DataFrame.unionByName, frames))
    counted = count_records(counted_ranges, found)
    without_run = unnamed(counted)
    result.findings += loss_findings(counted)
    result.unnamed += without_run
    result.records_source += _compared(found["source"]) + sum(n for each, n in counted if each.side == "source")
    result.records_target += _compared(found["target"])
    if not rows.spec.shared:
        result.records_target += sum(n for (side, _), n in without_run.items() if side == "target")
    return differences(each.ranges, found["source"], found["target"], counts_only=rows.spec.counts_only)


def _around(pieces: Iterable[RangePart]) -> dict[int, Span]:
    """By partition, the range that holds all of its pieces."""
    spans: dict[int, Span] = {}
    for piece in pieces:
        first, following = spans.get(piece.partition, (piece.first, piece.next))
        spans[piece.partition] = (min(first, piece.first), max(following, piece.next))
    return spans


def _compared(found: Mapping[int, Fingerprint]) -> int:
    return sum(fingerprint.count for number, fingerprint in found.items() if number >= 0)


def _rest(context: JobContext, rate: int | None, each: Slice, began_s: float) -> None:
    """Keep to the rate asked for."""
    until_s = began_s + (each.offsets / rate if rate else 0.0)
    while (left_s := until_s - time.monotonic()) > 0:
        context.check_cancelled()
        time.sleep(min(left_s, 0.5))


def _still_there(
    freezer: Freezer, rows: TopicRows, found: list[Difference], result: TopicComparison
) -> list[Difference]:
    """Without ranges whose records aged out while they were compared, equal ones too: nothing is known of those."""
    starts = freezer.log_starts(rows.frozen.pair)
    for number, plan in result.plans.items():
        source_start, target_start = starts.get(("source", number), 0), starts.get(("target", number), 0)
        result.not_compared += [
            *_aged(number, "source", plan.start.upstream, min(source_start, plan.end.upstream)),
            *_aged(number, "target", plan.start.downstream, min(target_start, plan.end.downstream)),
        ]
    return [
        each
        for each in found
        if each.range.source_from >= starts.get(("source", each.range.partition), 0)
        and each.range.target_from >= starts.get(("target", each.range.partition), 0)
    ]


def _aged(partition: int, side: Side, first: int, following: int) -> Iterator[NotCompared]:
    if first < following:
        reason = "aged out while it was compared"
        yield NotCompared(partition=partition, side=side, first=first, next=following, reason=reason)


def _compare_last_values(rows: TopicRows, freezer: Freezer, result: TopicComparison, say: Say) -> None:
    """A compacted topic: the last value of every key below the frozen ends.

    Both sides are read to their ends of now, so that a key which is being written again is left for the next audit.
    """
    result.compared = "last values"
    say(0.1, "comparing the last value of every key")
    now = freezer.ends_now(rows.frozen.pair)
    plans = result.plans
    source_ends = {number: plan.end.upstream for number, plan in plans.items()}
    target_ends = {number: plan.end.downstream for number, plan in plans.items()}
    source = rows.hashed(
        "source", {n: (plan.start.upstream, max(now["source", n], source_ends[n])) for n, plan in plans.items()}
    )
    target = rows.hashed(
        "target", {n: (plan.start.downstream, max(now["target", n], target_ends[n])) for n, plan in plans.items()}
    )
    found = read_last_values(last_values(source, target, source_ends, target_ends), _MAX_LAST_VALUES)
    result.findings += [_not_listed(at, keys) for at, keys in found.not_listed.items()]
    result.findings += [_last_value_finding(rows, each) for each in found.differing]
    result.records_source, result.records_target = found.keys_source, found.keys_target
    result.ranges = len(plans)
    result.ranges_bad = len({finding.partition for finding in result.findings})


def _not_listed(at: tuple[int, FindingKind], keys: int) -> Finding:
    """Return one finding for the keys of a partition and a kind that are only counted."""
    return Finding(
        partition=at[0],
        kind=at[1],
        source_offset=None,
        target_offset=None,
        records=keys,
        detail="last values of further keys, not listed",
    )


def _last_value_finding(rows: TopicRows, each: LastValue) -> Finding:
    kind, detail = _explained(rows, each)
    return Finding(
        partition=each.partition,
        kind=kind,
        source_offset=each.source_offset,
        target_offset=each.target_offset,
        detail=detail,
    )


def _explained(rows: TopicRows, each: LastValue) -> tuple[FindingKind, str]:
    """A last value that was skipped on purpose explains why the copy lacks it, or holds an older one."""
    at = each.source_offset
    losses = () if at is None else within_range(rows.losses(each.partition), at, at + 1)
    if losses and each.kind in ("missing", "changed"):
        return losses[0].kind, losses[0].reason
    return each.kind, "last value of its key"
