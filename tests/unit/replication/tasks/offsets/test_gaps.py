"""A gap at which a partition waits is written down once, however often the slot starts."""

from collections.abc import Collection
from functools import cached_property
from typing import Any

import pytest

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.positions import Position
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.slot_context import SlotContext
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import TOPIC_ID, a_context, planned

ORDERS = TopicPartition("orders", 0)


class Target:
    """Holds a position or none, a record in the remote topic, and the gaps of former starts."""

    def __init__(self, position: int | None, gaps: dict[TopicPartition, Gap]) -> None:
        self._position = position
        self._gaps = gaps
        self.gaps_were_read = False

    async def read(self, topic: str, source: str) -> dict[TopicPartition, Position]:
        known = self._position
        return {} if known is None else {ORDERS: Position(next_offset=known, topic_id=TOPIC_ID)}

    def forget(self) -> None: ...

    async def commit(self, *args: object, **options: object) -> None: ...

    async def offsets(self, at: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        return dict.fromkeys(at, 5)

    async def last_runs(self, topic: str, upstreams: object) -> dict[TopicPartition, Any]:
        return {}

    async def last_syncs(self, topic: str, upstreams: object) -> dict[TopicPartition, int]:
        return {ORDERS: 3}

    async def last_gaps(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, Gap]:
        assert topic == "srm-gaps.a.internal"
        self.gaps_were_read = True
        return {upstream: gap for upstream, gap in self._gaps.items() if upstream in upstreams}


class Start:
    """One start of a slot with one partition."""

    def __init__(
        self, policy: str, *, position: int | None = 20, known: dict[TopicPartition, Gap] | None = None
    ) -> None:
        loop = VirtualLoop()
        self.target = Target(position, known or {})
        self.context: SlotContext = a_context(
            loop,
            {"positions": self.target, "target": self.target, "history": self.target, "source": None},
            gap_policy=policy,
        )
        self.gap_log = GapLog()
        self.gaps = GapHandler(self.context, self.gap_log)
        task = loop.spawn(self._add(PositionCommitter(self.context, self.gaps)))
        loop.run_until(lambda: task.done)
        assert task.error is None
        self.copy = self.context.roster.copies[ORDERS]

    async def _add(self, positions: PositionCommitter) -> None:
        await positions.add_partitions([planned("orders")])

    @cached_property
    def written(self) -> dict[TopicPartition, Gap]:
        """The newest gap record of this start, as the next start reads it."""
        return {TopicPartition(gap.topic, gap.partition): gap for _copy, gap in self.gap_log.take_pending()}


def test_with_the_policy_stop_a_gap_is_written_with_the_first_start_only() -> None:
    first = Start("stop")
    first.gaps.note_out_of_range(first.copy, 70, 100)
    again = Start("stop", known=first.written)
    again.gaps.note_out_of_range(again.copy, 80, 110)

    assert [(gap.cause, gap.from_offset, gap.to_offset) for gap in first.written.values()] == [("retention", 20, 70)]
    assert (again.written, again.gap_log.total, again.gap_log.take_unreported()) == ({}, 0, [])
    assert [start.copy.state for start in (first, again)] == ["gap", "gap"]
    assert again.copy.barrier.waits == 0


def test_with_the_policy_stop_another_gap_is_written() -> None:
    first = Start("stop")
    first.gaps.note_out_of_range(first.copy, 70, 100)
    later = Start("stop", position=75, known=first.written)

    later.gaps.note_out_of_range(later.copy, 90, 110)

    assert [(gap.from_offset, gap.to_offset) for gap in later.written.values()] == [(75, 90)]


@pytest.mark.parametrize("policy", ["stop", "record_and_continue"])
def test_a_lost_position_is_written_with_the_first_start_only(policy: str) -> None:
    first = Start(policy, position=None)
    again = Start(policy, position=None, known=first.written)

    (gap,) = first.written.values()
    assert (gap.cause, gap.from_offset, gap.to_offset, gap.count) == ("positions_lost", 4, None, None)
    assert again.written == {}
    assert [start.copy.state for start in (first, again)] == ["gap", "gap"]


def test_gaps_of_before_are_read_only_where_a_partition_may_wait_at_one() -> None:
    assert not Start("record_and_continue").target.gaps_were_read
