"""Where a source task starts, and the positions it commits."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import structlog

from replication.domain.errors import ReplicationError, TransactionAbortedError
from replication.domain.gap import Gap
from replication.domain.identifiers import TopicPartition
from replication.domain.naming import gaps_topic
from replication.domain.positions import Position, belongs_to
from replication.domain.slot import PlannedPartition
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_gaps import SourceGaps
from replication.tasks.start_positions import Beginnings, StartPositions

log = structlog.get_logger(__name__)


ANOTHER_WRITES_S = 0.005


def positions_topic(source: str) -> str:
    """Where Kafka Connect would keep this flow's positions, in the target cluster."""
    return f"mm2-offsets.{source}.internal"


class SourcePositions:
    """Reads positions at the start, writes them while running, and once more at the end."""

    def __init__(self, context: SlotContext, gaps: SourceGaps) -> None:
        self._context = context
        self._gaps = gaps
        self._starts = StartPositions(context)
        self._topic = positions_topic(context.spec.flow.source)
        self._is_writing = False

    async def add_partitions(self, planned: Iterable[PlannedPartition]) -> list[PartitionCopy]:
        """Partitions at their stored positions, or where the flow starts those without one.

        One call at a time: two for the same partition would make two copies of it.
        """
        partitions = list(planned)
        if not partitions:
            return []
        context = self._context
        source = context.spec.flow.source
        stored = await context.ports.writer.read_positions(self._topic, source)
        fresh = [partition for partition in partitions if partition.upstream not in stored]
        beginnings = await self._starts.of(fresh, {upstream.topic for upstream in stored})
        gaps = await self._known_gaps(partitions, beginnings)
        copies: list[PartitionCopy] = []
        for partition in partitions:
            position = stored.get(partition.upstream) or beginnings.positions.get(partition.upstream)
            lost = beginnings.lost.get(partition.upstream)
            if position is None and lost is None:
                context.unstarted[partition.upstream] = partition  # no leader now, or its topic just went away
                continue
            context.unstarted.pop(partition.upstream, None)
            is_stored = partition.upstream in stored
            copies.append(
                self._copy(partition, position, is_stored) if position is not None else self._block(partition)
            )
            copies[-1].last_gap = gaps.get(partition.upstream)
            if lost is not None:
                self._gaps.positions_lost(copies[-1], lost)
            elif partition.upstream in beginnings.again:
                self._gaps.copied_again(copies[-1])
        if not context.unstarted:
            context.ports.writer.forget_positions()
        if fresh and context.spec.delivery == "at_least_once":
            # from the first record on there is a position, so that a missing one is a lost one;
            # under exactly once partitions wait for it by themselves, and a commit here would end others' transaction
            await self.commit()
        return copies

    async def _known_gaps(
        self, partitions: Iterable[PlannedPartition], beginnings: Beginnings
    ) -> Mapping[TopicPartition, Gap]:
        """Only for those that may wait at one, which must not be written down with each start."""
        waits = self._context.spec.gap_policy == "stop"
        asked = {each.upstream for each in partitions if waits or each.upstream in beginnings.lost}
        if not asked:
            return {}
        return await self._context.ports.history.last_gaps(gaps_topic(self._context.spec.flow.source), asked)

    def _copy(self, planned: PlannedPartition, position: Position, is_stored: bool) -> PartitionCopy:
        context = self._context
        copy = PartitionCopy(
            planned,
            position,
            offset_lag_max=context.spec.offset_lag_max,
            pace=context.pace,
            memory=context.memory,
        )
        if is_stored:
            copy.committed = position
        if not belongs_to(position, planned.topic_id):
            copy.topic_id = copy.done_topic_id = position.topic_id  # the leaders' refresh finds the new one: a gap
        context.copies[copy.upstream] = copy
        return copy

    def _block(self, planned: PlannedPartition) -> PartitionCopy:
        """Nobody knows its position: it is there to be seen and reset, not to be copied."""
        copy = self._copy(planned, Position(next_offset=0, topic_id=planned.topic_id), is_stored=False)
        copy.has_position = False
        return copy

    async def run(self) -> None:
        """Commit every interval what moved, until the task stops."""
        context = self._context
        interval_s = context.spec.commit_interval_ms / 1000
        while not context.stopping:
            await context.pause(interval_s)
            if context.stopping:
                return
            try:
                await self.commit()
            except TransactionAbortedError as error:
                log.warning("commit again", flow=str(context.spec.flow), slot=context.spec.slot, error=str(error))
            except ReplicationError as error:
                log.warning("commit failed", flow=str(context.spec.flow), slot=context.spec.slot, error=str(error))
                context.fail(error)

    async def commit(self) -> None:
        """One transaction with every position that moved. Raises FencedError when the slot has a new owner."""
        async with self._turn():  # what moved is looked at when nobody else writes: an older position must not win
            moved = {
                upstream: (copy, copy.position)
                for upstream, copy in self._context.copies.items()
                if not copy.is_committed
            }
            if not moved:
                return
            await self._write({upstream: position for upstream, (_copy, position) in moved.items()}, transactional=True)
            for copy, position in moved.values():
                copy.committed = position

    async def commit_for_others(self) -> None:
        """On a clean stop: every position once more outside of a transaction, where MirrorMaker 2 reads it."""
        positions = {upstream: copy.position for upstream, copy in self._context.copies.items() if copy.has_position}
        if positions:
            await self.write(positions, transactional=False)

    async def write(self, positions: Mapping[TopicPartition, Position], *, transactional: bool) -> None:
        """Write positions as this slot's: with the open transaction or one of their own, or plainly."""
        async with self._turn():
            await self._write(positions, transactional=transactional)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """The slot has one producer, and that has one transaction at a time."""
        while self._is_writing:
            await self._context.loop.sleep(ANOTHER_WRITES_S)
        self._is_writing = True
        try:
            yield
        finally:
            self._is_writing = False

    async def _write(self, positions: Mapping[TopicPartition, Position], *, transactional: bool) -> None:
        context = self._context
        source = context.spec.flow.source
        stamped = {
            upstream: replace(position, generation=context.spec.generation) for upstream, position in positions.items()
        }
        await context.ports.writer.commit_positions(self._topic, source, stamped, transactional=transactional)
        context.committed_ms = context.loop.now_ms()
