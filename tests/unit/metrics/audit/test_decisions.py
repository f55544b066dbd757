"""The smaller decisions of an audit."""

from typing import Any

import pytest

from metrics.audit.coverage import is_covered, read_spans, within, without, written_spans
from metrics.audit.cuts import Cut
from metrics.audit.findings import Finding, joined
from metrics.audit.fingerprints import Difference, Fingerprint, differences, weighted
from metrics.audit.islands import MAX_ISLAND_OFFSETS, batches, blocks, islands, within_limits
from metrics.audit.proof import proven_by
from metrics.audit.ranges import OffsetRange, PartitionPlan
from metrics.audit.slices import MAX_SLICE_OFFSETS, sampled, slice_offsets, slices
from metrics.audit.spec import AuditedTopic, parse_spec
from metrics.errors import JobError
from replication.domain.offsets.offset_run import OffsetRun
from replication.domain.reporting.audit_words import FindingKind


def a_range(number: int, *, partition: int = 0, size: int = 100) -> OffsetRange:
    return OffsetRange(
        number=number,
        partition=partition,
        source_from=number * size,
        source_to=(number + 1) * size,
        target_from=number * size,
        target_to=(number + 1) * size,
    )


def differing(each: OffsetRange, ours: int = 100, theirs: int = 99) -> Difference:
    return Difference(each, Fingerprint(ours, (1,)), Fingerprint(theirs, (2,)))


def finding(kind: FindingKind, source: int | None, target: int | None = None, **changes: Any) -> Finding:
    return Finding(**{"partition": 0, "kind": kind, "source_offset": source, "target_offset": target, **changes})


SPEC = {"source": "a", "target": "b", "topics": [["t", "a.t"]]}


def test_a_spec_is_read_with_its_defaults() -> None:
    spec = parse_spec(SPEC)

    assert spec.topics == (AuditedTopic(upstream="t", remote="a.t"),)
    assert (spec.mode, spec.sample, spec.max_offsets, spec.shared) == ("full", 1, None, False)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"topics": []}, "topics"),
        ({"topics": [["t"]]}, "topics"),
        ({"source": ""}, "source"),
        ({"sample": 0}, "sample"),
        ({"max_offsets": "many"}, "max_offsets"),
        ({"records_per_second": True}, "records_per_second"),
    ],
)
def test_a_wrong_spec_names_the_member(change: dict[str, Any], text: str) -> None:
    with pytest.raises(JobError, match=text):
        parse_spec(SPEC | change)


def test_spans_of_runs_are_united_cut_and_inverted() -> None:
    runs = [OffsetRun(0, 10, 5), OffsetRun(5, 15, 5), OffsetRun(3, 30, 4)]

    assert written_spans(runs) == [(10, 20), (30, 34)]
    assert read_spans(runs) == [(0, 10)]
    assert within([(10, 20), (30, 34)], 15, 32) == [(15, 20), (30, 32)]
    assert without([(10, 20), (30, 34)], 5, 40) == [(5, 10), (20, 30), (34, 40)]
    assert is_covered([(10, 20)], 19)
    assert not is_covered([(10, 20)], 20)


def test_a_weight_does_not_depend_on_where_the_places_begin() -> None:
    hashes = [7, -3, 11]
    here, there = ((sum(h * (first + at) for at, h in enumerate(hashes)), first) for first in (0, 1 << 33))

    assert weighted(*here, sum(hashes)) == weighted(*there, sum(hashes))


def test_ranges_differ_in_content_or_for_counts_only_in_number() -> None:
    ranges = [a_range(0), a_range(1), a_range(2)]
    source = {0: Fingerprint(5, (1,)), 1: Fingerprint(5, (1,))}
    target = {0: Fingerprint(5, (2,)), 1: Fingerprint(4, (1,))}

    assert [each.range.number for each in differences(ranges, source, target, counts_only=False)] == [0, 1]
    assert [each.range.number for each in differences(ranges, source, target, counts_only=True)] == [1]


def test_a_bad_range_is_read_with_its_neighbours_and_near_ones_together() -> None:
    ranges = [a_range(number) for number in range(10)]
    found = islands(ranges, [differing(ranges[2]), differing(ranges[4]), differing(ranges[9])])

    assert [(each.source_from, each.source_to) for each in found] == [(100, 600), (800, 1_000)]
    assert [len(piece) for piece in blocks(found)] == [2]


def test_stretches_of_a_job_fit_into_memory() -> None:
    far = [a_range(number * 4, size=100_000) for number in range(1, 5)]
    found = blocks(islands(far, [differing(each) for each in far]))

    assert [len(batch) for batch in batches(found)] == [1, 1, 1, 1]
    assert sum(len(batch) for batch in batches(found)) == len(found)


def test_ranges_of_two_partitions_are_no_neighbours() -> None:
    ranges = [a_range(0), a_range(2, partition=1)]

    assert [each.partition for each in islands(ranges, [differing(ranges[1])])] == [1]


def test_a_difference_that_is_too_large_is_not_read() -> None:
    large = a_range(0, size=MAX_ISLAND_OFFSETS)
    small, left = within_limits(islands([large], [differing(large)]))

    assert (len(small), len(left)) == (0, 1)


def test_every_partition_has_its_part_in_each_slice() -> None:
    ranges = [a_range(n) for n in range(4)] + [a_range(n, partition=1) for n in range(10, 12)]
    found = list(slices(ranges, 400))

    assert [[each.number for each in one.ranges] for one in found] == [[0, 1, 10, 11], [2, 3]]
    assert found[0].source == {0: (0, 200), 1: (1_000, 1_200)}
    assert sum(one.offsets for one in found) == sum(each.offsets for each in ranges)


def test_a_rate_makes_slices_small() -> None:
    assert slice_offsets(None) == MAX_SLICE_OFFSETS
    assert slice_offsets(1_000) == 2_500


def test_samples_of_all_rounds_together_are_everything() -> None:
    ranges = [a_range(number) for number in range(200)]
    rounds = [sampled(ranges, 3, turn) for turn in range(3)]

    assert sorted(each.number for turn in rounds for each in turn) == list(range(200))
    assert all(50 <= len(turn) <= 80 for turn in rounds)


def test_neighbours_of_one_kind_are_one_finding() -> None:
    found = joined([finding("missing", 3), finding("missing", 2), finding("missing", 5), finding("changed", 4, 4)])

    assert [(each.kind, each.source_offset, each.records) for each in found] == [
        ("changed", 4, 1),
        ("missing", 2, 2),
        ("missing", 5, 1),
    ]


@pytest.mark.parametrize(
    ("wrong", "proven"),
    [
        ([], Cut(300, 300)),
        ([finding("missing", 250)], Cut(200, 200)),
        ([finding("unexpected", None, 120)], Cut(100, 100)),
        ([finding("missing", 90, records=20)], Cut(0, 0)),
    ],
)
def test_a_partition_is_proven_to_the_range_before_the_first_error(wrong: list[Finding], proven: Cut) -> None:
    plan = PartitionPlan(start=Cut(0, 0), end=Cut(300, 300), ranges=tuple(a_range(n) for n in range(3)))

    assert proven_by(plan, wrong) == proven
