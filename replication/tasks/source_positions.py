"""Where a source task starts, and the positions it commits."""

from collections.abc import Iterable, Mapping

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.positions import Position, belongs_to
from replication.domain.slot import PlannedPartition
from replication.ports.source_reader import OffsetAt
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_gaps import SourceGaps

log = structlog.get_logger(__name__)


def positions_topic(source: str) -> str:
    """Where Kafka Connect would keep this flow's positions, in the target cluster."""
    return f"mm2-offsets.{source}.internal"


class SourcePositions:
    """Reads positions at the start, writes them while running, and once more at the end."""

    def __init__(self, context: SlotContext, gaps: SourceGaps) -> None:
        self._context = context
        self._gaps = gaps
        self._topic = positions_topic(context.spec.flow.source)

    async def add_partitions(self, planned: Iterable[PlannedPartition]) -> list[PartitionCopy]:
        """Partitions at their stored positions, or where the flow starts those without one."""
        partitions = list(planned)
        if not partitions:
            return []
        context = self._context
        source = context.spec.flow.source
        stored = await context.ports.writer.read_positions(self._topic, source)
        fresh = [partition.upstream for partition in partitions if partition.upstream not in stored]
        starts = await self._starts(fresh)
        copies: list[PartitionCopy] = []
        for partition in partitions:
            position = stored.get(partition.upstream)
            start = starts.get(partition.upstream)
            if position is None and (start is None or start < 0):
                context.unstarted[partition.upstream] = partition  # no leader now, or its topic just went away
                continue
            context.unstarted.pop(partition.upstream, None)
            copies.append(self._copy(partition, position, start or 0))
        return copies

    def _copy(self, planned: PlannedPartition, stored: Position | None, start: int) -> PartitionCopy:
        position = stored or Position(next_offset=start, topic_id=planned.topic_id)
        copy = PartitionCopy(planned, position, offset_lag_max=self._context.spec.offset_lag_max)
        if stored is not None:
            copy.committed = stored
        if not belongs_to(position, planned.topic_id):
            copy.topic_id = copy.done_topic_id = position.topic_id  # the leaders' refresh finds the new one: a gap
        self._context.copies[copy.upstream] = copy
        return copy

    async def _starts(self, fresh: list[TopicPartition]) -> Mapping[TopicPartition, int]:
        if not fresh:
            return {}
        start: OffsetAt = self._context.spec.start
        reader = self._context.ports.reader
        found = await reader.offsets(dict.fromkeys(fresh, start))
        if not isinstance(start, int):
            return found
        behind_the_end = [partition for partition, offset in found.items() if offset < 0]
        return {**found, **await reader.offsets(dict.fromkeys(behind_the_end, "latest"))} if behind_the_end else found

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
            except ReplicationError as error:
                log.warning("commit failed", flow=str(context.spec.flow), slot=context.spec.slot, error=str(error))
                context.fail(error)

    async def commit(self) -> None:
        """One transaction with every position that moved. Raises FencedError when the slot has a new owner."""
        moved = {
            upstream: (copy, copy.position) for upstream, copy in self._context.copies.items() if not copy.is_committed
        }
        if not moved:
            return
        await self._write({upstream: position for upstream, (_copy, position) in moved.items()}, transactional=True)
        for copy, position in moved.values():
            copy.committed = position

    async def commit_for_others(self) -> None:
        """On a clean stop: every position once more outside of a transaction, where MirrorMaker 2 reads it."""
        positions = {upstream: copy.position for upstream, copy in self._context.copies.items()}
        if positions:
            await self._write(positions, transactional=False)

    async def _write(self, positions: Mapping[TopicPartition, Position], *, transactional: bool) -> None:
        context = self._context
        source = context.spec.flow.source
        stamped = {
            upstream: Position(
                next_offset=position.next_offset,
                topic_id=position.topic_id,
                leader_epoch=position.leader_epoch,
                downstream_next=position.downstream_next,
                generation=context.spec.generation,
            )
            for upstream, position in positions.items()
        }
        await context.ports.writer.commit_positions(self._topic, source, stamped, transactional=transactional)
        context.committed_ms = context.loop.now_ms()
