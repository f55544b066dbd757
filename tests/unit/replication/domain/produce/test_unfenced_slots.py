"""The slots of a flow that an owner of a newer generation must fence first."""

import pytest

from replication.domain.produce.producer_registry import RegisteredProducer, looped_ids, unfenced_slots


def entry(generation: int, slot: int, *, is_fenced: bool = False) -> RegisteredProducer:
    return RegisteredProducer(
        producer_id=10 * generation + slot,
        source="a",
        target="b",
        slot=slot,
        since_ms=1,
        generation=generation,
        is_fenced=is_fenced,
    )


def test_older_claims_that_are_not_fenced_yet() -> None:
    entries = [entry(1, 0), entry(1, 1, is_fenced=True), entry(2, 0), entry(3, 0)]

    assert unfenced_slots(entries, 2, 0) == [(1, 0)]


@pytest.mark.parametrize(("generation", "found"), [(0, []), (1, [(0, 0), (0, 1)])])
def test_slots_of_earlier_releases_are_older_than_the_first_generation(
    generation: int, found: list[tuple[int, int]]
) -> None:
    assert unfenced_slots([], generation, 2) == found


def test_a_slot_of_an_earlier_release_that_is_marked_is_not_fenced_again() -> None:
    assert unfenced_slots([entry(0, 0, is_fenced=True), entry(0, 1)], 1, 3) == [(0, 1), (0, 2)]


def test_looped_are_the_producers_of_the_clusters_a_record_came_from() -> None:
    assert looped_ids([entry(1, 0), entry(1, 1)], frozenset({"a"})) == {10, 11}
    assert looped_ids([entry(1, 0)], frozenset({"b"})) == frozenset()
