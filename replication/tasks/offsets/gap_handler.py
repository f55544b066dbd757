"""Handles source logs that are not what the position says: every such jump becomes a gap record."""

from dataclasses import dataclass, replace

import structlog

from replication.domain.offsets.gap import Gap, GapCause, Resume, resume_out_of_range
from replication.domain.offsets.gap_policy import copies_from_start, stops_at_gap
from replication.domain.settings.choices import GapPolicy, TargetPolicy
from replication.domain.settings.registry.flow import TARGET_POLICY
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.start_positions import LostPosition
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Missing:
    """The source offsets whose copies are missing on the target; `from_offset` is None if no offset run tells."""

    from_offset: int | None
    to_offset: int
    is_recorded: bool = False  # by a start before, at which the partition waited
    is_read_again: bool = False  # the partition is about to continue in another topic


class GapHandler:
    """Notes gaps, and moves partitions as the flow's gap policy says."""

    def __init__(self, context: SlotContext, gap_log: GapLog) -> None:
        self._context = context
        self._log = gap_log

    def note_out_of_range(self, copy: PartitionCopy, log_start: int, log_end: int) -> None:
        """The source does not have the fetch offset (any more)."""
        resume = resume_out_of_range(copy.cursor.offset, log_start, log_end)
        if resume.gap_from == resume.gap_to:
            return
        self._jump(copy, resume, copy.cursor.topic_id)

    def note_divergence(self, copy: PartitionCopy, common_end: int, log_start: int) -> None:
        """The source's log was cut at `common_end` and grew again with another leader epoch (KIP-320).

        Where nothing shows the cut, the common end is the fetch offset, and the end of the gap is unknown.
        """
        cursor = copy.cursor
        offset = log_start if copies_from_start(self._context.spec.gap_policy) else common_end
        gap_to = cursor.offset if common_end < cursor.offset else None
        self._jump(copy, Resume("epoch_divergence", offset, common_end, gap_to), cursor.topic_id)

    def note_recreated(self, copy: PartitionCopy, topic_id: bytes, log_start: int) -> None:
        """The name belongs to another topic; unread records of the old one are lost, and their number is unknown."""
        self._jump(copy, Resume("topic_recreated", log_start, copy.cursor.offset, None), topic_id)

    def note_lost_position(self, copy: PartitionCopy, lost: LostPosition) -> None:
        """The partition waits for a person to say its position, independent of the flow's gap policy."""
        cause = lost.cause
        log.error("position lost", flow=str(self._context.spec.flow), topic=cause.topic, partition=cause.partition)
        self._record_once(copy, "positions_lost", lost.copied_to, None)
        copy.obstructions.stop_for("gap", cause)

    def note_copied_again(self, copy: PartitionCopy) -> None:
        """The position may be lost and copying starts over: nothing is missing, records may come twice."""
        self._record(copy, "positions_lost", copy.cursor.offset, copy.cursor.offset)

    def note_truncated(self, copy: PartitionCopy, missing: Missing) -> None:
        """Copies are missing on the target: record it, wait for a person, or copy them again (rewind)."""
        policy = self._context.spec.target_policy
        if policy == "rewind" and missing.is_read_again:
            policy = "record"  # of a former topic of the source: the new one is read from its start
        if policy == "stop" or (policy == "rewind" and missing.from_offset is None):
            self._wait_for_copies(copy, missing)
        elif policy == "rewind" and missing.from_offset is not None:
            self._note(copy, self._missing_gap(copy, replace(missing, to_offset=missing.from_offset)))
            copy.forget_unsent()
            copy.accept_remote((copy.cursor.topic_id, missing.from_offset))
        else:
            self._note(copy, self._missing_gap(copy, missing))
            copy.accept_remote()

    def _wait_for_copies(self, copy: PartitionCopy, missing: Missing) -> None:
        """The gap is written once: later starts find the partition distrusted, and the gap in the topic of gaps."""
        if not missing.is_recorded:
            self._note(copy, self._missing_gap(copy, missing))
        known = "no offset run says" if missing.from_offset is None else f"offset {missing.from_offset} is the first"
        text = (
            f"{copy.remote} lost copies of {copy.upstream} that it had acknowledged ({known}); reset the partition, or "
            f"set {TARGET_POLICY}"
        )
        copy.progress.distrust_remote()
        copy.accept_remote()
        copy.obstructions.stop_for("gap", copy.cause("target_truncated", text, self._context.ports.loop.now_ms()))

    def _missing_gap(self, copy: PartitionCopy, missing: Missing) -> Gap:
        first, policy = missing.from_offset, self._context.spec.target_policy
        gap = self._gap(copy, "target_truncated", first or 0, missing.to_offset, policy)
        return gap if first is not None else replace(gap, count=None)

    def note_skipped(self, copy: PartitionCopy, from_offset: int, to_offset: int) -> None:
        """A person ordered to skip these offsets."""
        self._record(copy, "skipped", from_offset, to_offset)

    def _jump(self, copy: PartitionCopy, resume: Resume, topic_id: bytes) -> None:
        context = self._context
        if stops_at_gap(context.spec.gap_policy):
            self._record_once(copy, resume.cause, resume.gap_from, resume.gap_to)
            text = f"{copy.upstream}: {resume.cause} at offset {resume.gap_from}; the flow's gap policy is stop"
            copy.obstructions.stop_for("gap", copy.cause(resume.cause, text, context.ports.loop.now_ms()))
            return
        self._record(copy, resume.cause, resume.gap_from, resume.gap_to)
        copy.restart_at(topic_id, resume.offset)
        context.work_signal.set()

    def _record_once(self, copy: PartitionCopy, cause: GapCause, from_offset: int, to_offset: int | None) -> None:
        """Note a gap that the partition waits at, and finds again with each start."""
        gap = self._gap(copy, cause, from_offset, to_offset)
        known = copy.progress.last_gap
        if known is None or not known.is_same(gap):
            self._note(copy, gap)

    def _record(self, copy: PartitionCopy, cause: GapCause, from_offset: int, to_offset: int | None) -> None:
        self._note(copy, self._gap(copy, cause, from_offset, to_offset))

    def _gap(
        self,
        copy: PartitionCopy,
        cause: GapCause,
        from_offset: int,
        to_offset: int | None,
        policy: GapPolicy | TargetPolicy | None = None,
    ) -> Gap:
        context = self._context
        return Gap(
            source=context.spec.flow.source,
            target=context.spec.flow.target,
            topic=copy.upstream.topic,
            topic_id=copy.cursor.topic_id,
            partition=copy.upstream.partition,
            cause=cause,
            from_offset=from_offset,
            to_offset=to_offset,
            count=None if to_offset is None else abs(to_offset - from_offset),
            detected_ms=context.ports.loop.now_ms(),
            policy=policy or context.spec.gap_policy,
        )

    def _note(self, copy: PartitionCopy, gap: Gap) -> None:
        self._log.note(copy, gap)
        log.warning(
            "gap",
            flow=str(self._context.spec.flow),
            topic=gap.topic,
            partition=gap.partition,
            cause=gap.cause,
            from_offset=gap.from_offset,
            to_offset=gap.to_offset,
        )
