"""Partitions move between running slots when the number of slots changes, on real brokers."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from replication.domain.errors import FencedError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument, PlanTopic
from replication.domain.plan.slot import SlotSpec
from replication.domain.plan.slot_assignment import assign_slots
from replication.domain.produce import hand_over
from replication.domain.settings.choices import Delivery
from replication.worker.engine.data_engine import WireDataEngine, WireSlotHandle
from tests.support.engine.auditor import audit_topic
from tests.support.engine.partition_pauses import PartitionPauses
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import topic_id
from tests.support.kafka.writer import Traffic, say

pytestmark = pytest.mark.kafka

DELIVERIES: tuple[Delivery, ...] = ("at_least_once", "exactly_once")
PARTITIONS = 20
RATE = 1_000
PAUSED_S = 2.0  # a loaded machine allowed for


class Plans:
    """The plans of one topic with a changing number of slots, and the slots' specifications."""

    def __init__(self, lab: SlotLab, delivery: Delivery) -> None:
        self.lab = lab
        self.topic = lab.topic(f"moves-{uuid.uuid4().hex[:6]}", PARTITIONS)
        self._delivery = delivery
        self.plan: PlanDocument | None = None

    def with_slots(self, count: int) -> list[SlotSpec]:
        """Plan that many slots; returns their specifications."""
        wanted = [TopicPartition(self.topic, number) for number in range(PARTITIONS)]
        assigned = assign_slots(self.plan, wanted, count)
        planned = PlanTopic(
            upstream=self.topic,
            remote=self.lab.remote(self.topic),
            topic_id=topic_id(self.lab.source_bootstrap, self.topic),
            partitions=PARTITIONS,
            max_message_bytes=1_048_588,
            timestamp_type="CreateTime",
        )
        self.plan = PlanDocument(
            target=self.lab.target.alias,
            source=self.lab.source.alias,
            generation=1,
            version=1 if self.plan is None else self.plan.version + 1,
            desired_revision=1,
            planned_ms=1,
            tasks_max=count,
            topics=(planned,),
            slots=tuple(tuple((0, each.partition) for each in slot) for slot in assigned.slots),
            layout=assigned.layout,
            moved=tuple((0, each.partition, since, former) for each, since, former in assigned.moved),
        )
        return [self._spec(self.plan, slot) for slot in range(count)]

    def _spec(self, plan: PlanDocument, slot: int) -> SlotSpec:
        changes: dict[str, Any] = {"delivery": self._delivery}
        if self._delivery == "exactly_once":
            changes["isolation_level"] = "read_committed"
        return self.lab.spec(
            {},
            slot=slot,
            plan_version=plan.version,
            partitions=plan.slot_partitions(slot),
            layout=plan.layout,
            slots=len(plan.slots),
            moved_away=tuple(sorted(plan.moved_from(slot).items())),
            **changes,
        )

    def moved(self) -> set[int]:
        assert self.plan is not None
        return {partition for _, partition, layout, _ in self.plan.moved if layout == self.plan.layout}

    def traffic(self) -> Traffic:
        return Traffic(self.lab.source_bootstrap, self.topic, PARTITIONS, RATE)

    def finish(self, *handles: WireSlotHandle) -> None:
        """Stop the slots when everything is copied; all of it is there once, in order."""
        self.lab.wait_committed(handles[0], self.topic, PARTITIONS)
        for handle in handles:
            handle.stop()
        for handle in handles:
            assert handle.wait(20)
            assert handle.error() is None
        remote = self.lab.remote(self.topic)
        findings = audit_topic(self.lab.source_bootstrap, self.lab.target_bootstrap, self.topic, remote, PARTITIONS)
        findings.check(duplicates_at_most=0)


def has(partitions: int) -> Any:
    return lambda live: live.get("partitions") == partitions


@contextmanager
def cut_off() -> Iterator[WireDataEngine]:
    """The engine of a driver that no newer plan reaches."""
    engine = WireDataEngine("cut-off", pool_bytes=32 * 1024 * 1024)
    engine.start()
    try:
        yield engine
    finally:
        engine.stop(10)


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_a_fifth_slot_pauses_only_the_partitions_that_it_gets(lab: SlotLab, delivery: Delivery) -> None:
    plans = Plans(lab, delivery)
    handles = [lab.start(spec) for spec in plans.with_slots(4)]
    for handle in handles:
        until(handle, has(5))
    with plans.traffic().flowing() as traffic:
        traffic.wait_for(2_000)
        with PartitionPauses(lab.target_bootstrap, lab.remote(plans.topic), PARTITIONS).watched() as pauses:
            specs = plans.with_slots(5)
            for handle, spec in zip(handles, specs, strict=False):
                handle.update(spec)
            handles.append(lab.start(specs[4]))
            for handle in handles:
                until(handle, has(4))
            traffic.wait_for(2_000)
            longest = pauses.longest_s()
    moved = plans.moved()
    others = max(pause for number, pause in enumerate(longest) if number not in moved)
    pauses_s = [round(longest[number], 2) for number in sorted(moved)]
    say(f"{delivery}: pauses of the partitions that moved {pauses_s} s, of the others at most {others:.2f} s")
    plans.finish(*handles)
    assert len(moved) == PARTITIONS // 5
    assert sum(pause > PAUSED_S for pause in longest) <= PARTITIONS // 5
    assert others <= PAUSED_S


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_fewer_and_more_slots_one_after_the_other_copy_everything_once(lab: SlotLab, delivery: Delivery) -> None:
    plans = Plans(lab, delivery)
    handles = {spec.slot: lab.start(spec) for spec in plans.with_slots(4)}
    with plans.traffic().flowing() as traffic:
        traffic.wait_for(500)
        for count in (2, 5, 3, 4):
            specs = plans.with_slots(count)
            for slot in [slot for slot in handles if slot >= count]:
                handles.pop(slot).stop()
            for spec in specs:
                if spec.slot in handles:
                    handles[spec.slot].update(spec)
                else:
                    handles[spec.slot] = lab.start(spec)
            traffic.wait_for(200)  # the next change may come before this one has ended
    plans.finish(*handles.values())


def test_an_owner_that_no_newer_plan_reaches_is_fenced_before_its_partitions_are_copied_by_others(
    lab: SlotLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_over, "BEHIND_S", 3.0)
    plans = Plans(lab, "exactly_once")
    first, second = plans.with_slots(2)
    with cut_off() as engine, plans.traffic().flowing() as traffic:
        old = engine.start_slot(first, driver="old", boot="boot-0")
        updated = lab.start(second)
        until(old, has(10))
        until(updated, has(10))
        specs = plans.with_slots(3)
        updated.update(specs[1])
        third = lab.start(specs[2])
        traffic.wait_for(500)
        assert not old.wait(0)
        assert old.wait(60), "the owner that is cut off continues"
        assert isinstance(old.error(), FencedError)
        until(third, has(6))
        back = lab.start(specs[0])
        traffic.wait_for(500)
    plans.finish(back, updated, third)


def test_a_slot_with_an_older_layout_than_the_others_waits_for_the_newer_plan(lab: SlotLab) -> None:
    plans = Plans(lab, "exactly_once")
    stale, _ = plans.with_slots(2)
    specs = plans.with_slots(3)
    others = [lab.start(spec) for spec in specs[1:]]
    for handle, partitions in zip(others, (7, 6), strict=True):
        until(handle, has(partitions))

    first = lab.start(stale)
    until(first, lambda live: "layout 1" in ((live.get("cause") or {}).get("text") or ""))
    with plans.traffic().flowing() as traffic:
        traffic.wait_for(500)
        assert first.live().get("partitions") is None
        first.update(specs[0])
        until(first, has(7))
    plans.finish(first, *others)


def test_a_receiver_that_never_starts_leaves_its_partitions_where_they_are(lab: SlotLab) -> None:
    plans = Plans(lab, "at_least_once")
    (only,) = plans.with_slots(1)
    with plans.traffic().flowing() as traffic:
        handle = lab.start(only)
        until(handle, has(PARTITIONS))
        specs = plans.with_slots(2)
        handle.update(specs[0])
        until(handle, lambda live: live.get("plan_version") == 2)
        copied = handle.live()["records_total"]
        traffic.wait_for(500)
        until(handle, lambda live: live["records_total"] > copied + 400)
        assert handle.live()["partitions"] == PARTITIONS
        receiver = lab.start(specs[1])
        until(handle, has(PARTITIONS // 2))
        until(receiver, has(PARTITIONS // 2))
    plans.finish(handle, receiver)
