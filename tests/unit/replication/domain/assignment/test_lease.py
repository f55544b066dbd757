"""Leases: who may take one, and when an owner stops by itself."""

import pytest

from replication.domain.assignment.lease import (
    LeaseValue,
    another_generation_runs,
    may_take,
    must_stop,
    renewal_is_due,
    restart_delay_ms,
)

MINE = LeaseValue(driver="d1", boot="boot-2", generation=4)


def test_a_lease_reads_back_as_it_was_written() -> None:
    assert LeaseValue.parse(str(MINE)) == MINE


@pytest.mark.parametrize("text", ["", "d1|boot", "d1|boot|x", "a|b|1|2"])
def test_a_text_that_is_no_lease_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="not a lease"):
        LeaseValue.parse(text)


@pytest.mark.parametrize(
    ("current", "allowed"),
    [
        (None, True),
        (LeaseValue(driver="d1", boot="boot-1", generation=4), True),
        (LeaseValue(driver="d1", boot="boot-2", generation=3), True),
        (LeaseValue(driver="d1", boot="stranger", generation=4), False),
        (LeaseValue(driver="d2", boot="boot-1", generation=4), False),
    ],
    ids=["free", "left behind by our earlier boot", "our own", "a namesake elsewhere", "another driver"],
)
def test_only_free_leases_and_our_own_may_be_taken(current: LeaseValue | None, allowed: bool) -> None:
    assert may_take(current, MINE, earlier_boots={"boot-1"}) is allowed


@pytest.mark.parametrize(("generation", "runs"), [(4, False), (5, True), (3, True)])
def test_slots_of_any_other_generation_are_waited_for(generation: int, runs: bool) -> None:
    assert another_generation_runs([None, MINE], generation) is runs


def test_a_lease_is_renewed_each_three_seconds() -> None:
    assert not renewal_is_due(renewed_ms=1_000, now_ms=3_999)
    assert renewal_is_due(renewed_ms=1_000, now_ms=4_000)


def test_an_owner_that_may_continue_never_stops_by_its_clock() -> None:
    assert not must_stop(renewed_ms=0, now_ms=10**9, on_loss="continue")


def test_an_owner_that_must_stop_does_so_before_others_may_take_over() -> None:
    assert not must_stop(renewed_ms=0, now_ms=7_999, on_loss="stop")
    assert must_stop(renewed_ms=0, now_ms=8_000, on_loss="stop")


def test_restarts_back_off_from_one_to_thirty_seconds() -> None:
    assert [restart_delay_ms(count) for count in (0, 1, 2, 5, 6, 60)] == [1_000, 1_000, 2_000, 16_000, 30_000, 30_000]
