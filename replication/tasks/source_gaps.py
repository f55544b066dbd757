"""What happens when the source log is not what the position says: every such jump becomes a gap record."""

import structlog

from replication.domain.errors import Cause
from replication.domain.gap import Gap, GapCause, Resume, resume_out_of_range
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import PendingGap, SlotContext
from replication.tasks.start_positions import LostPosition

log = structlog.get_logger(__name__)


class SourceGaps:
    """Records gaps and moves partitions on as the flow's gap policy says."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context

    def out_of_range(self, copy: PartitionCopy, log_start: int, log_end: int) -> None:
        """The source has no such offset (any more)."""
        resume = resume_out_of_range(copy.fetch_offset, log_start, log_end)
        if resume.gap_from == resume.gap_to:
            return
        self._jump(copy, resume, copy.topic_id)

    def diverged(self, copy: PartitionCopy, end_offset: int) -> None:
        """The source's log was cut at `end_offset` and grew anew with another leader epoch (KIP-320)."""
        anew = self._context.spec.gap_policy == "restart_generation"
        go_on = (copy.log_start or 0) if anew else end_offset
        self._jump(copy, Resume("epoch_divergence", go_on, end_offset, copy.fetch_offset), copy.topic_id)

    def recreated(self, copy: PartitionCopy, topic_id: bytes, log_start: int) -> None:
        """Another topic stands under the name; what was unread of the old one is unknown for ever."""
        self._jump(copy, Resume("topic_recreated", log_start, copy.fetch_offset, None), topic_id)

    def positions_lost(self, copy: PartitionCopy, lost: LostPosition) -> None:
        """Nobody knows how far the partition was copied; it waits for a person, whatever the flow's gap policy."""
        cause = lost.cause
        log.error("position lost", flow=str(self._context.spec.flow), topic=cause.topic, partition=cause.partition)
        self._record_once(copy, "positions_lost", lost.copied_to, None)
        copy.stop_for("gap", cause)

    def copied_again(self, copy: PartitionCopy) -> None:
        """A position that may be lost, and a start anew: nothing is missing, records may come twice."""
        self._record(copy, "positions_lost", copy.fetch_offset, copy.fetch_offset)

    def skipped(self, copy: PartitionCopy, from_offset: int, to_offset: int) -> None:
        """A person ordered to leave these offsets out."""
        self._record(copy, "skipped", from_offset, to_offset)

    def _jump(self, copy: PartitionCopy, resume: Resume, topic_id: bytes) -> None:
        policy = self._context.spec.gap_policy
        if policy == "stop":
            self._record_once(copy, resume.cause, resume.gap_from, resume.gap_to)
            text = f"{copy.upstream}: {resume.cause} at offset {resume.gap_from}; the flow's gap policy is stop"
            copy.stop_for("gap", self._cause(resume.cause, text, copy))
            return
        self._record(copy, resume.cause, resume.gap_from, resume.gap_to)
        copy.restart_at(topic_id, resume.offset)
        self._context.work_signal.set()

    def _record_once(self, copy: PartitionCopy, cause: GapCause, from_offset: int, to_offset: int | None) -> None:
        """The partition waits at the gap, and finds it again with each start."""
        gap = self._gap(copy, cause, from_offset, to_offset)
        if copy.last_gap is None or not copy.last_gap.is_same(gap):
            self._note(copy, gap)

    def _record(self, copy: PartitionCopy, cause: GapCause, from_offset: int, to_offset: int | None) -> None:
        self._note(copy, self._gap(copy, cause, from_offset, to_offset))

    def _gap(self, copy: PartitionCopy, cause: GapCause, from_offset: int, to_offset: int | None) -> Gap:
        context = self._context
        return Gap(
            source=context.spec.flow.source,
            target=context.spec.flow.target,
            topic=copy.upstream.topic,
            topic_id=copy.topic_id,
            partition=copy.upstream.partition,
            cause=cause,
            from_offset=from_offset,
            to_offset=to_offset,
            count=None if to_offset is None else abs(to_offset - from_offset),
            detected_ms=context.loop.now_ms(),
            policy=context.spec.gap_policy,
        )

    def _note(self, copy: PartitionCopy, gap: Gap) -> None:
        context = self._context
        copy.last_gap = gap
        context.pending_gaps.append(PendingGap(copy, gap))
        copy.letters_on_their_way += 1  # the position moves over the gap when the gap is written down
        context.unreported_gaps.append(gap)
        context.gaps_total += 1
        log.warning(
            "gap",
            flow=str(context.spec.flow),
            topic=gap.topic,
            partition=gap.partition,
            cause=gap.cause,
            from_offset=gap.from_offset,
            to_offset=gap.to_offset,
        )

    def _cause(self, code: str, text: str, copy: PartitionCopy) -> Cause:
        return Cause(
            code=code,
            text=text,
            topic=copy.upstream.topic,
            partition=copy.upstream.partition,
            since_ms=self._context.loop.now_ms(),
        )
