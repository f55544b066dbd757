"""Balance: each task once, even shares over all targets, and no move that is not needed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from replication.domain.assignment.assignment import TaskKey
from replication.domain.assignment.balance import assign
from replication.domain.assignment.members import AssignableTask, Member
from replication.domain.identifiers import TaskId

DRIVERS = ["a", "b", "c", "d", "e"]
TARGETS = ["west", "north"]
LABELS = [{}, {"region": "eu"}, {"region": "us"}]
works = st.builds(
    AssignableTask,
    target=st.sampled_from(TARGETS),
    task=st.builds(TaskId, st.sampled_from(["east", "south"]), st.just("source"), st.integers(0, 12)),
    driver=st.sampled_from([None, *DRIVERS]),
)
sets_of_works = st.lists(works, max_size=30, unique_by=lambda work: work.key)
loaded = st.lists(
    st.builds(replace, works, load=st.floats(0, 100)),
    max_size=20,
    unique_by=lambda work: work.key,
)
members = st.sets(st.sampled_from(DRIVERS), max_size=5).map(lambda names: [data(name) for name in sorted(names)])


def data(driver: str, **fields: object) -> Member:
    return replace(Member(driver=driver, role="data"), **fields)  # type: ignore[arg-type]  # names of the test's own


def slot(
    number: int, driver: str | None = None, target: str = "west", source: str = "east", load: float = 0
) -> AssignableTask:
    return AssignableTask(target=target, task=TaskId(source, "source", number), driver=driver, load=load)


def applied(found: Iterable[AssignableTask], assigned: Mapping[TaskKey, str]) -> list[AssignableTask]:
    return [replace(work, driver=assigned.get(work.key)) for work in found]


def settled(
    found: Iterable[AssignableTask], present: list[Member], *, loads: bool = False
) -> tuple[list[AssignableTask], int]:
    """Repeat the decision until nothing changes; returns the tasks and the moves from one live driver to another."""
    now, moves = list(found), 0
    for _ in range(500):
        after = applied(now, assign(now, present, balances_loads=loads))
        alive = {member.driver for member in present}
        moves += sum(old.driver in alive and old.driver != new.driver for old, new in zip(now, after, strict=True))
        if after == now:
            return now, moves
        now = after
    raise AssertionError("the assignment does not settle")


def counts(found: Iterable[AssignableTask]) -> Counter[str | None]:
    return Counter(work.driver for work in found)


@given(found=sets_of_works, present=members)
def test_every_task_has_exactly_one_driver_as_soon_as_there_is_one(
    found: list[AssignableTask], present: list[Member]
) -> None:
    assigned = assign(found, present)

    assert set(assigned) == ({work.key for work in found} if present else set())
    assert set(assigned.values()) <= {member.driver for member in present}


@given(found=sets_of_works, present=members)
def test_shares_over_all_targets_differ_by_one_at_most(found: list[AssignableTask], present: list[Member]) -> None:
    after, _ = settled(found, present)

    shares = [counts(after)[member.driver] for member in present]
    assert not shares or max(shares) - min(shares) <= 1


@given(found=sets_of_works, present=members)
def test_no_more_tasks_move_than_even_shares_demand(found: list[AssignableTask], present: list[Member]) -> None:
    _, moves = settled(found, present)

    alive = {member.driver for member in present}
    held = counts(work for work in found if work.driver in alive)
    low, above = divmod(len(found), len(present)) if present else (0, 0)
    fullest_first = sorted((held[driver] for driver in alive), reverse=True)
    assert moves == sum(max(0, count - low - (at < above)) for at, count in enumerate(fullest_first))


@given(found=loaded, present=members)
def test_constant_loads_never_move_tasks_for_ever(found: list[AssignableTask], present: list[Member]) -> None:
    after, _ = settled(found, present, loads=True)

    assert assign(after, present, balances_loads=True) == assign(list(reversed(after)), present, balances_loads=True)


@given(found=sets_of_works, capacities=st.dictionaries(st.sampled_from(DRIVERS), st.integers(0, 8)))
def test_no_driver_gets_more_than_its_capacity_and_no_room_is_wasted(
    found: list[AssignableTask], capacities: dict[str, int]
) -> None:
    present = [data(driver, capacity=capacity) for driver, capacity in sorted(capacities.items())]

    after, _ = settled(found, present)

    placed = counts(work for work in after if work.driver is not None)
    assert all(count <= capacities[str(driver)] for driver, count in placed.items())
    assert sum(placed.values()) == min(len(found), sum(capacities.values()))


@given(found=sets_of_works, asked=st.sampled_from(LABELS), owned=st.lists(st.sampled_from(LABELS), max_size=5))
def test_a_slot_runs_only_where_its_labels_are(
    found: list[AssignableTask], asked: dict[str, str], owned: list[dict[str, str]]
) -> None:
    present = [data(driver, labels=labels) for driver, labels in zip(DRIVERS, owned, strict=False)]
    asking = [replace(work, labels=asked) for work in found]
    suited: set[str | None] = {member.driver for member in present if asked.items() <= member.labels.items()}

    after, _ = settled(asking, present)

    assert {work.driver for work in after} <= (suited or {None})


@given(found=sets_of_works, present=members)
def test_a_flow_moves_one_slot_at_a_time(found: list[AssignableTask], present: list[Member]) -> None:
    alive = {member.driver for member in present}
    assigned = assign(found, present)

    moved = Counter(
        work.flow for work in found if work.driver in alive and assigned.get(work.key) not in (None, work.driver)
    )
    assert all(count == 1 for count in moved.values())


def test_a_flow_that_moves_a_slot_moves_no_other() -> None:
    found = [slot(0, "b"), *(slot(number, "a") for number in range(1, 6))]
    found[0] = replace(found[0], moving=True)

    assert assign(found, [data("a"), data("b")]) == {work.key: work.driver for work in found}


def test_four_targets_with_one_slot_each_share_two_drivers() -> None:
    found = [slot(0, target=target) for target in ("east", "north", "south", "west")]

    assert sorted(counts(applied(found, assign(found, [data("a"), data("b")]))).values()) == [2, 2]


def test_a_driver_is_assigned_targets_that_it_serves() -> None:
    found = [slot(0, target="west"), slot(0, target="north")]

    assigned = assign(found, [data("a", targets=frozenset({"west"})), data("b", targets=frozenset({"north"}))])

    assert assigned == {found[0].key: "a", found[1].key: "b"}


def test_a_draining_driver_hands_one_slot_over_at_a_time() -> None:
    found = [slot(number, "a") for number in range(4)]
    present = [data("a", drain=True), data("b")]

    first = counts(applied(found, assign(found, present)))

    assert first == {"a": 3, "b": 1}
    assert counts(settled(found, present)[0]) == {"b": 4}


def test_a_draining_driver_keeps_what_fits_nowhere_else() -> None:
    found = [slot(number, "a") for number in range(3)]

    assert counts(settled(found, [data("a", drain=True), data("b", capacity=2)])[0]) == {"a": 1, "b": 2}


def test_two_heavy_and_two_light_slots_are_shared_with_one_heavy_slot_each() -> None:
    found = [slot(0, "a", load=30), slot(1, "a", load=30), slot(2, "b"), slot(3, "b")]

    after, moves = settled(found, [data("a"), data("b")], loads=True)

    assert {work.driver for work in after[:2]} == {"a", "b"}
    assert sorted(counts(after).values()) == [2, 2]
    assert moves == 2


def test_a_move_that_gains_little_is_not_made() -> None:
    found = [slot(0, "a", load=12), slot(1, "a", load=11), slot(2, "b", load=10), slot(3, "b", load=9)]

    assert settled(found, [data("a"), data("b")], loads=True)[1] == 0


def test_a_joining_driver_takes_a_fair_part_of_the_load() -> None:
    found = [slot(number, "a", load=load) for number, load in enumerate([30.0, 30.0, 1.0, 1.0])]

    after, moves = settled(found, [data("a"), data("b")])

    assert sorted(work.load for work in after if work.driver == "b") == [1.0, 30.0]
    assert moves == 2


def test_copying_goes_to_data_workers_and_planning_to_control_workers() -> None:
    found = [AssignableTask(target="w", task=TaskId("e", kind, 0)) for kind in ("plan", "heartbeat", "source")]

    assigned = assign(found, [data("a"), Member(driver="b", role="control")])

    assert {key[1].kind: driver for key, driver in assigned.items()} == {"plan": "b", "heartbeat": "b", "source": "a"}
