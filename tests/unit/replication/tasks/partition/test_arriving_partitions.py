"""Partitions come to a running slot and leave it: each once, and what is held is not read for a moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from replication.domain.control.orders import Hold
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import PlannedPartition, SlotSpec
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_task import SourceTask
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import a_context, planned

ORDERS = TopicPartition("orders", 0)
HELD = (Hold(topic="orders"),)


@dataclass
class Target:
    """Reads positions slowly enough for others to come in between."""

    loop: VirtualLoop
    forgotten: int = 0

    async def read(self, topic: str, source: str) -> dict[TopicPartition, Position]:
        await self.loop.sleep(1.0)
        return {}

    def forget(self) -> None:
        self.forgotten += 1

    async def append(self, topic: str, record: object) -> None:
        pass

    async def commit(self, *args: object, **options: object) -> None:
        await self.loop.sleep(0.1)

    async def offsets(self, at: Mapping[TopicPartition, Any]) -> dict[TopicPartition, int]:
        return dict.fromkeys(at, 0)


class NoOwners:
    """The registry of a flow whose other slots have never run."""

    async def read(self) -> list[RegisteredProducer]:
        return []


@dataclass
class Source:
    starts: dict[TopicPartition, int] = field(default_factory=lambda: {ORDERS: 0})

    async def offsets(self, at: Mapping[TopicPartition, Any]) -> dict[TopicPartition, int]:
        return {upstream: self.starts[upstream] for upstream in at if upstream in self.starts}


class Fetch:
    """Records the calls to the fetching half, and if the partition was held at that moment."""

    def __init__(self) -> None:
        self.read: list[tuple[PartitionCopy, bool]] = []

    def resume(self, copy: PartitionCopy) -> None:
        self.read.append((copy, copy.obstructions.of("hold") is not None))

    def stop_reading(self, copy: PartitionCopy) -> None:
        pass


class Slot:
    """A source task that is past its start, without its coroutines."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.target, self.source, self.fetch = Target(self.loop), Source(), Fetch()
        ports: dict[str, Any] = {"positions": self.target, "target": self.target, "source": self.source}
        ports |= {"claims": self.target, "owners": NoOwners()}
        ports |= dict.fromkeys(("history", "records", "syncs", "producers", "opener", "record_path"))
        bare = a_context(self.loop, ports)
        self.task = cast("Any", SourceTask(bare.spec, bare.ports, driver="d", boot="b"))
        self.task._fetcher = self.fetch
        self.task._connect()
        self.task._router.start()
        self.context: SlotContext = self.task._context

    def spec(self, *partitions: PlannedPartition, **changes: Any) -> SlotSpec:
        return replace(self.context.spec, partitions=partitions, **changes)

    def run(self, *coroutines: Any) -> None:
        tasks = [self.loop.spawn(coroutine) for coroutine in coroutines]
        self.loop.run_until(lambda: all(task.done for task in tasks))
        for task in tasks:
            if task.error is not None:
                raise task.error


def test_a_partition_that_two_ask_for_at_once_is_made_once() -> None:
    slot = Slot()
    slot.context.roster.postpone(planned("orders"))

    slot.run(slot.task._plan_follower.start_others(), slot.task._plan_follower._apply(slot.spec(planned("orders"))))

    assert [copy for copy, _ in slot.fetch.read] == [slot.context.roster.copies[ORDERS]]
    assert slot.context.roster.unstarted == {}


def test_a_partition_that_left_while_it_was_started_is_not_tried_again() -> None:
    slot = Slot()
    slot.source.starts.clear()
    slot.context.roster.postpone(planned("orders"))

    slot.run(slot.task._plan_follower.start_others(), slot.task._plan_follower._apply(slot.spec()))

    assert slot.context.roster.unstarted == {}


def test_a_partition_without_a_start_offset_stays_until_the_slot_that_gets_it_runs() -> None:
    slot = Slot()
    slot.context.roster.postpone(planned("orders"))
    moved = slot.spec(layout=1, slots=2, moved_away=((ORDERS, 1),))

    slot.run(slot.task._plan_follower._apply(moved))
    slot.run(slot.task._plan_follower.start_others())
    copies = [copy.upstream for copy, _ in slot.fetch.read]

    assert copies == [ORDERS]
    assert slot.task._takeover.claim.released == 0


def test_a_held_partition_is_not_read_when_it_starts_late() -> None:
    slot = Slot()
    slot.context.adopt(slot.spec(planned("orders"), holds=HELD))
    slot.context.roster.postpone(planned("orders"))

    slot.run(slot.task._plan_follower.start_others())

    assert [was_held for _, was_held in slot.fetch.read] == [True]


def test_a_partition_of_a_new_plan_is_not_read_before_its_hold_is_seen() -> None:
    slot = Slot()

    async def start_reading() -> None:
        while ORDERS not in slot.context.roster.copies:
            await slot.loop.sleep(0.01)
        slot.task._router.ready(slot.context.roster.copies[ORDERS])

    slot.run(slot.task._plan_follower._apply(slot.spec(planned("orders"), holds=HELD)), start_reading())

    assert [was_held for _, was_held in slot.fetch.read] == [True]


def test_a_partition_that_comes_back_while_it_is_leaving_is_read_on() -> None:
    slot = Slot()
    slot.run(slot.task._plan_follower._apply(slot.spec(planned("orders"))))
    slot.run(slot.task._plan_follower._apply(slot.spec()))
    slot.fetch.read.clear()

    slot.run(slot.task._plan_follower._apply(slot.spec(planned("orders"))))

    assert [copy for copy, _ in slot.fetch.read] == [slot.context.roster.copies[ORDERS]]


def test_positions_are_kept_while_a_partition_could_not_start_and_no_longer() -> None:
    slot = Slot()
    slot.source.starts.clear()
    slot.run(slot.task._plan_follower._apply(slot.spec(planned("orders"))))
    assert slot.target.forgotten == 0

    slot.source.starts[ORDERS] = 0
    slot.run(slot.task._plan_follower.start_others())

    assert slot.target.forgotten == 1
