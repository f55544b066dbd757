"""Slots are sticky, balanced and complete; plans survive their JSON."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.domain.groups.group_summary import SkippedGroup
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import (
    PlanDocument,
    PlanGroups,
    PlanTopic,
    PlanWarning,
    SkippedTopic,
    plan_from_json,
    plan_to_json,
)
from replication.domain.plan.slot_assignment import SlotAssignment, assign_slots
from replication.domain.plan.topic_join import TopicJoin

PARTITIONS = st.sets(st.builds(TopicPartition, st.sampled_from(["a", "b", "c", "d"]), st.integers(0, 7)), max_size=32)
TASKS = st.integers(1, 6)


def plan_of(assignment: SlotAssignment, tasks_max: int) -> PlanDocument:
    names = sorted({partition.topic for slot in assignment.slots for partition in slot})
    topics = tuple(
        PlanTopic(
            upstream=name,
            remote=f"s.{name}",
            topic_id=bytes(15) + bytes([number]),
            partitions=8,
            max_message_bytes=1_000_000,
            timestamp_type="CreateTime",
        )
        for number, name in enumerate(names)
    )
    return PlanDocument(
        target="t",
        source="s",
        generation=assignment.generation,
        version=1,
        desired_revision=3,
        planned_ms=5,
        tasks_max=tasks_max,
        older_slots=assignment.older_slots,
        topics=topics,
        layout=assignment.layout,
        moved=tuple(
            (names.index(partition.topic), partition.partition, since, former)
            for partition, since, former in assignment.moved
        ),
        departed=assignment.departed,
        slots=tuple(
            tuple((names.index(partition.topic), partition.partition) for partition in slot)
            for slot in assignment.slots
        ),
    )


def slot_of(assignment: SlotAssignment) -> dict[TopicPartition, int]:
    return {partition: number for number, slot in enumerate(assignment.slots) for partition in slot}


@given(PARTITIONS, TASKS)
def test_every_partition_has_exactly_one_slot_and_slots_are_even(partitions: set[TopicPartition], tasks: int) -> None:
    assignment = assign_slots(None, partitions, tasks)

    counted = Counter(partition for slot in assignment.slots for partition in slot)
    assert counted == Counter(partitions)
    assert len(assignment.slots) == min(tasks, len(partitions))
    sizes = [len(slot) for slot in assignment.slots]
    assert not sizes or max(sizes) - min(sizes) <= 1


@given(PARTITIONS, PARTITIONS, TASKS)
def test_a_partition_keeps_its_slot_within_a_generation(
    before: set[TopicPartition], after: set[TopicPartition], tasks: int
) -> None:
    first = assign_slots(None, before, tasks)

    second = assign_slots(plan_of(first, tasks), after, tasks)

    assert second.generation == first.generation
    old, new = slot_of(first), slot_of(second)
    assert set(new) == after
    assert all(new[partition] == old[partition] for partition in before & after)


@given(PARTITIONS, PARTITIONS, PARTITIONS, TASKS)
def test_a_partition_that_left_comes_back_to_its_slot(
    before: set[TopicPartition], between: set[TopicPartition], after: set[TopicPartition], tasks: int
) -> None:
    first = assign_slots(None, before, tasks)
    second = assign_slots(plan_of(first, tasks), between, tasks)

    third = assign_slots(plan_of(second, tasks), after, tasks)

    known, new = {**slot_of(first), **slot_of(second)}, slot_of(third)
    assert set(new) == after
    assert all(new[partition] == known[partition] for partition in after & set(known))


def test_only_so_many_departed_partitions_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replication.domain.plan.slot_assignment.MOST_DEPARTED", 2)
    first = assign_slots(None, [TopicPartition("a", number) for number in range(4)], 1)

    second = assign_slots(plan_of(first, 1), [TopicPartition("a", 0)], 1)

    assert second.departed == (("a", 2, 0), ("a", 3, 0))


@given(PARTITIONS, TASKS, TASKS)
def test_another_number_of_tasks_is_another_layout_of_the_same_generation(
    partitions: set[TopicPartition], few: int, many: int
) -> None:
    first = assign_slots(None, partitions, few)

    second = assign_slots(plan_of(first, few), partitions, many)

    assert (second.generation, second.layout) == (first.generation, int(few != many))
    assert set(slot_of(second)) == partitions
    sizes = [len(slot) for slot in second.slots]
    assert len(sizes) <= many
    assert not sizes or max(sizes) - min(sizes) <= 1


@given(PARTITIONS, TASKS, TASKS)
def test_another_number_of_tasks_moves_as_few_partitions_as_possible(
    partitions: set[TopicPartition], before: int, after: int
) -> None:
    first = assign_slots(None, partitions, before)

    second = assign_slots(plan_of(first, before), partitions, after)

    old, new = slot_of(first), slot_of(second)
    moves = {each for each in partitions if old[each] != new[each]}
    lost = sum(len(slot) for slot in first.slots[after:])
    share, rest = divmod(len(partitions), max(before, after))
    gained = len(partitions) - before * share - min(rest, before)
    assert len(moves) == (lost if after <= before else gained)
    assert {each: former for each, _, former in second.moved} == {each: old[each] for each in moves}
    assert all(since == second.layout for _, since, _ in second.moved)


def test_a_fifth_slot_takes_at_most_a_fifth_of_every_topic() -> None:
    partitions = [TopicPartition(topic, number) for topic in ("a", "b", "c", "d") for number in range(20)]
    first = assign_slots(None, partitions, 4)

    second = assign_slots(plan_of(first, 4), partitions, 5)

    assert Counter(each.topic for each in second.slots[4]) == {"a": 4, "b": 4, "c": 4, "d": 4}


def test_a_new_slot_takes_from_the_largest_slots() -> None:
    partitions = [TopicPartition("a", number) for number in range(12)]
    first = assign_slots(None, partitions, 3)
    kept = [each for each in partitions if slot_of(first)[each] == 0 or each.partition < 6]
    second = assign_slots(plan_of(first, 3), kept, 3)
    assert [len(slot) for slot in second.slots] == [4, 2, 2]

    third = assign_slots(plan_of(second, 3), kept, 4)

    assert [len(slot) for slot in third.slots] == [2, 2, 2, 2]


@given(PARTITIONS, PARTITIONS, st.lists(TASKS, min_size=1, max_size=4))
def test_a_partition_remembers_since_which_layout_it_is_in_its_slot(
    before: set[TopicPartition], after: set[TopicPartition], tasks: list[int]
) -> None:
    first = assign_slots(None, before, 3)
    assignment, number, since = first, 3, dict.fromkeys(before, 0)
    for each in tasks:
        old = slot_of(assignment)
        assignment = assign_slots(plan_of(assignment, number), after, each)
        number, new = each, slot_of(assignment)
        since = {
            partition: since[partition] if old.get(partition) == slot else assignment.layout
            for partition, slot in new.items()
        }

    assert {each: layout for each, layout, _ in assignment.moved if layout} == {
        each: layout for each, layout in since.items() if layout
    }


def test_a_new_generation_forgets_the_moves() -> None:
    partitions = [TopicPartition("a", number) for number in range(8)]
    moved = plan_of(assign_slots(plan_of(assign_slots(None, partitions, 2), 2), partitions, 4), 4)
    assert moved.moved

    again = assign_slots(moved, partitions, 4, generation=5)

    assert (again.generation, again.layout, again.moved, again.older_slots) == (5, 0, (), 4)


def test_a_plan_tells_which_partitions_left_a_slot_and_where_they_are() -> None:
    partitions = [TopicPartition("a", number) for number in range(8)]
    plan = plan_of(assign_slots(plan_of(assign_slots(None, partitions, 2), 2), partitions, 3), 3)

    arrived = plan.slot_partitions(2)

    assert {each.since_layout for each in arrived} == {1}
    assert {**plan.moved_from(0), **plan.moved_from(1)} == {each.upstream: 2 for each in arrived}
    assert plan.moved_from(2) == {}
    assert {each.since_layout for each in plan.slot_partitions(0)} == {0}


def test_a_generation_ordered_from_outside_is_taken() -> None:
    partitions = [TopicPartition("a", 0), TopicPartition("a", 1)]
    first = plan_of(assign_slots(None, partitions, 2), 2)

    assert assign_slots(first, partitions, 2, generation=7).generation == 7
    assert assign_slots(None, partitions, 2, generation=7).generation == 7


def test_new_partitions_go_to_the_least_loaded_slot() -> None:
    first = assign_slots(None, [TopicPartition("a", number) for number in range(4)], 2)
    lighter = [TopicPartition("a", 1), TopicPartition("a", 0), TopicPartition("a", 2)]

    second = assign_slots(plan_of(first, 2), [*lighter, TopicPartition("b", 0)], 2)

    assert slot_of(second)[TopicPartition("b", 0)] == 1


def test_a_plan_survives_its_json() -> None:
    plan = plan_of(assign_slots(None, [TopicPartition("a", 0), TopicPartition("b", 3)], 3), 3)
    changed = ("topics", "left", "departed", "skipped", "warnings")
    whole = PlanDocument(
        **{name: getattr(plan, name) for name in plan.__slots__ if name not in changed},
        topics=tuple(replace(topic, joined=TopicJoin(8, 2)) for topic in plan.topics),
        left=(("gone", TopicJoin(4, 1)),),
        departed=(("gone", 3, 1),),
        skipped=(SkippedTopic(topic="x", reason="long"),),
        warnings=(PlanWarning(code="c", text="T.", cluster="b"),),
    )

    assert plan_from_json(plan_to_json(whole)) == whole


def test_a_plan_of_an_older_release_knows_of_no_joins() -> None:
    plan = plan_of(assign_slots(None, [TopicPartition("a", 0)], 1), 1)
    raw = json.loads(plan_to_json(plan))
    del raw["left"]
    for topic in raw["topics"]:
        del topic["joined"]

    assert plan_from_json(json.dumps(raw)) == plan
    assert plan.slot_partitions(0)[0].joined is None


def test_a_slot_of_the_plan_tells_its_partitions_with_topic_ids() -> None:
    plan = plan_of(assign_slots(None, [TopicPartition("a", 0), TopicPartition("b", 3)], 2), 2)

    (second,) = plan.slot_partitions(1)

    assert (second.upstream, second.remote_topic, second.topic_id) == (
        TopicPartition("b", 3),
        "s.b",
        bytes(15) + b"\x01",
    )
    assert plan.slot_partitions(9) == ()


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"target": "t"}', "\x00"])
def test_nonsense_is_no_plan(text: str) -> None:
    with pytest.raises(ValueError):
        plan_from_json(text)


def test_groups_survive_json_and_are_no_work_of_source_slots() -> None:
    plan = plan_of(assign_slots(None, [TopicPartition("a", 0)], 1), 1)
    groups = PlanGroups(
        slots=(("app", "billing"), ("gone",)),
        most_slots=4,
        gone=(("gone", 7),),
        skipped=(SkippedGroup(group="queue", reason="a share group"),),
        taken=(("shared", "north", ("a",)),),
    )

    with_groups = replace(plan, groups=groups)

    assert plan_from_json(plan_to_json(with_groups)) == with_groups
    assert with_groups.same_work(plan)


def test_a_plan_of_an_older_release_has_no_groups() -> None:
    plan = plan_of(assign_slots(None, [TopicPartition("a", 0)], 1), 1)
    raw = json.loads(plan_to_json(plan))
    for name in ("groups", "group_slots_most", "gone_groups", "skipped_groups", "taken_groups"):
        raw.pop(name, None)

    assert plan_from_json(json.dumps(raw)).groups == PlanGroups()
