"""Assignment: each task once, even shares, and no move that is not needed."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.domain.assignment.assignment import Member, PlannedSlots, assign, role_of, tasks_of
from replication.domain.desired.desired_document import DesiredDocument, DesiredFlow
from replication.domain.identifiers import TaskId

DRIVERS = ["a", "b", "c", "d", "e"]
slots = st.sets(st.integers(0, 40), max_size=30).map(lambda found: [TaskId("east", "source", slot) for slot in found])
members = st.sets(st.sampled_from(DRIVERS), max_size=5).map(
    lambda names: [Member(driver=name, role="data") for name in sorted(names)]
)
owners = st.dictionaries(
    st.integers(0, 40).map(lambda slot: TaskId("east", "source", slot)), st.sampled_from(DRIVERS), max_size=30
)


def data(driver: str, capacity: int | None = None, drain: bool = False) -> Member:
    return Member(driver=driver, role="data", capacity=capacity, drain=drain)


def sources(count: int) -> list[TaskId]:
    return [TaskId("east", "source", slot) for slot in range(count)]


@given(tasks=slots, current=owners, present=members)
def test_every_task_has_exactly_one_driver_as_soon_as_there_is_one(
    tasks: list[TaskId], current: dict[TaskId, str], present: list[Member]
) -> None:
    wanted = assign(tasks, current, present)

    assert set(wanted) == (set(tasks) if present else set())
    assert set(wanted.values()) <= {member.driver for member in present}


@given(tasks=slots, current=owners, present=members)
def test_shares_differ_by_one_at_most(tasks: list[TaskId], current: dict[TaskId, str], present: list[Member]) -> None:
    counts = Counter(assign(tasks, current, present).values())

    shares = [counts[member.driver] for member in present]
    assert not shares or max(shares) - min(shares) <= 1


@given(tasks=slots, current=owners, present=members)
def test_no_more_tasks_move_than_even_shares_demand(
    tasks: list[TaskId], current: dict[TaskId, str], present: list[Member]
) -> None:
    wanted = assign(tasks, current, present)

    alive = {member.driver for member in present}
    held = Counter(current[task] for task in tasks if current.get(task) in alive)
    low, above = divmod(len(tasks), len(present)) if present else (0, 0)
    fullest_first = sorted((held[driver] for driver in alive), reverse=True)
    kept_at_best = sum(min(count, low + (at < above)) for at, count in enumerate(fullest_first))
    kept = sum(current.get(task) == driver for task, driver in wanted.items())
    assert kept == kept_at_best


@given(tasks=slots, current=owners, present=members)
def test_an_assignment_that_was_made_stays(
    tasks: list[TaskId], current: dict[TaskId, str], present: list[Member]
) -> None:
    wanted = assign(tasks, current, present)

    assert assign(tasks, wanted, present) == wanted


@given(tasks=slots, capacities=st.dictionaries(st.sampled_from(DRIVERS), st.integers(0, 8)))
def test_no_driver_gets_more_than_its_capacity_and_no_room_is_wasted(
    tasks: list[TaskId], capacities: dict[str, int]
) -> None:
    present = [data(driver, capacity) for driver, capacity in sorted(capacities.items())]

    wanted = assign(tasks, {}, present)

    assert all(count <= capacities[driver] for driver, count in Counter(wanted.values()).items())
    assert len(wanted) == min(len(tasks), sum(capacities.values()))


def test_a_draining_driver_hands_everything_over() -> None:
    current = dict.fromkeys(sources(4), "a")

    wanted = assign(sources(4), current, [data("a", drain=True), data("b")])

    assert set(wanted.values()) == {"b"}


def test_copying_goes_to_data_workers_and_planning_to_control_workers() -> None:
    tasks = [TaskId("east", "plan", 0), TaskId("east", "heartbeat", 0), TaskId("east", "source", 0)]

    wanted = assign(tasks, {}, [data("a"), Member(driver="b", role="control")])

    assert {str(task): driver for task, driver in wanted.items()} == {
        "east/plan/0": "b",
        "east/heartbeat/0": "b",
        "east/source/0": "a",
    }


def test_the_lightest_tasks_leave_a_driver_that_has_too_many() -> None:
    tasks = sources(4)
    loads = dict(zip(tasks, [100.0, 5.0, 80.0, 1.0], strict=True))

    wanted = assign(tasks, dict.fromkeys(tasks, "a"), [data("a"), data("b")], loads)

    assert {task.slot for task, driver in wanted.items() if driver == "b"} == {1, 3}


def test_free_tasks_go_where_the_load_is_least_among_equal_counts() -> None:
    tasks = sources(3)
    loads = dict(zip(tasks, [100.0, 10.0, 50.0], strict=True))

    wanted = assign(tasks, {tasks[0]: "a", tasks[1]: "b"}, [data("a"), data("b")], loads)

    assert wanted[tasks[2]] == "b"


@pytest.mark.parametrize(
    ("flow", "tasks"),
    [
        (DesiredFlow(source="e"), {"e/heartbeat/0", "e/plan/0", "e/source/0", "e/source/1", "e/checkpoint/0"}),
        (DesiredFlow(source="e", heartbeats=False), {"e/plan/0", "e/source/0", "e/source/1", "e/checkpoint/0"}),
        (DesiredFlow(source="e", state="stop"), {"e/heartbeat/0"}),
        (DesiredFlow(source="e", enabled=False), {"e/heartbeat/0"}),
        (DesiredFlow(source="e", enabled=False, heartbeats=False), set()),
    ],
    ids=["running", "without heartbeats", "stopped", "disabled", "disabled without heartbeats"],
)
def test_the_state_of_a_flow_decides_its_tasks(flow: DesiredFlow, tasks: set[str]) -> None:
    document = DesiredDocument(target="w", revision=1, published_ms=0, flows=(flow,))

    assert {str(task) for task in tasks_of(document, {"e": PlannedSlots(2, 1)}, now_ms=0)} == tasks


def test_checkpoints_are_written_by_control_workers() -> None:
    assert role_of(TaskId("e", "checkpoint", 3)) == "control"


def test_a_flow_without_a_plan_has_no_slots_yet() -> None:
    document = DesiredDocument(target="w", revision=1, published_ms=0, flows=(DesiredFlow(source="e"),))

    assert {role_of(task) for task in tasks_of(document, {}, now_ms=0)} == {"control"}
