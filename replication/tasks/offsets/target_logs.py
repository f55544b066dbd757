"""Compares the logs of the target with what it had acknowledged: copies must not get lost there without a word.

A remote topic may be deleted or deleted and created again, an unclean election or a restore may truncate it. Each of
these shows in its topic id or in its end, which are compared before a partition is copied and after each change of its
leader, or in an acknowledgement below one that came before.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import structlog

from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import GAPS, OFFSET_RUNS
from replication.domain.offsets.copied_log import DISTRUSTED, CopiedLog, kept_end
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import RunSegment
from replication.ports.fetch.metadata import TopicLeaders
from replication.tasks.offsets.gap_handler import GapHandler, Missing
from replication.tasks.offsets.offset_records import OffsetRecords
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Shorter:
    """A partition whose remote log of now has lost copies."""

    copy: PartitionCopy
    topic_id: bytes
    kept: int  # the copies end here
    end: int  # of the log


class TargetLogs:
    """Asks the target once for all partitions that must be compared."""

    def __init__(self, context: SlotContext, events: SlotEvents, gaps: GapHandler, records: OffsetRecords) -> None:
        self._context = context
        self._events = events
        self._gaps = gaps
        self._records = records

    def note_truncation(self, copy: PartitionCopy) -> None:
        """The target acknowledged a batch below one that it had acknowledged: compare before anything else is read."""
        self._records.close_segment(copy, copy.progress.topic_id)
        self._wait(copy)

    async def compare(
        self, copies: Sequence[PartitionCopy], described: Mapping[str, TopicLeaders]
    ) -> Collection[PartitionCopy]:
        """Return the partitions that may be copied now. Raises what the target raises."""
        compared = [copy for copy in copies if self._is_settled(copy, described[copy.planned.remote_topic].topic_id)]
        unsure = [copy for copy in copies if not copy.progress.is_compared and not copy.progress.decision]
        if not unsure:
            return compared
        expected = {copy: copy.progress.acknowledged_end for copy in unsure}
        ends = await self._context.ports.target.offsets(dict.fromkeys((copy.remote for copy in unsure), "latest"))
        shorter: list[_Shorter] = []
        for copy in unsure:
            end, topic_id = ends.get(copy.remote), described[copy.planned.remote_topic].topic_id
            if end is None:
                self._stall(copy, "remote_leader_not_available", f"remote partition {copy.remote} gives no offsets yet")
                continue
            kept = kept_end(expected[copy], copy.progress.remote_topic_id, topic_id, end)
            if copy.progress.truncation is not None:
                kept = min(copy.progress.truncation.downstream, kept if kept is not None else end)
            if kept is None:
                copy.progress.note_compared(copy.planned.remote_topic, topic_id)
                compared.append(copy)
            else:
                shorter.append(_Shorter(copy, topic_id, kept, end))
        return [*compared, *await self._decide(shorter)]

    def _is_settled(self, copy: PartitionCopy, topic_id: bytes) -> bool:
        """True when the partition was compared with this topic, or nothing was copied to it."""
        progress, remote = copy.progress, copy.planned.remote_topic
        if progress.remote_topic not in ("", remote):
            progress.follow_remote(None)  # renamed: the copies of before are in the former topic
            progress.note_compared(remote, topic_id)
        elif not progress.acknowledged_end and progress.truncation is None:
            progress.note_compared(remote, topic_id)
        elif topic_id != progress.remote_topic_id:
            progress.compare_again()
        if progress.decision is not None:
            return progress.truncation is None  # one truncation after the other
        return progress.is_compared

    async def _decide(self, shorter: Sequence[_Shorter]) -> Sequence[PartitionCopy]:
        decided = [each for each in shorter if self._is_quiet(each.copy)]
        if not decided:
            return []
        upstreams = {each.copy.upstream for each in decided}
        copied = await self._copied(decided)
        gaps = await self._context.ports.history.last_gaps(GAPS.name(self._context.spec.flow.source), upstreams)
        for each in decided:
            copy = each.copy
            if self._context.roster.copies.get(copy.upstream) is not copy or copy.obstructions.is_dead:
                continue
            missing = _missing(each, copied[copy.upstream], gaps.get(copy.upstream))
            truncation = copy.progress.truncation
            copy.progress.note_truncated(copy.planned.remote_topic, each.topic_id, each.kept)
            if truncation is None or truncation.is_stored or self._context.spec.delivery == "exactly_once":
                copy.progress.follow_remote(each.end)  # else the acknowledgements are behind the truncation already
            self._gaps.note_truncated(copy, missing)
            self._events.filled(copy)  # what waits for the gap is done even where nothing more is read
        return [each.copy for each in decided if not each.copy.obstructions.is_dead]

    def _is_quiet(self, copy: PartitionCopy) -> bool:
        """Under exactly once nothing of the partition may be in an open transaction: abort it, and come back."""
        is_idle = copy.queue.is_idle and not copy.progress.uncommitted
        if is_idle or self._context.spec.delivery == "at_least_once":
            return True
        self._wait(copy)
        return False

    def _wait(self, copy: PartitionCopy) -> None:
        text = f"{copy.remote} lost copies that it had acknowledged; the partition waits until it is known which ones"
        self._stall(copy, "target_truncated", text)
        self._events.stop_reading(copy)
        self._events.transaction_lost(text)
        self._context.refresh_signal.set()

    async def _copied(self, shorter: Sequence[_Shorter]) -> dict[TopicPartition, CopiedLog]:
        """Read the offset runs, after those that are not written yet."""
        for each in shorter:
            if each.copy.progress.truncation is None:
                self._records.close_segment(each.copy, each.copy.progress.topic_id)
        await self._records.flush()
        segments: dict[bytes, RunSegment] = {}

        def on_segment(key: bytes, segment: RunSegment | None) -> None:
            segments.pop(key, None)  # the order is that of the writes
            if segment is not None:
                segments[key] = segment

        logs = {each.copy.upstream: CopiedLog() for each in shorter}
        topic = OFFSET_RUNS.name(self._context.spec.flow.source)
        await self._context.ports.history.read_runs(topic, list(logs), on_segment)
        limits = {each.copy.upstream: each.copy.progress.truncation for each in shorter}
        for segment in segments.values():
            upstream = TopicPartition(segment.topic, segment.partition)
            truncation = limits[upstream]
            logs[upstream].add(segment, before=None if truncation is None else truncation.upstream)
        return logs

    def _stall(self, copy: PartitionCopy, code: str, text: str) -> None:
        copy.obstructions.stop_for("stalled", copy.cause(code, text, self._context.ports.loop.now_ms()))


def _missing(shorter: _Shorter, copied: CopiedLog, gap: Gap | None) -> Missing:
    """Return what is missing; a partition that waited for it before remembers it in its newest gap."""
    copy, progress = shorter.copy, shorter.copy.progress
    is_other = copy.cursor.topic_id != progress.topic_id
    to_offset = progress.next_offset if progress.truncation is None else progress.truncation.upstream
    is_known = gap is not None and gap.cause == "target_truncated" and gap.topic_id == progress.topic_id
    if gap is not None and is_known and progress.downstream_next == DISTRUSTED:
        first = None if gap.count is None else gap.from_offset
        return Missing(first, gap.to_offset or to_offset, is_recorded=True, is_read_again=is_other)
    first = copied.missing_from(shorter.kept, progress.topic_id)
    return Missing(None if first is None else min(first, to_offset), to_offset, is_read_again=is_other)
