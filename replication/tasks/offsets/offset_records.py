"""Writes what a source task knows about offsets: offset syncs, offset runs and gaps."""

from collections.abc import Sequence

import structlog

from replication.codecs import offset_runs
from replication.codecs.gap_records import encode_gap
from replication.codecs.mm2_records import OffsetSync, encode_offset_sync
from replication.codecs.murmur2 import partition_for
from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import GAPS, OFFSET_RUNS
from replication.domain.offsets.offset_run import RunSegment
from replication.ports.produce.record_appender import OutgoingRecord, RecordAppender
from replication.tasks.offsets.gap_log import GapLog, PendingGap
from replication.tasks.offsets.pending_segments import PendingSegments
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

EVERY_S = 0.25
SYNCS_AT_ONCE = 2  # of one partition; MM2 too keeps only the newest of those that wait (`OffsetSyncWriter`)
GAP_WAITS = "gap_record_waits"
SEGMENT_SHARES = 20  # of the partitions; one is looked at per round, so that each segment that grew is written in 5 s
MAX_PENDING_SEGMENTS = 10_000
FLUSHES_S = 0.005
TAILS_EVERY_S = 10.0  # a quiet partition's last record gets its sync this often (MM2: at its 60 s commit)


class OffsetRecords:
    """Collects as batches are acknowledged, writes a few times a second; failures are retried, copying never waits."""

    def __init__(self, context: SlotContext, gap_log: GapLog) -> None:
        self._context = context
        self._gap_log = gap_log
        source = context.spec.flow.source
        self._runs_topic = OFFSET_RUNS.name(source)
        self._gaps_topic = GAPS.name(source)
        self._tails_s = context.ports.loop.monotonic_s()
        self._pending_syncs: dict[TopicPartition, list[tuple[int, int]]] = {}
        self._segments = PendingSegments()
        self._writer = context.boot[:8]
        self._share = 0
        self._is_writing_runs = False

    @property
    def pending_segments(self) -> Sequence[RunSegment]:
        """The offset runs that are not written yet."""
        return [pending.segment for pending in self._segments.waiting()]

    def collect(self, copy: PartitionCopy, entry: Entry) -> None:
        """Collect one entry that is done: its runs and the syncs they make due."""
        base = entry.acknowledged_at
        if base is None:
            return
        if base < 0:  # copied to a place that is not known: no segment may reach over it
            self.close_segment(copy, copy.progress.topic_id)
            return
        runs, syncs = copy.runs, copy.syncs
        for upstream, index, length in entry.runs:
            downstream = base + index
            runs.add(upstream, downstream, length)
            due = syncs.on_batch(upstream, downstream, length)
            if due and self._context.spec.writes_offset_syncs:
                self._pending_syncs.setdefault(copy.upstream, []).extend(due)
        if runs.is_due:
            self._segments.take_from(runs)

    def close_segment(self, copy: PartitionCopy, topic_id: bytes) -> None:
        """The partition continues at another place: the collected runs are complete."""
        self._segments.take_from(copy.runs)
        copy.runs.restart(topic_id)

    def forget_gaps(self) -> None:
        """The start failed half way: gaps that are not written yet belong to copies that are gone."""
        self._gap_log.forget_pending()

    async def run(self) -> None:
        context = self._context
        while not context.stopping:
            await context.pause(EVERY_S)
            now_s = context.ports.loop.monotonic_s()
            if now_s - self._tails_s >= TAILS_EVERY_S:
                self._tails_s = now_s
                self._collect_tails()
            self._collect_open_segments()
            await self.flush()

    async def finish(self) -> None:
        """Everything collected goes out at the end of the task."""
        self._collect_tails()
        for copy in self._context.roster.copies.values():
            self.close_segment(copy, copy.progress.topic_id)
        await self.flush()

    def _collect_tails(self) -> None:
        for copy in self._context.roster.copies.values():
            tail = copy.syncs.tail()
            if tail is not None and self._context.spec.writes_offset_syncs:
                self._pending_syncs.setdefault(copy.upstream, []).append(tail)

    def _collect_open_segments(self) -> None:
        """Take those of a share of the partitions, so that all of them are not encoded at once."""
        self._share = (self._share + 1) % SEGMENT_SHARES
        for copy in list(self._context.roster.copies.values())[self._share :: SEGMENT_SHARES]:
            if copy.runs.has_grown:
                self._segments.take_from(copy.runs)

    async def flush(self) -> None:
        """Write what is pending; what fails stays pending and is tried again."""
        await self._flush_syncs()
        await self._flush_segments()
        await self.write_gaps()

    async def _flush_segments(self) -> None:
        """Write one after the other: a segment must not come after its longer version."""
        while self._is_writing_runs:
            await self._context.ports.loop.sleep(FLUSHES_S)
        if not self._segments.by_key:
            return
        self._is_writing_runs = True
        try:
            waiting = self._segments.waiting()
            records = [_run_record(each.segment, self._writer) for each in waiting]
            if await self._append(self._context.ports.records, self._runs_topic, records):
                self._segments.note_written(waiting)
            else:
                self._shrink()
        finally:
            self._is_writing_runs = False

    async def write_gaps(self) -> None:
        """Write the gaps that are pending; their partitions wait for it."""
        gaps = self._gap_log.take_pending()
        if gaps:
            await self._write_gaps(gaps)

    async def _flush_syncs(self) -> None:
        if not self._pending_syncs:
            return
        context = self._context
        pending, self._pending_syncs = self._pending_syncs, {}
        records = [
            OutgoingRecord(*encode_offset_sync(OffsetSync(upstream=tp, upstream_offset=up, downstream_offset=down)))
            for tp, pairs in pending.items()
            for up, down in pairs[-SYNCS_AT_ONCE:]
        ]
        if not await self._append(context.ports.syncs, context.spec.offset_syncs_topic, records):
            for upstream, pairs in pending.items():
                newer = self._pending_syncs.get(upstream, [])
                self._pending_syncs[upstream] = (newer or pairs)[-SYNCS_AT_ONCE:]

    async def _write_gaps(self, gaps: Sequence[PendingGap]) -> None:
        """A partition waits until its gap is written down: later it would not be found again."""
        records = [OutgoingRecord(*encode_gap(waiting.gap)) for waiting in gaps]
        is_written = await self._append(self._context.ports.records, self._gaps_topic, records)
        for waiting in gaps:
            if is_written:
                _let_continue(waiting.copy)
            else:
                self._let_wait(waiting.copy)
        if not is_written:
            self._gap_log.put_back(gaps)

    def _let_wait(self, copy: PartitionCopy) -> None:
        if copy.obstructions.of("target") is None:
            text = f"a gap of {copy.upstream} cannot be written to {self._gaps_topic}; the partition waits for it"
            copy.obstructions.set("target", copy.cause(GAP_WAITS, text, self._context.ports.loop.now_ms()))

    def _shrink(self) -> None:
        """Drop the oldest if they are too many: groups and audits know bounds only for what these had told."""
        dropped = self._segments.shrink(MAX_PENDING_SEGMENTS)
        if dropped:
            log.warning("offset runs dropped", flow=str(self._context.spec.flow), segments=dropped)

    async def _append(self, appender: RecordAppender, topic: str, records: Sequence[OutgoingRecord]) -> bool:
        try:
            await appender.append(topic, records)
        except ReplicationError as error:
            log.warning("records wait", flow=str(self._context.spec.flow), topic=topic, error=str(error))
            self._context.note_waiting(topic, error)
            return False
        self._context.note_written(topic)
        return True


def _let_continue(copy: PartitionCopy) -> None:
    copy.barrier.open()
    waits = copy.obstructions.of("target")
    if waits is not None and waits.code == GAP_WAITS:
        copy.obstructions.clear("target")


def _run_record(segment: RunSegment, writer: str) -> OutgoingRecord:
    key = offset_runs.encode_key(segment, writer)
    partition = run_partition(segment.topic, segment.partition)
    return OutgoingRecord(key, offset_runs.encode_value(segment), partition=partition)


def run_partition(topic: str, partition: int) -> int:
    """Return the partition for the runs of an upstream partition and for their removal: all in one place, in order."""
    return partition_for(f"{topic}\0{partition}".encode(), OFFSET_RUNS.partitions)
