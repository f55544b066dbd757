"""Removes offset runs that nobody needs any more from the runs topic, a few times a day.

The topic is compacted and a segment's key never comes again by itself, so that it would grow as long as the flow runs.
"""

from collections.abc import Collection, Mapping, Sequence

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.gap import Gap
from replication.domain.identifiers import TopicPartition
from replication.domain.naming import offset_runs_topic
from replication.domain.run_retention import CopiedPartition, RunRetention
from replication.ports.target_writer import OutgoingRecord
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_records import run_partition

log = structlog.get_logger(__name__)

FIRST_AFTER_S = 600.0  # a slot that starts again and again does not read the topic each time
SLOTS_APART_S = 20.0
EVERY_S = 6 * 3600.0
REMOVED_AT_ONCE = 500

_Way = tuple[bytes, tuple[str, ...], Gap | None]


class RunTidying:
    """One coroutine per slot, for the slot's partitions only. What fails is tried again with the next round."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self._topic = offset_runs_topic(context.spec.flow.source)

    async def run(self) -> None:
        context = self._context
        await context.pause(FIRST_AFTER_S + SLOTS_APART_S * context.spec.slot)
        while not context.stopping:
            is_more_left = False
            try:
                is_more_left = await self.tidy()
            except ReplicationError as error:
                log.warning("offset runs not tidied", flow=str(context.spec.flow), error=str(error))
            await context.pause(FIRST_AFTER_S if is_more_left else EVERY_S)

    async def tidy(self) -> bool:
        """One round; True when more may be left. Raises what the target raises."""
        context = self._context
        steady = {copy: _way(copy) for copy in context.copies.values() if not copy.has_jump_ahead}
        retention = RunRetention(await self._copied(steady))
        await context.ports.history.read_runs(self._topic, [copy.upstream for copy in steady], retention.take)
        removed = await self._remove(list(retention.outdated()), steady)
        if removed:
            log.info("offset runs removed", flow=str(context.spec.flow), slot=context.spec.slot, segments=removed)
        return retention.is_full and removed > 0

    async def _copied(self, copies: Collection[PartitionCopy]) -> dict[TopicPartition, CopiedPartition]:
        """What is pending is looked at first: it may be written while the log starts are asked for."""
        waiting: dict[TopicPartition, int] = {}
        for segment in self._context.pending_segments:
            upstream = TopicPartition(segment.topic, segment.partition)
            waiting[upstream] = min(segment.first_upstream, waiting.get(upstream, segment.first_upstream))
        known = {copy: (copy.done_topic_id, _written_to(copy, waiting.get(copy.upstream))) for copy in copies}
        starts = await self._context.ports.history.log_starts({copy.remote for copy in copies})
        return {
            copy.upstream: CopiedPartition(topic_id, starts[copy.remote], written_to)
            for copy, (topic_id, written_to) in known.items()
            if copy.remote in starts
        }

    async def _remove(
        self, outdated: Sequence[tuple[TopicPartition, bytes]], steady: Mapping[PartitionCopy, _Way]
    ) -> int:
        """A partition that was sent elsewhere meanwhile may write a segment anew under its key: it is left alone."""
        context, removed = self._context, 0
        for at in range(0, len(outdated), REMOVED_AT_ONCE):
            unmoved = {copy.upstream for copy, way in steady.items() if _way(copy) == way}
            records = [
                OutgoingRecord(key, None, partition=run_partition(upstream.topic, upstream.partition))
                for upstream, key in outdated[at : at + REMOVED_AT_ONCE]
                if upstream in unmoved and not context.stopping
            ]
            if records:
                await context.ports.records.append(self._topic, records)
            removed += len(records)
        return removed


def _written_to(copy: PartitionCopy, waiting: int | None) -> int:
    return min(offset for offset in (copy.done_next, waiting, copy.runs.begins_at) if offset is not None)


def _way(copy: PartitionCopy) -> _Way:
    """Another one after each jump: resets and gaps are the only ones."""
    return copy.done_topic_id, copy.asked_resets, copy.last_gap
