"""Reads the positions that a source task starts from, and commits those it reaches."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import structlog

from replication.domain.errors import ReplicationError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import GAPS, POSITIONS
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.gap_policy import stops_at_gap
from replication.domain.offsets.positions import Position, belongs_to
from replication.domain.plan.slot import PlannedPartition
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.start_positions import Beginnings, StartPositions
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

ANOTHER_WRITES_S = 0.005


class PositionCommitter:
    """Reads positions at the start, writes them while running, and once more at the end."""

    def __init__(self, context: SlotContext, gaps: GapHandler) -> None:
        self._context = context
        self._gaps = gaps
        self._starts = StartPositions(context)
        self._topic = POSITIONS.name(context.spec.flow.source)
        self._is_writing = False
        self.committed_ms: int | None = None  # of the newest commit

    async def add_partitions(self, planned: Iterable[PlannedPartition]) -> list[PartitionCopy]:
        """Add partitions at their stored positions, or where the flow starts those without one.

        One call at a time: two for the same partition would make two copies of it.
        """
        partitions = list(planned)
        if not partitions:
            return []
        context = self._context
        source = context.spec.flow.source
        stored = await context.ports.positions.read(self._topic, source)
        fresh = [partition for partition in partitions if partition.upstream not in stored]
        beginnings = await self._starts.of(fresh, stored)
        gaps = await self._known_gaps(partitions, beginnings)
        copies: list[PartitionCopy] = []
        for partition in partitions:
            position = stored.get(partition.upstream) or beginnings.positions.get(partition.upstream)
            lost = beginnings.lost.get(partition.upstream)
            if position is None and lost is None:
                context.roster.postpone(partition)  # no leader now, or its topic just went away
                continue
            is_stored = partition.upstream in stored
            copies.append(
                self._copy(partition, position, is_stored) if position is not None else self._block(partition)
            )
            copies[-1].progress.note_gap(gaps.get(partition.upstream))
            if lost is not None:
                self._gaps.note_lost_position(copies[-1], lost)
            elif partition.upstream in beginnings.again:
                self._gaps.note_copied_again(copies[-1])
        if not context.roster.unstarted:
            context.ports.positions.forget()
        if fresh and context.spec.delivery == "at_least_once":
            # from the first record on there is a position, so that a missing one is a lost one;
            # under exactly once partitions wait for it anyway, and a commit here would end others' transaction
            await self.commit()
        return copies

    async def _known_gaps(
        self, partitions: Iterable[PlannedPartition], beginnings: Beginnings
    ) -> Mapping[TopicPartition, Gap]:
        """Read the gaps of partitions that may wait at one: it must not be written down with each start."""
        waits = stops_at_gap(self._context.spec.gap_policy)
        asked = {each.upstream for each in partitions if waits or each.upstream in beginnings.lost}
        if not asked:
            return {}
        return await self._context.ports.history.last_gaps(GAPS.name(self._context.spec.flow.source), asked)

    def _copy(self, planned: PlannedPartition, position: Position, is_stored: bool) -> PartitionCopy:
        context = self._context
        copy = PartitionCopy(
            planned,
            position,
            offset_lag_max=context.spec.offset_lag_max,
            pace=context.pace,
            memory=context.ports.memory,
        )
        if is_stored:
            copy.progress.note_committed(position)
            copy.resume_runs(position)
        if not belongs_to(position, planned.topic_id):
            copy.follow_stored_topic(position.topic_id)
        context.roster.add(copy)
        return copy

    def reopen(self, before: PartitionCopy) -> PartitionCopy | None:
        """Add a partition that was removed at its committed position; None if none is committed.

        The slot's own commit counts: a reader may not see a transaction yet that has just ended.
        """
        position = before.progress.committed
        if position is None or not before.progress.is_known:
            return None
        copy = self._copy(before.planned, position, is_stored=True)
        copy.progress.note_gap(before.progress.last_gap)
        copy.counters.continue_totals(before.counters)
        cursor = before.cursor
        if None not in (cursor.log_start, cursor.log_end, cursor.high_watermark):
            copy.cursor.note_ends(cursor.log_start or 0, cursor.log_end or 0, cursor.high_watermark or 0)
        return copy

    def _block(self, planned: PlannedPartition) -> PartitionCopy:
        """Add a partition of unknown position: it can be seen and reset, but not copied."""
        copy = self._copy(planned, Position(next_offset=0, topic_id=planned.topic_id), is_stored=False)
        copy.progress.mark_unknown()
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
        async with self.turn():  # read what moved while no other write is under way: an older position must not win
            moved = {
                upstream: (copy, copy.progress.position_with(copy.runs.unwritten))
                for upstream, copy in self._context.roster.copies.items()
                if not copy.progress.is_committed
            }
            if not moved:
                return
            await self._write({upstream: position for upstream, (_copy, position) in moved.items()}, transactional=True)
            for copy, position in moved.values():
                copy.progress.note_committed(position)

    async def commit_for_others(self) -> None:
        """Write every position once more on a clean stop, outside of a transaction, where MirrorMaker 2 reads it.

        A separate transaction comes first, even if nothing moved: only an owner may write plainly. Raises FencedError
        when the slot has a new owner.
        """
        copies = self._context.roster.copies.items()
        positions = {
            upstream: copy.progress.position_with(copy.runs.unwritten)
            for upstream, copy in copies
            if copy.progress.is_known
        }
        if positions:
            await self.write(positions, transactional=True)
            await self.write(positions, transactional=False)

    async def write(self, positions: Mapping[TopicPartition, Position], *, transactional: bool) -> None:
        """Write positions as this slot's: with the open transaction or one of their own, or plainly."""
        async with self.turn():
            await self._write(positions, transactional=transactional)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for other writes: the slot has one producer, and that has one transaction at a time."""
        while self._is_writing:
            await self._context.ports.loop.sleep(ANOTHER_WRITES_S)
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
        await context.ports.positions.commit(self._topic, source, stamped, transactional=transactional)
        self.committed_ms = context.ports.loop.now_ms()
