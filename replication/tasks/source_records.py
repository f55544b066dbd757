"""What a source task writes about its copying: offset syncs, offset runs and gaps."""

from collections.abc import Sequence

import structlog

from replication.codecs import offset_runs
from replication.codecs.gap_records import encode_gap
from replication.codecs.mm2_records import OffsetSync, encode_offset_sync
from replication.codecs.murmur2 import partition_for
from replication.domain.errors import Cause, ReplicationError
from replication.domain.offset_run import RunSegment
from replication.ports.target_writer import OutgoingRecord, RecordAppender
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

EVERY_S = 0.25
RUN_PARTITIONS = 4
SYNCS_AT_ONCE = 2  # of one partition; MM2 too keeps only the newest of those that wait (`OffsetSyncWriter`)
GAP_WAITS = "gap_record_waits"
MAX_PENDING_SEGMENTS = 10_000
TAILS_EVERY_MS = 10_000  # a quiet partition's last record gets its sync this often (MM2: at its 60 s commit)


class SourceRecords:
    """Collects as batches are acknowledged, writes a few times a second; failures are retried, copying never waits."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        source = context.spec.flow.source
        self._runs_topic = f"srm-offset-runs.{source}.internal"
        self._gaps_topic = f"srm-gaps.{source}.internal"
        self._tails_ms = context.loop.now_ms()

    def done(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        """One acknowledged entry: its runs and the syncs they make due."""
        base = entry.acknowledged_at
        if base is None or base < 0:
            return
        for upstream, index, length in entry.runs:
            copy.runs.add(upstream, base + index, length, now_ms)
            due = copy.syncs.on_batch(upstream, base + index, length)
            if due and self._context.spec.writes_offset_syncs:
                self._context.pending_syncs.setdefault(copy.upstream, []).extend(due)
        segment = copy.runs.take(now_ms)
        if segment is not None:
            self._context.pending_segments.append(segment)

    def restarted(self, copy: PartitionCopy, topic_id: bytes, now_ms: int) -> None:
        """The partition goes on elsewhere: what was collected is complete."""
        segment = copy.runs.take(now_ms, closing=True)
        if segment is not None:
            self._context.pending_segments.append(segment)
        copy.runs.restart(topic_id)

    async def run(self) -> None:
        context = self._context
        while not context.stopping:
            await context.pause(EVERY_S)
            now_ms = context.loop.now_ms()
            if now_ms - self._tails_ms >= TAILS_EVERY_MS:
                self._tails_ms = now_ms
                self._collect_tails()
                self._collect_old_segments(now_ms)
            await self.flush()

    async def finish(self) -> None:
        """Everything collected goes out at the end of the task."""
        self._collect_tails()
        for copy in self._context.copies.values():
            self.restarted(copy, copy.done_topic_id, self._context.loop.now_ms())
        await self.flush()

    def _collect_tails(self) -> None:
        for copy in self._context.copies.values():
            tail = copy.syncs.tail()
            if tail is not None and self._context.spec.writes_offset_syncs:
                self._context.pending_syncs.setdefault(copy.upstream, []).append(tail)

    def _collect_old_segments(self, now_ms: int) -> None:
        for copy in self._context.copies.values():
            segment = copy.runs.take(now_ms)
            if segment is not None:
                self._context.pending_segments.append(segment)

    async def flush(self) -> None:
        """Write what is pending; what fails stays pending and is tried again."""
        context = self._context
        if context.pending_syncs:
            pending, context.pending_syncs = context.pending_syncs, {}
            records = [
                OutgoingRecord(*encode_offset_sync(OffsetSync(upstream=tp, upstream_offset=up, downstream_offset=down)))
                for tp, pairs in pending.items()
                for up, down in pairs[-SYNCS_AT_ONCE:]
            ]
            if not await self._append(context.ports.syncs, context.spec.offset_syncs_topic, records):
                for upstream, pairs in pending.items():
                    newer = context.pending_syncs.get(upstream, [])
                    context.pending_syncs[upstream] = (newer or pairs)[-SYNCS_AT_ONCE:]
        if context.pending_segments:
            segments, context.pending_segments = context.pending_segments, []
            if not await self._append(context.ports.records, self._runs_topic, list(map(_run_record, segments))):
                self._keep_newest([*segments, *context.pending_segments])
        if context.pending_gaps:
            gaps, context.pending_gaps = context.pending_gaps, []
            records = [OutgoingRecord(*encode_gap(waiting.gap)) for waiting in gaps]
            is_written = await self._append(context.ports.records, self._gaps_topic, records)
            for waiting in gaps:
                self._gap_settled(waiting.copy, is_written)
            if not is_written:
                context.pending_gaps = [*gaps, *context.pending_gaps]

    def _keep_newest(self, segments: list[RunSegment]) -> None:
        """Audits cannot align what is dropped here, and a lost position is found further back."""
        dropped = len(segments) - MAX_PENDING_SEGMENTS
        if dropped > 0:
            log.warning("offset runs dropped", flow=str(self._context.spec.flow), runs=dropped)
        self._context.pending_segments = segments[-MAX_PENDING_SEGMENTS:]

    def _gap_settled(self, copy: PartitionCopy, is_written: bool) -> None:
        """The partition waits until its gap is written down: later nobody would find it again."""
        if is_written:
            copy.letters_on_their_way -= 1
            if copy.target_waits is not None and copy.target_waits.code == GAP_WAITS:
                copy.target_waits = None
        elif copy.target_waits is None:
            copy.target_waits = Cause(
                code=GAP_WAITS,
                text=f"a gap of {copy.upstream} cannot be written to {self._gaps_topic}; the partition waits for it",
                topic=copy.upstream.topic,
                partition=copy.upstream.partition,
                since_ms=self._context.loop.now_ms(),
            )

    async def _append(self, appender: RecordAppender, topic: str, records: Sequence[OutgoingRecord]) -> bool:
        try:
            await appender.append(topic, records)
        except ReplicationError as error:
            log.warning("records wait", flow=str(self._context.spec.flow), topic=topic, error=str(error))
            return False
        return True


def _run_record(segment: RunSegment) -> OutgoingRecord:
    key = offset_runs.encode_key(segment)
    partition = run_partition(segment.topic, segment.partition)
    return OutgoingRecord(key, offset_runs.encode_value(segment), partition=partition)


def run_partition(topic: str, partition: int) -> int:
    """Where the runs of an upstream partition and their removal are written: all in one place, in order."""
    return partition_for(f"{topic}\0{partition}".encode(), RUN_PARTITIONS)
