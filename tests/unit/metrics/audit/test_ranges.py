"""The ranges that are compared."""

from typing import Any

import pytest

from metrics.audit.cuts import Cut
from metrics.audit.ranges import FrozenPartition, PartitionPlan, plan_partition
from replication.domain.offsets.offset_run import OffsetRun


def planned(end: tuple[int, int], *cuts: tuple[int, int], limit: int | None = None, **changes: Any) -> PartitionPlan:
    frozen = FrozenPartition(
        partition=0,
        end=Cut(*end),
        cuts=tuple(Cut(*cut) for cut in cuts),
        **{"source_start": 0, "target_start": 0, **changes},
    )
    return plan_partition(frozen, first_number=5, max_offsets=limit)


def test_ranges_run_from_the_first_cut_to_the_end_without_holes() -> None:
    plan = planned((10_000, 10_010), (0, 0), (4_000, 4_000), (8_000, 8_010))

    spans = [(each.source_from, each.source_to, each.target_from, each.target_to) for each in plan.ranges]
    assert spans == [(0, 4_000, 0, 4_000), (4_000, 8_000, 4_000, 8_010), (8_000, 10_000, 8_010, 10_010)]
    assert [each.number for each in plan.ranges] == [5, 6, 7]
    assert plan.not_compared == ()


def test_cuts_close_together_become_one_range() -> None:
    plan = planned((6_000, 6_000), *((at, at) for at in range(0, 6_000, 10)))

    assert len(plan.ranges) == 3


def test_what_the_target_no_longer_holds_is_not_compared() -> None:
    run = OffsetRun(0, 0, 9_000)
    plan = planned((9_000, 9_000), (0, 0), (4_000, 4_000), (9_000, 9_000), runs=(run,), target_start=1_234)

    assert plan.start == Cut(1_234, 1_234)
    assert [(each.side, each.first, each.next) for each in plan.not_compared] == [("source", 0, 1_234)]


def test_what_the_source_no_longer_holds_is_not_compared() -> None:
    run = OffsetRun(0, 50, 9_000)
    plan = planned((9_000, 9_050), (0, 50), (9_000, 9_050), runs=(run,), source_start=2_000)

    assert plan.start == Cut(2_000, 2_050)
    assert [(each.side, each.first, each.next) for each in plan.not_compared] == [("target", 0, 2_050)]


def test_records_before_a_flow_that_began_at_the_end_are_not_missing() -> None:
    plan = planned((7_000, 2_000), (5_000, 0), (7_000, 2_000))

    assert plan.start == Cut(5_000, 0)
    assert [(each.side, each.first, each.next) for each in plan.not_compared] == [("source", 0, 5_000)]


def test_runs_that_were_lost_at_the_beginning_leave_one_range_from_the_origin() -> None:
    plan = planned((9_000, 9_005), (3_000, 3_005))

    assert (plan.ranges[0].source_from, plan.ranges[0].target_from) == (0, 0)


def test_older_copies_of_a_recreated_topic_are_not_compared() -> None:
    plan = planned((9_000, 12_005), (3_000, 6_005), recreated=True)

    assert plan.start == Cut(3_000, 6_005)


def test_an_incremental_audit_begins_where_the_last_one_ended() -> None:
    plan = planned((9_000, 9_000), (0, 0), (4_000, 4_000), (8_000, 8_000), proven=Cut(8_000, 8_000))

    assert [(each.source_from, each.source_to) for each in plan.ranges] == [(8_000, 9_000)]
    assert plan.not_compared == ()


@pytest.mark.parametrize("limit", [1, 4_000])
def test_a_limit_leaves_out_the_newest(limit: int) -> None:
    plan = planned((12_000, 12_000), (0, 0), (4_000, 4_000), (8_000, 8_000), limit=limit)

    assert plan.end == Cut(4_000, 4_000)
    assert [(each.side, each.first, each.next) for each in plan.not_compared] == [("source", 4_000, 12_000)]


def test_a_partition_without_records_has_no_ranges() -> None:
    assert planned((0, 0)).ranges == ()
