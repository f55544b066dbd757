"""What a source task reports: a raw metric record per period, and its live state each second."""

from collections import deque
from typing import Any, ClassVar

import structlog

from replication.codecs.murmur2 import partition_for
from replication.codecs.raw_metrics import encode_gap_metric, encode_task, histogram_or_none
from replication.domain.errors import ReplicationError
from replication.domain.histogram import Histogram
from replication.ports.target_writer import OutgoingRecord
from replication.tasks.partition_copy import Entry, PartitionCopy
from replication.tasks.partition_counts import PartitionCounts
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

METRICS_PARTITIONS = 4
MAX_WAITING_RECORDS = 120  # ten minutes at the default period; older ones become holes, which is what they are
IDLE_REPORT_MS = 60_000
LONGEST_LATENCY_MS = 366 * 86_400_000  # beyond a year a latency says nothing more, and sums must not overflow
PARTS_PER_RECORD = 2_000  # about 400 kB, well below what a topic takes


class SourceMetrics:
    """Counts acknowledged entries and turns them into raw metrics."""

    _newest_sequence: ClassVar[int] = 0  # grows across tasks and their restarts for the life of the process

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        spec = context.spec
        self._topic = f"srm-metrics.{spec.flow.source}.internal"
        self._task = str(spec.task_id)
        self._sequence = 0
        self._from_ms = context.loop.now_ms()
        self._waiting: deque[bytes] = deque(maxlen=MAX_WAITING_RECORDS)
        self._reported: dict[tuple[str, int], tuple[str, int]] = {}  # state and time of the last report
        self.recent_latency: deque[Histogram] = deque([Histogram()], maxlen=10)

    def done(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        """One finished entry."""
        counts = copy.counts[-1]
        counts.to_offset = entry.next
        if entry.records == 0:
            return
        counts.records += entry.records
        counts.size_bytes += entry.size_bytes
        counts.wire_bytes += entry.size_bytes
        if entry.max_timestamp >= 0:  # a record without a timestamp has no latency
            latency_ms = min(now_ms - entry.max_timestamp, LONGEST_LATENCY_MS)
            counts.latency.add(latency_ms, entry.records)
            counts.age.add(min(entry.age_ms, LONGEST_LATENCY_MS), entry.records)
            self.recent_latency[-1].add(latency_ms, entry.records)
        copy.records_total += entry.records
        copy.bytes_total += entry.size_bytes
        copy.wire_bytes_total += entry.size_bytes

    def restarted(self, copy: PartitionCopy, topic_id: bytes, offset: int) -> None:
        """The partition goes on at another offset or under another topic id: a new stretch begins."""
        copy.counts.append(PartitionCounts(topic_id, offset))

    async def run(self) -> None:
        context = self._context
        period_s = context.spec.metrics_period_ms / 1000
        next_s = context.loop.monotonic_s() + period_s
        while not context.stopping:
            await context.pause(next_s - context.loop.monotonic_s())
            if not context.stopping:
                next_s += period_s
                self.close_period()
                await self.flush()

    def close_period(self) -> None:
        """Turn what was counted into a record; it waits until the target takes it."""
        now_ms = self._context.loop.now_ms()
        topics: dict[tuple[str, str, bytes], int] = {}
        parts: list[list[Any]] = []
        for copy in self._context.copies.values():
            for counts in self._stretches(copy, now_ms):
                topic = (copy.upstream.topic, copy.planned.remote_topic, counts.topic_id)
                index = topics.setdefault(topic, len(topics))
                parts.append(self._row(index, copy, counts))
        for start in range(0, len(parts), PARTS_PER_RECORD):
            self._sequence = SourceMetrics._newest_sequence = max(SourceMetrics._newest_sequence + 1, now_ms)
            chunk = parts[start : start + PARTS_PER_RECORD]
            self._waiting.append(encode_task(self._envelope(now_ms), list(topics), chunk))
        gaps, self._context.unreported_gaps = self._context.unreported_gaps, []
        for gap in gaps:
            self._sequence = SourceMetrics._newest_sequence = max(SourceMetrics._newest_sequence + 1, now_ms)
            self._waiting.append(encode_gap_metric(self._envelope(now_ms), gap))
        self._from_ms = now_ms

    def _stretches(self, copy: PartitionCopy, now_ms: int) -> list[PartitionCounts]:
        """The stretches to report; an idle partition only when its state changed or once a minute."""
        key = (copy.upstream.topic, copy.upstream.partition)
        counts = [stretch for stretch in copy.counts if not stretch.is_empty]
        state, reported_ms = self._reported.get(key, ("", 0))
        if not counts and state == copy.state and now_ms - reported_ms < IDLE_REPORT_MS:
            return []
        self._reported[key] = (copy.state, now_ms)
        last = copy.counts[-1]
        copy.counts = [PartitionCounts(last.topic_id, last.to_offset)]
        return counts or [last]

    def _row(self, index: int, copy: PartitionCopy, counts: PartitionCounts) -> list[Any]:
        return [
            index,
            copy.upstream.partition,
            copy.state,
            copy.cause.code if copy.cause is not None else None,
            counts.from_offset,
            counts.to_offset,
            copy.log_start,
            copy.log_end,
            copy.downstream_next,
            counts.records,
            counts.size_bytes,
            counts.wire_bytes,
            0,
            histogram_or_none(counts.latency),
            histogram_or_none(counts.age),
        ]

    def _envelope(self, now_ms: int) -> dict[str, Any]:
        context = self._context
        return {
            "source": context.spec.flow.source,
            "target": context.spec.flow.target,
            "task": self._task,
            "driver": context.driver,
            "boot": context.boot,
            "generation": context.spec.generation,
            "seq": self._sequence,
            "from_ms": self._from_ms,
            "to_ms": now_ms,
        }

    async def flush(self) -> None:
        """Write what waits, oldest first; the same record again after a failure, readers drop a double by its `seq`."""
        key = self._task.encode()
        partition = partition_for(key, METRICS_PARTITIONS)
        while self._waiting:
            value = self._waiting[0]
            try:
                await self._context.ports.records.append(self._topic, [OutgoingRecord(key, value, partition=partition)])
            except ReplicationError as error:
                log.warning("raw metrics wait", flow=str(self._context.spec.flow), error=str(error))
                return
            if self._waiting and self._waiting[0] is value:
                self._waiting.popleft()
