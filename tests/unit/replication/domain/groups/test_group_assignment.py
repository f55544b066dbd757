"""Groups keep their checkpoint slot while the number of slots stays, and are shared evenly."""

from hypothesis import given
from hypothesis import strategies as st

from replication.domain.groups.group_assignment import assign_groups

NAMES = st.frozensets(st.integers(0, 60).map(lambda number: f"group-{number}"), max_size=40)


def slot_of(slots: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    return {name: number for number, slot in enumerate(slots) for name in slot}


@given(before=NAMES, after=NAMES, tasks_max=st.integers(1, 8))
def test_every_group_has_one_slot_and_no_slot_is_empty(
    before: frozenset[str], after: frozenset[str], tasks_max: int
) -> None:
    slots = assign_groups(assign_groups((), before, tasks_max), after, tasks_max)

    assert sorted(name for slot in slots for name in slot) == sorted(after)
    assert len(slots) == min(tasks_max, len(after))
    assert all(slots)


@given(before=NAMES, after=NAMES, tasks_max=st.integers(1, 8))
def test_a_group_keeps_its_slot_while_their_number_stays(
    before: frozenset[str], after: frozenset[str], tasks_max: int
) -> None:
    first = assign_groups((), before, tasks_max)
    second = assign_groups(first, before | after, tasks_max)

    if len(first) == len(second):
        assert slot_of(first).items() <= slot_of(second).items()


@given(names=NAMES, tasks_max=st.integers(1, 8), then=st.integers(1, 8))
def test_another_number_of_slots_moves_no_more_groups_than_needed(
    names: frozenset[str], tasks_max: int, then: int
) -> None:
    first = assign_groups((), names, tasks_max)
    second = assign_groups(first, names, then)

    sizes = [len(slot) for slot in second]
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    moved = [name for name, slot in slot_of(first).items() if slot_of(second)[name] != slot]
    least = sum(sizes[len(first) :]) if then > tasks_max else sum(len(slot) for slot in first[len(second) :])
    assert len(moved) <= max(least, 0)
