"""Holds and resets of a running slot."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from replication.domain.control import Hold, Reset, ToOffset
from replication.domain.errors import RetriableError
from replication.domain.identifiers import TopicPartition
from replication.ports.source_reader import OffsetAt, TopicLeaders
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.source_control import SourceControl
from replication.tasks.source_gaps import SourceGaps
from tests.support.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import TOPIC_ID, a_context, a_copy

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


class Slot:
    """One held partition; `read_from` notes from where it was let go."""

    def __init__(self) -> None:
        self.loop, self.source = VirtualLoop(), Source()
        self.context = a_context(self.loop, {"reader": self.source}, holds=(Hold(topic="orders"),))
        self.copy = a_copy(self.context, "orders", position=100)
        self.read_from: list[int] = []
        self._control = SourceControl(self.context, SourceGaps(self.context), self._ready, lambda copy: None)
        self.tick()

    def _ready(self, copy: PartitionCopy) -> None:
        if copy.hold is None:
            self.read_from.append(copy.fetch_offset)

    def tick(self) -> None:
        self.loop.spawn(self._control.tick())
        self.loop.run_for(0.1)


def test_a_hold_ends_when_nobody_wants_it_any_more() -> None:
    slot = Slot()
    assert slot.copy.hold is not None

    slot.context.spec = replace(slot.context.spec, holds=())
    slot.tick()

    assert slot.read_from == [100]


def test_a_hold_lasts_until_its_reset_is_carried_out() -> None:
    slot = Slot()
    slot.source.is_away = True
    slot.context.spec = replace(slot.context.spec, holds=(), resets=(RESET,))
    slot.tick()
    assert (slot.read_from, slot.copy.state) == ([], "paused")

    slot.source.is_away = False
    slot.tick()

    assert slot.read_from == [500]


def test_a_reset_that_is_withdrawn_ends_the_hold_as_well() -> None:
    slot = Slot()
    slot.source.is_away = True
    slot.context.spec = replace(slot.context.spec, holds=(), resets=(RESET,))
    slot.tick()

    slot.context.spec = replace(slot.context.spec, resets=())
    slot.tick()

    assert slot.read_from == [100]
