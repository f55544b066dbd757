"""The offsets of a range that are compared, and those that are only counted."""

from dataclasses import replace
from typing import Any

import pytest

from metrics.audit.cuts import Cut
from metrics.audit.findings import Finding
from metrics.audit.fingerprints import Difference, Fingerprint
from metrics.audit.islands import Island
from metrics.audit.job.frozen_logs import FrozenTopic
from metrics.audit.job.last_values import LastValue
from metrics.audit.job.record_comparison import _copies, _is_local, _is_untold, _untold
from metrics.audit.job.recorded_separately import FilteredCount
from metrics.audit.job.rows import TopicRows
from metrics.audit.job.topic_audit import TopicComparison, _compare_counts, _explained
from metrics.audit.ranges import FrozenPartition, OffsetRange, PartitionPlan
from metrics.audit.recorded_loss import RecordedLoss
from metrics.audit.records import HashedRecord
from metrics.audit.spec import AuditedTopic, AuditSpec
from replication.domain.offsets.offset_run import OffsetRun
from replication.domain.reporting.audit_words import FindingKind

PAIR = AuditedTopic(upstream="t", remote="a.t")
SPEC = AuditSpec(source="a", target="b", topics=(PAIR,))
WHOLE = OffsetRange(number=4, partition=0, source_from=0, source_to=100, target_from=0, target_to=90)
GAP = RecordedLoss(partition=0, kind="gap", first=60, next=70, reason="why", at_ms=0)


def rows(**changes: Any) -> TopicRows:
    """Runs name source 0-50 and 80-100; the flow the other way wrote source 50-55; others wrote target 55-60."""
    partition = FrozenPartition(
        partition=0,
        source_start=0,
        target_start=0,
        end=Cut(100, 90),
        runs=(OffsetRun(0, 5, 50), OffsetRun(80, 60, 20)),
        foreign=(OffsetRun(1_000, 50, 5),),
    )
    frozen = FrozenTopic(
        pair=PAIR,
        topic_id="aa",
        remote_topic_id="bb",
        frozen_ms=0,
        partitions=(partition,),
        not_compared=(),
        compacted=False,
        with_timestamp=True,
    )
    no_session: Any = None
    return TopicRows(no_session, replace(SPEC, **changes), {}, frozen, [GAP, replace(GAP, partition=1)])


def spans(of: TopicRows, side: Any) -> list[tuple[int, int]]:
    return [(piece.first, piece.next) for piece in of.range_pieces(side, WHOLE)]


def counted(of: TopicRows, side: Any) -> list[tuple[bool, tuple[tuple[int, int], ...], int | None]]:
    return [(each.loss is not None, each.spans, each.around) for each in of.counted_ranges(side, WHOLE)]


def test_what_was_skipped_or_came_from_the_target_is_not_compared() -> None:
    assert spans(rows(), "source") == [(0, 50), (55, 60), (70, 100)]
    assert spans(rows(), "target") == [(0, 90)]
    assert counted(rows(), "source") == [(True, ((60, 70),), None)]
    assert counted(rows(), "target") == []


def test_where_others_write_only_what_runs_name_is_compared_and_the_rest_is_local() -> None:
    shared = rows(shared=True)

    assert spans(shared, "source") == [(0, 50), (55, 60), (70, 100)]
    assert spans(shared, "target") == [(5, 55), (60, 80)]
    assert counted(shared, "target") == [(False, ((0, 5), (55, 60), (80, 90)), None)]


def test_where_no_run_is_known_the_whole_target_is_compared_although_others_may_write() -> None:
    shared, before = rows(shared=True), replace(WHOLE, source_from=55, source_to=80)

    assert shared.counts_local(WHOLE)
    assert not shared.counts_local(before)
    assert [(each.first, each.next) for each in shared.range_pieces("target", before)] == [(0, 90)]
    assert list(shared.counted_ranges("target", before)) == []
    assert shared.counts_local(replace(WHOLE, source_from=60, source_to=70))  # nothing to be copied: all is local
    assert not rows().counts_local(WHOLE)


def test_counts_are_those_of_runs_and_the_rest_is_told_from_the_whole() -> None:
    counts = rows(counts_only=True)

    assert spans(counts, "source") == [(0, 50), (80, 100)]
    assert spans(counts, "target") == [(5, 55), (60, 80)]
    assert counted(counts, "source") == [(True, ((60, 70),), None), (False, ((0, 50), (55, 60), (70, 100)), 4)]
    assert counted(counts, "target") == [(False, ((0, 90),), 4)]


def settled(source: int, target: int, counted: int, **changes: Any) -> TopicComparison:
    result = TopicComparison()
    result.plans[0] = PartitionPlan(start=Cut(0, 0), end=Cut(100, 90), ranges=(WHOLE,))
    result.unnamed["source", 0], result.unnamed["target", 0] = source, target
    _compare_counts(rows(counts_only=True, **changes), FilteredCount(lambda: counted, lambda: None), result)
    return result


@pytest.mark.parametrize(
    ("source", "target", "filtered"), [(8, 3, 5), (3, 3, 0), (0, 0, 0)], ids=["filtered", "lost runs", "nothing"]
)
def test_counts_agree_when_what_no_run_names_is_filtered_or_was_copied(source: int, target: int, filtered: int) -> None:
    result = settled(source, target, 5)

    assert (result.filtered_records, result.not_compared) == (filtered, [])


def test_more_than_was_filtered_leaves_the_stretches_without_runs_open() -> None:
    result = settled(8, 2, 5)

    assert result.filtered_records == 0
    assert [(each.first, each.next, each.open) for each in result.not_compared] == [
        (55, 60, True),
        (70, 80, True),
    ]


def test_more_on_the_target_than_anybody_is_known_to_have_written_is_open_unless_others_write_there() -> None:
    (found,) = settled(0, 2, 5).not_compared

    assert (found.side, found.first, found.next, found.open) == ("target", 0, 90, True)
    assert settled(0, 2, 5, shared=True).not_compared == []


def test_a_shortage_too_large_to_be_read_is_open_where_others_write_and_runs_are_lost() -> None:
    short = Difference(WHOLE, Fingerprint(90), Fingerprint(70))

    assert _is_untold(rows(shared=True), short)
    assert not _is_untold(rows(), short)
    assert not _is_untold(rows(shared=True), Difference(WHOLE, Fingerprint(70), Fingerprint(90)))
    before = Difference(replace(WHOLE, source_from=55, source_to=80), Fingerprint(10), Fingerprint(30))
    assert _is_untold(rows(shared=True), before)
    assert not _is_untold(rows(shared=True), replace(short, range=replace(WHOLE, source_to=50)))
    assert (_untold(short).first, _untold(short).next, _untold(short).open) == (0, 100, True)


def test_records_of_others_are_told_from_copies_by_run_or_content() -> None:
    def record(offset: int, content: int) -> HashedRecord:
        return HashedRecord(offset, content, 0, 0, 0, 0)

    island = Island(number=0, partition=0, source_from=0, source_to=100, target_from=0, target_to=90, differences=())
    theirs = [record(1, 11), record(10, 12), record(57, 13), record(58, 14)]

    kept = _copies(rows(shared=True), island, [record(0, 11), record(1, 12)], theirs)

    assert [each.offset for each in kept] == [1, 10]
    assert _copies(rows(), island, [], theirs) == theirs


@pytest.mark.parametrize(
    ("kind", "offset", "local"), [("unexpected", 57, True), ("unexpected", 10, False), ("changed", 57, False)]
)
def test_only_what_no_run_names_is_local(kind: FindingKind, offset: int, *, local: bool) -> None:
    finding = Finding(partition=0, kind=kind, source_offset=None, target_offset=offset)

    assert _is_local(rows(shared=True), finding) is local
    assert not _is_local(rows(), finding)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (LastValue(0, "missing", 60, None), "gap"),
        (LastValue(0, "changed", 69, 3), "gap"),
        (LastValue(0, "missing", 70, None), "missing"),
        (LastValue(0, "unexpected", None, 3), "unexpected"),
    ],
)
def test_a_last_value_that_was_skipped_explains_its_key(value: LastValue, kind: FindingKind) -> None:
    assert _explained(rows(), value)[0] == kind
