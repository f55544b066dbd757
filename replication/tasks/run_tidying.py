"""Removes offset runs that nobody needs any more from the runs topic, a few times a day.

The topic is compacted and a segment's key never comes again by itself, so that it would grow as long as the flow runs.

A key does come again when a new owner of the slot is sent back, and removals carry no producer that Kafka could fence.
So each few removals follow upon a commit that the target has just taken from us.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

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
PROOF_WITHIN_S = 10.0  # much less than a new owner takes until it writes its first segment
LOOK_S = 0.1
NOWHERE = -1

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
        """A partition that was sent elsewhere meanwhile may write a segment anew under its key: it is left alone.

        What is left when the slot cannot be proved to be ours waits for the next round.
        """
        context, removed = self._context, 0
        for at in range(0, len(outdated), REMOVED_AT_ONCE):
            if not await self._is_owner():
                if context.stopping:
                    break
                log.warning("offset runs kept", flow=str(context.spec.flow), slot=context.spec.slot, reason="no commit")
                break
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

    async def _is_owner(self) -> bool:
        """Whether the slot was ours a moment ago: the target took a commit that was begun after this call.

        One may have been under way already, its answer waiting while the process was frozen: the second one counts.
        """
        return await self._is_committed_anew() and await self._is_committed_anew()

    async def _is_committed_anew(self) -> bool:
        """Have one position committed once more. False when that takes too long by either clock.

        One of the clocks stands still while a machine sleeps.
        """
        context, loop = self._context, self._context.loop
        copy = next((copy for copy in context.copies.values() if copy.has_position and copy.committed), None)
        if copy is None or copy.committed is None:
            return False
        since_s, since_ms = loop.monotonic_s(), loop.now_ms()
        asked = copy.committed = replace(copy.committed, next_offset=NOWHERE)  # as if it had moved
        while not context.stopping and self._is_recent(since_s, since_ms):
            if copy.committed is not asked:
                return True
            await context.pause(LOOK_S)
        return False

    def _is_recent(self, since_s: float, since_ms: int) -> bool:
        loop = self._context.loop
        return max(loop.monotonic_s() - since_s, abs(loop.now_ms() - since_ms) / 1000) < PROOF_WITHIN_S


def _written_to(copy: PartitionCopy, waiting: int | None) -> int:
    return min(offset for offset in (copy.done_next, waiting, copy.runs.begins_at) if offset is not None)


def _way(copy: PartitionCopy) -> _Way:
    """Another one after each jump: resets and gaps are the only ones."""
    return copy.done_topic_id, copy.asked_resets, copy.last_gap
