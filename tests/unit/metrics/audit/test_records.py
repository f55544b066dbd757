"""Two stretches of records, compared one by one."""

import random
from dataclasses import replace

import pytest

from metrics.audit.findings import Finding, joined
from metrics.audit.records import HashedRecord, compare


def source(count: int, *, first: int = 0) -> list[HashedRecord]:
    return [record(first + n, f"r{first + n}") for n in range(count)]


def record(offset: int, content: str, *, key: int | None = None) -> HashedRecord:
    number = offset if key is None else key
    return HashedRecord(offset, content, number, hash(content), 7, 1_000 + number)


def moved_by(records: list[HashedRecord], shift: int) -> list[HashedRecord]:
    """As the target holds them: the same records at consecutive offsets from `shift` on."""
    return [replace(each, offset=shift + at) for at, each in enumerate(records)]


def found(ours: list[HashedRecord], theirs: list[HashedRecord]) -> list[tuple[str, int | None, int | None, int]]:
    findings = joined(compare(0, ours, theirs))
    return sorted(((each.kind, each.source_offset, each.target_offset, each.records) for each in findings), key=repr)


def test_equal_stretches_differ_in_nothing() -> None:
    assert found(source(50), moved_by(source(50), 1_000)) == []


def test_a_lost_record_is_missing_at_its_source_offset() -> None:
    ours = source(20)

    assert found(ours, moved_by(ours[:7] + ours[8:], 100)) == [("missing", 7, None, 1)]


def test_neighbours_that_are_lost_are_one_finding() -> None:
    ours = source(20)

    assert found(ours, moved_by(ours[:7] + ours[12:], 100)) == [("missing", 7, None, 5)]


def test_a_record_that_came_twice_is_a_duplicate_with_both_offsets() -> None:
    ours = source(20)

    assert found(ours, moved_by([*ours[:7], ours[6], *ours[7:]], 100))[0][0] == "duplicate"
    assert found(ours, moved_by([*ours[:9], ours[3], *ours[9:]], 100)) == [("duplicate", 3, 109, 1)]


def test_a_changed_value_is_changed_with_both_offsets_and_says_what_differs() -> None:
    ours = source(20)
    theirs = moved_by(ours, 100)
    theirs[4] = replace(theirs[4], content="other", value=-1)

    assert compare(0, ours, theirs) == [
        Finding(partition=0, kind="changed", source_offset=4, target_offset=104, detail="value differs")
    ]


def test_a_change_beside_a_loss_is_told_apart_by_the_key() -> None:
    ours = source(20)
    theirs = moved_by(ours[:4] + ours[5:], 100)
    theirs[4] = replace(theirs[4], content="other", value=-1)  # what was source offset 5

    assert found(ours, theirs) == [("changed", 5, 104, 1), ("missing", 4, None, 1)]


def test_a_record_that_moved_is_reordered_and_its_neighbours_are_not() -> None:
    ours = source(20)
    theirs = moved_by(ours[:5] + ours[6:9] + [ours[5]] + ours[9:], 100)

    assert found(ours, theirs) == [("reordered", 5, 108, 1)]


def test_two_swapped_neighbours_are_one_finding() -> None:
    ours = source(20)
    theirs = moved_by([*ours[:5], ours[6], ours[5], *ours[7:]], 100)

    assert [each.kind for each in compare(0, ours, theirs)] == ["reordered"]


def test_a_record_without_a_sender_is_unexpected() -> None:
    ours = source(20)
    theirs = moved_by([*ours[:5], record(999, "alien"), *ours[5:]], 100)

    assert found(ours, theirs) == [("unexpected", None, 105, 1)]


def test_one_of_many_equal_records_is_missing_where_it_stood() -> None:
    contents = ["tick", "a", "tick", "b", "tick", "c", "tick"]
    ours = [record(at, content, key=1) for at, content in enumerate(contents)]

    assert found(ours, moved_by([each for each in ours if each.offset != 4], 50)) == [("missing", 4, None, 1)]


def test_a_range_of_only_equal_records_is_counted() -> None:
    ours = [record(at, "same", key=1) for at in range(3_000)]

    missing = compare(0, ours, moved_by(ours[:-2], 10))
    assert [each.kind for each in missing] == ["missing", "missing"]


def test_an_empty_side_is_missing_or_unexpected_as_a_whole() -> None:
    assert found(source(3), []) == [("missing", 0, None, 3)]
    assert found([], moved_by(source(3), 9)) == [("unexpected", None, 9, 3)]


@pytest.mark.parametrize("seed", range(20))
def test_planted_errors_far_apart_are_found_exactly(seed: int) -> None:
    chance = random.Random(seed)
    ours = source(3_000, first=500)
    places = sorted(chance.sample(range(20, 2_900, 20), 40))
    kinds = [chance.choice(["missing", "duplicate", "changed", "reordered"]) for _ in places]
    theirs, planted = _damaged(ours, dict(zip(places, kinds, strict=True)))

    assert found(ours, theirs) == sorted(planted, key=repr)


def _damaged(
    ours: list[HashedRecord], damage: dict[int, str]
) -> tuple[list[HashedRecord], list[tuple[str, int | None, int | None, int]]]:
    theirs: list[HashedRecord] = []
    planted: list[tuple[str, int | None, int | None, int]] = []
    held: tuple[int, HashedRecord] | None = None
    for at, each in enumerate(ours):
        kind = damage.get(at)
        if kind == "missing":
            planted.append(("missing", each.offset, None, 1))
        elif kind == "reordered":
            held = (at + 4, each)
        elif kind == "changed":
            planted.append(("changed", each.offset, 9_000 + len(theirs), 1))
            theirs.append(replace(each, content=f"broken {at}", value=-at))
        else:
            theirs.append(each)
        if kind == "duplicate":
            planted.append(("duplicate", ours[at - 3].offset, 9_000 + len(theirs), 1))
            theirs.append(ours[at - 3])
        if held is not None and held[0] == at:
            planted.append(("reordered", held[1].offset, 9_000 + len(theirs), 1))
            theirs.append(held[1])
            held = None
    return moved_by(theirs, 9_000), planted
