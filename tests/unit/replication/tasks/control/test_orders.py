"""Holds and resets of a running slot."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from replication.domain.control.orders import Hold, Reset, ToOffset
from replication.domain.errors import RetriableError
from replication.domain.identifiers import TopicPartition
from replication.ports.fetch.metadata import OffsetAt, TopicLeaders
from replication.tasks.control.orders import Orders
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.partition.partition_copy import PartitionCopy
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import TOPIC_ID, a_context, a_copy
from tests.unit.replication.tasks.noted_events import NotedEvents

RESET = Reset(id="r", topic="orders", partition=0, to=ToOffset(offset=500))


class Source:
    def __init__(self) -> None:
        self.is_away = False

    async def describe(self, topics: Sequence[str]) -> dict[str, TopicLeaders]:
        if self.is_away:
            raise RetriableError("source away for a moment")
        return {name: TopicLeaders(name, TOPIC_ID, {0: 1}, None) for name in topics}

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        return {upstream: 0 if wanted == "earliest" else 1_000 for upstream, wanted in at.items()}


class Slot(NotedEvents):
    """One held partition; `read_from` notes from where it was let go."""

    def __init__(self) -> None:
        super().__init__()
        self.loop, self.source = VirtualLoop(), Source()
        self.context = a_context(self.loop, {"source": self.source}, holds=(Hold(topic="orders"),))
        self.copy = a_copy(self.context, "orders", position=100)
        self.read_from: list[int] = []
        self._orders = Orders(self.context, self, GapHandler(self.context, GapLog()))
        self.tick()

    def ready(self, copy: PartitionCopy) -> None:
        if copy.obstructions.of("hold") is None:
            self.read_from.append(copy.cursor.offset)

    def tick(self) -> None:
        self.loop.spawn(self._orders.apply())
        self.loop.run_for(0.1)


def test_a_hold_ends_when_it_is_no_longer_ordered() -> None:
    slot = Slot()
    assert slot.copy.obstructions.of("hold") is not None

    slot.context.adopt(replace(slot.context.spec, holds=()))
    slot.tick()

    assert slot.read_from == [100]


def test_a_hold_lasts_until_its_reset_is_carried_out() -> None:
    slot = Slot()
    slot.source.is_away = True
    slot.context.adopt(replace(slot.context.spec, holds=(), resets=(RESET,)))
    slot.tick()
    assert (slot.read_from, slot.copy.state) == ([], "paused")

    slot.source.is_away = False
    slot.tick()

    assert slot.read_from == [500]


def test_a_reset_that_is_withdrawn_ends_the_hold_as_well() -> None:
    slot = Slot()
    slot.source.is_away = True
    slot.context.adopt(replace(slot.context.spec, holds=(), resets=(RESET,)))
    slot.tick()

    slot.context.adopt(replace(slot.context.spec, resets=()))
    slot.tick()

    assert slot.read_from == [100]
