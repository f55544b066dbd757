"""The audit of one frozen topic: fingerprints of all ranges, then the bad ones record by record."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from metrics.audit.coverage import Span
from metrics.audit.findings import Finding, joined
from metrics.audit.fingerprints import Difference, Fingerprint, differences
from metrics.audit.islands import islands
from metrics.audit.ranges import NotCompared, PartitionPlan, Side, plan_partition
from metrics.audit.slices import Slice, sampled, slice_offsets, slices
from metrics.jobs.audit_drill import by_count, drill_down
from metrics.jobs.audit_frames import fingerprinted, fingerprints
from metrics.jobs.audit_freeze import Freezer
from metrics.jobs.audit_last_values import last_values, read_last_values
from metrics.jobs.audit_rows import TopicRows
from metrics.jobs.context import JobContext

Say = Callable[[float, str], None]  # how much of the topic is done, 0 to 1, and a line for people

_MAX_LAST_VALUES = 10_000
_MAX_HOLES = 100  # of a partition; the last one then stands for all that follow
_DRILL_DOWN_AT = 0.9


@dataclass(slots=True)
class TopicResult:
    """What the audit of a topic came to."""

    compared: str = "records"
    records_source: int = 0
    records_target: int = 0
    ranges: int = 0
    ranges_bad: int = 0
    foreign_records: int = 0
    findings: list[Finding] = field(default_factory=list)
    not_compared: list[NotCompared] = field(default_factory=list)
    plans: dict[int, PartitionPlan] = field(default_factory=dict)


def audit_topic(context: JobContext, rows: TopicRows, freezer: Freezer, say: Say) -> TopicResult:
    """Compare one topic as the spec asks. Raises JobCancelledError, and what Spark and the clusters raise."""
    result = TopicResult(not_compared=list(rows.frozen.not_compared))
    _plan(rows, result)
    if rows.frozen.compacted and not rows.spec.counts_only:
        _compare_last_values(rows, freezer, result, say)
    else:
        _compare_ranges(context, rows, freezer, result, say)
    result.findings = joined(result.findings)
    return result


def _plan(rows: TopicRows, result: TopicResult) -> None:
    number = 0
    for each in rows.frozen.partitions:
        is_further = rows.spec.mode == "incremental" and not rows.frozen.compacted
        frozen = each if is_further else replace(each, proven=None)
        plan = plan_partition(frozen, first_number=number, max_offsets=rows.spec.max_offsets)
        number += len(plan.ranges) + 1  # a hole in the numbers: ranges of two partitions are no neighbours
        result.plans[each.partition] = plan
        result.not_compared += plan.not_compared


def _compare_ranges(context: JobContext, rows: TopicRows, freezer: Freezer, result: TopicResult, say: Say) -> None:
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
    if spec.counts_only:
        result.not_compared += [each for plan in result.plans.values() for each in _unaccounted(rows, plan)]
    found = _still_there(freezer, rows, found, result)
    result.ranges_bad = len(found)
    if spec.counts_only:
        result.findings += [by_count(each, rows.partition(each.range.partition)) for each in found]
    elif found:
        say(_DRILL_DOWN_AT, f"{len(found)} of {len(chosen)} ranges differ, reading them record by record")
        drilled = drill_down(context, rows, islands(ranges, found))
        result.findings += drilled.findings
        result.foreign_records += drilled.foreign


def _unaccounted(rows: TopicRows, plan: PartitionPlan) -> Iterator[NotCompared]:
    """Source offsets of which no run says that they were copied: counts cannot tell what became of those."""
    for partition in {each.partition for each in plan.ranges}:
        holes = rows.not_read(partition, plan.start.upstream, plan.end.upstream)
        if len(holes) > _MAX_HOLES:
            holes = [*holes[: _MAX_HOLES - 1], (holes[_MAX_HOLES - 1][0], holes[-1][1])]
        for first, following in holes:
            reason = "no offset run says that these were copied"
            yield NotCompared(partition=partition, side="source", first=first, next=following, reason=reason, open=True)


def _slice_differences(rows: TopicRows, each: Slice, result: TopicResult) -> list[Difference]:
    """One Spark job over both sides."""
    frames = []
    spans: tuple[tuple[Side, Mapping[int, Span]], ...] = (("source", each.source), ("target", each.target))
    for side, by_partition in spans:
        pieces = [piece for one in each.ranges for piece in rows.range_pieces(side, one)]
        frames.append(fingerprinted(rows.assigned(side, by_partition, pieces), side))
    found = fingerprints(frames[0].unionByName(frames[1]))
    result.records_source += _records(found["source"])
    result.records_target += _records(found["target"])
    return differences(each.ranges, found["source"], found["target"], counts_only=rows.spec.counts_only)


def _records(found: Mapping[int, Fingerprint]) -> int:
    return sum(fingerprint.count for fingerprint in found.values())


def _rest(context: JobContext, rate: int | None, each: Slice, began_s: float) -> None:
    """Keep to the rate asked for."""
    until_s = began_s + (each.offsets / rate if rate else 0.0)
    while (left_s := until_s - time.monotonic()) > 0:
        context.check_cancelled()
        time.sleep(min(left_s, 0.5))


def _still_there(freezer: Freezer, rows: TopicRows, found: list[Difference], result: TopicResult) -> list[Difference]:
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


def _compare_last_values(rows: TopicRows, freezer: Freezer, result: TopicResult, say: Say) -> None:
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
    result.findings += [
        Finding(
            partition=partition,
            kind=kind,
            source_offset=None,
            target_offset=None,
            records=keys,
            detail="last values of further keys, not listed",
        )
        for (partition, kind), keys in found.not_listed.items()
    ]
    result.findings += [
        Finding(
            partition=each.partition,
            kind=each.kind,
            source_offset=each.source_offset,
            target_offset=each.target_offset,
            detail="last value of its key",
        )
        for each in found.differing
    ]
    result.records_source, result.records_target = found.keys_source, found.keys_target
    result.ranges = len(plans)
    result.ranges_bad = len({finding.partition for finding in result.findings})
