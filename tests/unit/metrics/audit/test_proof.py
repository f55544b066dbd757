"""The offset up to which an audit proves a partition, given the earlier proof."""

from typing import Any

from metrics.audit.cuts import Cut
from metrics.audit.findings import Finding
from metrics.audit.proof import NOTHING, Proof, next_proof
from metrics.audit.ranges import FrozenPartition, NotCompared, plan_partition
from replication.domain.offsets.offset_run import OffsetRun

NOW_MS, BEFORE_MS = 2_000, 1_000
CUTS = tuple(Cut(at, at) for at in range(0, 12_001, 4_000))


def frozen(**changes: Any) -> FrozenPartition:
    values = {"partition": 0, "source_start": 0, "target_start": 0, "end": Cut(12_000, 12_000), "cuts": CUTS}
    return FrozenPartition(**{**values, **changes})


def proof(
    at: FrozenPartition,
    *wrong: Finding,
    earlier: Proof | None = None,
    limit: int | None = None,
    aged: tuple[NotCompared, ...] = (),
) -> Proof:
    plan = plan_partition(at, first_number=0, max_offsets=limit)
    return next_proof(at, plan, wrong, (*plan.not_compared, *aged), earlier, NOW_MS)


def missing(offset: int | None) -> Finding:
    return Finding(partition=0, kind="missing", source_offset=offset, target_offset=None)


def test_an_equal_partition_is_proven_to_its_end() -> None:
    assert proof(frozen()) == Proof(Cut(12_000, 12_000), NOW_MS)


def test_a_copy_with_one_known_place_only_was_not_compared_and_is_not_proven() -> None:
    found = proof(frozen(source_start=1_000, target_start=0, cuts=(), end=Cut(12_000, 11_000)))

    assert found == Proof(NOTHING, None)


def test_a_target_that_begins_beyond_the_last_position_is_not_proven() -> None:
    found = proof(frozen(source_start=10, target_start=2_000, cuts=(), end=Cut(1_000, 990)))

    assert found == Proof(NOTHING, None)


def test_an_empty_partition_is_proven() -> None:
    assert proof(frozen(cuts=(), end=Cut(0, 0))).until_ms == NOW_MS


def test_what_the_source_holds_and_the_target_no_longer_is_not_proven() -> None:
    run = OffsetRun(0, 0, 12_000)

    assert proof(frozen(target_start=1_000, runs=(run,))) == Proof(Cut(12_000, 12_000), None)


def test_what_aged_out_of_the_target_after_it_was_proven_stays_proven() -> None:
    earlier = Proof(Cut(8_000, 8_000), BEFORE_MS)

    assert proof(frozen(target_start=4_000, proven=earlier.cut), earlier=earlier).until_ms == NOW_MS


def test_what_aged_out_of_the_target_before_it_was_compared_holds_the_earlier_proof() -> None:
    earlier = Proof(Cut(4_000, 4_000), BEFORE_MS)

    assert proof(frozen(target_start=8_000, proven=earlier.cut), earlier=earlier) == earlier


def test_an_incremental_audit_does_not_forget_an_older_hole() -> None:
    earlier = Proof(Cut(12_000, 12_000), None)
    run = OffsetRun(0, 0, 12_000)

    assert proof(frozen(target_start=1_000, runs=(run,), proven=earlier.cut), earlier=earlier).until_ms is None


def test_what_aged_out_while_it_was_compared_holds_the_earlier_proof() -> None:
    earlier = Proof(Cut(4_000, 4_000), BEFORE_MS)
    aged = NotCompared(partition=0, side="target", first=4_000, next=6_000, reason="aged out")

    assert proof(frozen(proven=earlier.cut), earlier=earlier, aged=(aged,)) == earlier


def test_a_limit_does_not_lower_a_proof() -> None:
    earlier = Proof(Cut(8_000, 8_000), BEFORE_MS)

    assert proof(frozen(), earlier=earlier, limit=1) == earlier


def test_a_finding_above_a_proof_holds_it_and_one_below_lowers_it() -> None:
    earlier = Proof(Cut(8_000, 8_000), BEFORE_MS)

    assert proof(frozen(), missing(9_000), earlier=earlier) == earlier
    assert proof(frozen(), missing(5_000), earlier=earlier) == Proof(Cut(4_000, 4_000), None)


def test_a_finding_that_is_only_counted_may_lie_anywhere() -> None:
    assert proof(frozen(), missing(None)) == Proof(Cut(0, 0), None)


def test_an_incremental_audit_with_nothing_new_moves_the_time() -> None:
    earlier = Proof(Cut(12_000, 12_000), BEFORE_MS)

    assert proof(frozen(proven=earlier.cut), earlier=earlier) == Proof(earlier.cut, NOW_MS)
