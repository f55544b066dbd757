"""The take-over of slots: whoever starts when, owners of two generations never both commit."""

from dataclasses import replace
from typing import Any, cast

import pytest

from replication.codecs.producer_registry import encode_producer
from replication.domain.batches.record import Record
from replication.domain.errors import FencedError, RetriableError
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import POSITIONS, PRODUCERS_TOPIC
from replication.domain.offsets.positions import Position
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.memory.broker import MemoryCluster
from replication.memory.history import MemoryProducerRegistry
from replication.ports.fetch.metadata import TopicLeaders
from replication.tasks.produce.slot_takeover import SlotTakeover
from replication.tasks.slot_context import SlotContext
from replication.wire.batches.record_codec import build_batch
from tests.support.engine.memory_ports import create_internal_topics, slot_ports
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context

ROUND_TRIP_S = 0.01
TOPIC = POSITIONS.name("a")
ORDERS = TopicPartition("orders", 0)


class Flow:
    """The slots of a->b on one target."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.source, self.target = MemoryCluster("a"), MemoryCluster("b")
        create_internal_topics(self.source, self.target)

    def slot(
        self, slot: int = 0, generation: int = 1, round_trip_s: float = ROUND_TRIP_S, without_generation: int = 0
    ) -> "Slot":
        ports = slot_ports(self.loop, self.source, self.target, round_trip_s)
        context = a_context(
            self.loop, {}, slot=slot, generation=generation, slots_without_generation=without_generation
        )
        return Slot(replace_ports(context, ports))

    def entries(self) -> list[RegisteredProducer]:
        found: list[RegisteredProducer] = []

        async def read() -> None:
            found.extend(await MemoryProducerRegistry(self.loop, self.target).read())

        self.run(read())
        return found

    def write_entry(self, entry: RegisteredProducer) -> None:
        key, value = encode_producer(entry)
        stored = self.target.topics[PRODUCERS_TOPIC].append(0, bytes(build_batch([Record(0, 1, key, value, ())])))
        assert stored.error_code == 0

    def run(self, *work: Any) -> list[BaseException | None]:
        """Run coroutines side by side; how each ended."""
        tasks = [self.loop.spawn(each) for each in work]
        self.loop.run_until(lambda: all(task.done for task in tasks), limit_s=1_000)
        return [task.error for task in tasks]


def replace_ports(context: SlotContext, ports: Any) -> SlotContext:
    return SlotContext(spec=context.spec, ports=ports, driver="d", boot="b")


class Slot:
    def __init__(self, context: SlotContext) -> None:
        self.context = context
        self.takeover = SlotTakeover(context)

    async def start(self, after_s: float = 0.0) -> None:
        await self.context.ports.loop.sleep(after_s)
        await self.takeover.fence_others()

    async def commit(self, offset: int, *, transactional: bool = True) -> None:
        position = Position(next_offset=offset, generation=self.context.spec.generation)
        await self.context.ports.positions.commit(TOPIC, "a", {ORDERS: position}, transactional=transactional)


@pytest.mark.parametrize("delay_ms", range(-60, 140, 3))
def test_of_two_generations_that_start_in_any_order_only_the_newer_one_can_commit(delay_ms: int) -> None:
    flow = Flow()
    older, newer = flow.slot(slot=0, generation=1), flow.slot(slot=1, generation=2)

    started = flow.run(older.start(max(0, -delay_ms) / 1000), newer.start(max(0, delay_ms) / 1000))
    older_started, newer_started = started

    assert newer_started is None
    assert older_started is None or isinstance(older_started, FencedError)
    if older_started is None:
        assert isinstance(flow.run(older.commit(1))[0], FencedError)
        assert isinstance(flow.run(older.commit(1, transactional=False))[0], FencedError)
    assert flow.run(newer.commit(2)) == [None]


def test_slots_of_one_generation_that_start_together_leave_each_other_alone() -> None:
    flow = Flow()
    old = [flow.slot(slot=number, generation=1) for number in range(5)]
    assert flow.run(*(slot.start() for slot in old)) == [None] * 5

    new = [flow.slot(slot=number, generation=2) for number in range(8)]
    assert flow.run(*(slot.start() for slot in new)) == [None] * 8

    for slot in new:
        assert flow.run(slot.commit(5)) == [None]
    for slot in old:
        assert isinstance(flow.run(slot.commit(6))[0], FencedError)
    assert {entry.is_fenced for entry in flow.entries() if entry.generation == 1} == {True}
    assert {entry.is_fenced for entry in flow.entries() if entry.generation == 2} == {False}


def test_slots_far_from_the_target_that_fence_the_same_id_do_not_disturb_each_other_for_ever() -> None:
    flow = Flow()
    old = flow.slot(slot=0, generation=1)
    assert flow.run(old.start()) == [None]
    since_s = flow.loop.monotonic_s()

    new = [flow.slot(slot=number, generation=2, round_trip_s=0.2 + number / 1000) for number in range(16)]
    assert flow.run(*(slot.start() for slot in new)) == [None] * 16

    assert flow.loop.monotonic_s() - since_s < 30
    assert isinstance(flow.run(old.commit(6))[0], FencedError)


def test_a_restarted_slot_fences_its_former_owner_and_no_id_twice() -> None:
    flow = Flow()
    first, second = flow.slot(generation=1), flow.slot(slot=3, generation=2)
    assert flow.run(first.start()) == [None]
    assert flow.run(second.start()) == [None]
    before = flow.target.coordinator.init_producer("srm.b.a.0.g1", 0).epoch

    again = flow.slot(slot=3, generation=2)
    assert flow.run(again.start()) == [None]

    assert isinstance(flow.run(second.commit(1, transactional=False))[0], FencedError)
    assert flow.run(again.commit(1)) == [None]
    assert flow.target.coordinator.init_producer("srm.b.a.0.g1", 0).epoch == before + 1


def test_entries_without_a_generation_are_older_and_other_flows_are_left_alone() -> None:
    flow = Flow()
    for number, source in ((70, "a"), (71, "c")):
        flow.target.coordinator.init_producer(f"srm.b.{source}.6", 0)
        flow.write_entry(RegisteredProducer(producer_id=number, source=source, target="b", slot=6, since_ms=1))

    assert flow.run(flow.slot().start()) == [None]

    assert not flow.target.coordinator.is_owner("srm.b.a.6", 0)
    assert flow.target.coordinator.is_owner("srm.b.c.6", 0)
    assert [entry.producer_id for entry in flow.entries() if entry.is_fenced] == [70]


def test_slots_of_earlier_releases_are_fenced_though_they_never_registered() -> None:
    flow = Flow()
    coordinator = flow.target.coordinator
    old = {number: coordinator.init_producer(f"srm.b.a.{number}", 0).producer_id for number in range(3)}
    coordinator.init_producer("srm.b.c.0", 0)
    new = [flow.slot(slot=number, without_generation=3) for number in range(2)]

    assert flow.run(*(slot.start() for slot in new)) == [None, None]

    assert [coordinator.is_owner(f"srm.b.a.{number}", 0) for number in old] == [False] * 3
    assert coordinator.is_owner("srm.b.c.0", 0)
    marked = {entry.slot: entry.producer_id for entry in flow.entries() if entry.is_fenced}
    assert marked == old  # the flow back must not copy what those producers wrote
    for slot in new:
        assert flow.run(slot.commit(5)) == [None]


def test_an_owner_of_an_id_without_a_generation_can_no_longer_commit() -> None:
    flow = Flow()
    old = flow.slot(generation=0)
    assert flow.run(old.context.ports.transactions.fence("srm.b.a.0")) == [None]
    assert flow.run(old.commit(3)) == [None]
    new = flow.slot(without_generation=1)

    assert flow.run(new.start()) == [None]

    assert isinstance(flow.run(old.commit(4))[0], FencedError)
    assert isinstance(flow.run(old.commit(4, transactional=False))[0], FencedError)
    assert flow.run(new.commit(5)) == [None]


def test_ids_without_a_generation_are_fenced_once_and_more_slots_fence_the_others() -> None:
    flow = Flow()
    assert flow.run(flow.slot(without_generation=1).start()) == [None]
    before = flow.target.coordinator.init_producer("srm.b.a.0", 0).epoch

    assert flow.run(flow.slot(generation=2, without_generation=2).start()) == [None]

    assert flow.target.coordinator.init_producer("srm.b.a.0", 0).epoch == before + 1
    fenced = [(entry.slot, entry.generation) for entry in flow.entries() if entry.is_fenced]
    assert sorted(fenced) == [(0, 0), (0, 1), (1, 0)]


def test_a_slot_is_registered_once_per_producer_id() -> None:
    flow = Flow()
    slot = flow.slot(slot=2, generation=4)
    assert flow.run(slot.start()) == [None]
    identity = slot.context.ports.transactions.identity  # type: ignore[attr-defined]

    assert flow.run(slot.takeover.register(identity), slot.takeover.register(identity)) == [None, None]

    (entry,) = flow.entries()
    assert (entry.flow, entry.slot, entry.generation) == (FlowId("a", "b"), 2, 4)
    assert flow.target.log(PRODUCERS_TOPIC).end == 1


def test_a_positions_topic_that_cannot_be_described_delays_the_start() -> None:
    flow = Flow()
    slot = flow.slot()

    class Leaderless:
        async def describe(self, topics: list[str]) -> dict[str, TopicLeaders]:
            return {topic: TopicLeaders(topic, bytes(16), {}, "LEADER_NOT_AVAILABLE") for topic in topics}

    slot.context.ports = replace(slot.context.ports, target=cast("Any", Leaderless()))

    (error,) = flow.run(slot.start())

    assert isinstance(error, RetriableError)
    assert flow.entries() == []


def test_without_a_positions_topic_there_is_nothing_to_seal() -> None:
    flow = Flow()
    flow.target.delete(TOPIC)

    assert flow.run(flow.slot().start()) == [None]
