"""Removes offset runs that are not needed any more from the runs topic, a few times a day.

The topic is compacted and the key of a closed segment is never written again, so that it would grow as long as the
flow runs.

A key is written again only when a new owner of the slot is sent back, and removals carry no producer that Kafka
could fence. So each few removals follow a commit that the target has just taken from us.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import OFFSET_RUNS
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run_retention import CopiedPartition, RunRetention
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.offsets.offset_records import OffsetRecords, run_partition
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

FIRST_AFTER_S = 600.0  # a slot that starts again and again does not read the topic each time
SLOTS_APART_S = 20.0
EVERY_S = 6 * 3600.0
REMOVED_AT_ONCE = 500
PROOF_WITHIN_S = 10.0  # much less than a new owner takes until it writes its first segment
LOOK_S = 0.1
NOWHERE = -1

_Way = tuple[bytes, tuple[str, ...], Gap | None]


class OffsetRunCleanup:
    """One coroutine per slot, for the slot's partitions only. What fails is tried again with the next round."""

    def __init__(self, context: SlotContext, records: OffsetRecords) -> None:
        self._context = context
        self._records = records
        self._topic = OFFSET_RUNS.name(context.spec.flow.source)

    async def run(self) -> None:
        context = self._context
        await context.pause(FIRST_AFTER_S + SLOTS_APART_S * context.spec.slot)
        while not context.stopping:
            is_more_left = False
            try:
                is_more_left = await self.remove_outdated()
            except ReplicationError as error:
                log.warning("offset runs not removed", flow=str(context.spec.flow), error=str(error))
            await context.pause(FIRST_AFTER_S if is_more_left else EVERY_S)

    async def remove_outdated(self) -> bool:
        """One round; True when more may be left. Raises what the target raises."""
        context = self._context
        steady = {copy: _way(copy) for copy in context.roster.copies.values() if not copy.has_jump_ahead}
        retention = RunRetention(await self._copied(steady))
        await context.ports.history.read_runs(self._topic, [copy.upstream for copy in steady], retention.add)
        removed = await self._remove(list(retention.outdated()), steady)
        if removed:
            log.info("offset runs removed", flow=str(context.spec.flow), slot=context.spec.slot, segments=removed)
        return retention.is_full and removed > 0

    async def _copied(self, copies: Collection[PartitionCopy]) -> dict[TopicPartition, CopiedPartition]:
        """Read what is pending first: it may be written while the log starts are asked for."""
        waiting: dict[TopicPartition, int] = {}
        for segment in self._records.pending_segments:
            upstream = TopicPartition(segment.topic, segment.partition)
            waiting[upstream] = min(segment.first_upstream, waiting.get(upstream, segment.first_upstream))
        known = {copy: (copy.progress.topic_id, _lowest_unwritten(copy, waiting.get(copy.upstream))) for copy in copies}
        remotes = {copy.remote for copy in copies}
        starts = await self._context.ports.target.offsets(dict.fromkeys(remotes, "earliest"))
        return {
            copy.upstream: CopiedPartition(topic_id, starts[copy.remote], written_to)
            for copy, (topic_id, written_to) in known.items()
            if copy.remote in starts
        }

    async def _remove(
        self, outdated: Sequence[tuple[TopicPartition, bytes]], steady: Mapping[PartitionCopy, _Way]
    ) -> int:
        """Skip partitions that were moved meanwhile: they may write a segment under the same key again.

        The rest waits for the next round when the slot cannot be proved to be ours.
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
        """Return True when the slot was ours a moment ago: the target took a commit that was begun after this call.

        One may have been under way already, its answer waiting while the process was frozen: the second one counts.
        """
        return await self._is_committed_again() and await self._is_committed_again()

    async def _is_committed_again(self) -> bool:
        """Have one position committed once more. False when that takes too long by either clock.

        One of the clocks stops while a machine sleeps.
        """
        context, loop = self._context, self._context.ports.loop
        copy = next(
            (copy for copy in context.roster.copies.values() if copy.progress.is_known and copy.progress.committed),
            None,
        )
        committed = None if copy is None else copy.progress.committed
        if copy is None or committed is None:
            return False
        since_s, since_ms = loop.monotonic_s(), loop.now_ms()
        asked = replace(committed, next_offset=NOWHERE)  # as if it had moved
        copy.progress.note_committed(asked)
        while not context.stopping and self._is_recent(since_s, since_ms):
            if copy.progress.committed is not asked:
                return True
            await context.pause(LOOK_S)
        return False

    def _is_recent(self, since_s: float, since_ms: int) -> bool:
        loop = self._context.ports.loop
        return max(loop.monotonic_s() - since_s, abs(loop.now_ms() - since_ms) / 1000) < PROOF_WITHIN_S


def _lowest_unwritten(copy: PartitionCopy, waiting: int | None) -> int:
    return min(offset for offset in (copy.progress.next_offset, waiting, copy.runs.begins_at) if offset is not None)


def _way(copy: PartitionCopy) -> _Way:
    """Changes with each jump: resets and gaps are the only ones."""
    return copy.progress.topic_id, copy.progress.asked_resets, copy.progress.last_gap
