"""What a source task reports: a raw metric record per period, and its live state each second."""

from collections import deque
from typing import Any, ClassVar

import structlog

from replication.codecs.murmur2 import partition_for
from replication.codecs.raw_metrics import encode_event, encode_gap_metric, encode_task, histogram_or_none
from replication.domain.errors import ReplicationError
from replication.domain.histogram import Histogram
from replication.domain.identifiers import TopicPartition
from replication.domain.refused_record import RefusedRecord
from replication.domain.state_events import StateEvents
from replication.ports.target_writer import OutgoingRecord
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.partition_counts import PartitionCounts
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

METRICS_PARTITIONS = 4
MAX_WAITING_RECORDS = 120  # ten minutes at the default period; older ones become holes, which is what they are
IDLE_REPORT_MS = 60_000
LOOK_S = 1.0  # how often partition states are compared
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
        self._states: StateEvents[TopicPartition] = StateEvents()
        self._counted: dict[str, int] = {}  # totals contained in a raw metric
        self._reported: dict[tuple[str, int], tuple[str, int]] = {}  # state and time of the last report
        self.recent_latency: deque[Histogram] = deque([Histogram()], maxlen=10)

    def done(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        """One finished entry."""
        counts = copy.counts[-1]
        counts.to_offset = entry.next
        if entry.records == 0:
            return
        counts.records += entry.records
        counts.size_bytes += entry.source_bytes
        counts.wire_bytes += entry.size_bytes
        if entry.max_timestamp >= 0:  # a record without a timestamp has no latency
            latency_ms = min(now_ms - entry.max_timestamp, LONGEST_LATENCY_MS)
            counts.latency.add(latency_ms, entry.records)
            counts.age.add(min(entry.age_ms, LONGEST_LATENCY_MS), entry.records)
            self.recent_latency[-1].add(latency_ms, entry.records)
        copy.records_total += entry.records
        copy.bytes_total += entry.source_bytes
        copy.wire_bytes_total += entry.size_bytes

    def restarted(self, copy: PartitionCopy, topic_id: bytes, offset: int) -> None:
        """The partition goes on at another offset or under another topic id: a new stretch begins."""
        copy.counts.append(PartitionCounts(topic_id, offset))

    async def run(self) -> None:
        context = self._context
        period_s = context.spec.metrics_period_ms / 1000
        next_s = context.loop.monotonic_s() + period_s
        self.slot_event("running")
        while not context.stopping:
            await context.pause(min(LOOK_S, next_s - context.loop.monotonic_s()))
            if context.stopping:
                return
            self._look_at_states()
            if context.loop.monotonic_s() >= next_s:
                next_s += period_s
                self.close_period()
                await self.flush()

    def slot_event(self, state: str) -> None:
        """The task as a whole went into this state; written with the next period."""
        now_ms = self._context.loop.now_ms()
        cause = self._context.cause
        words = (None, None) if cause is None else (cause.code, cause.text)
        self._add_events(now_ms, [[now_ms, "slot", None, None, None, state, *words]])

    def _look_at_states(self) -> None:
        now_ms = self._context.loop.now_ms()
        states = {key: (copy.state, copy.reason) for key, copy in self._context.copies.items()}
        changes = self._states.look(states)
        events = [
            [
                now_ms,
                "partition",
                change.key.topic,
                change.key.partition,
                change.from_state,
                change.to_state,
                None if change.cause is None else change.cause.code,
                None if change.cause is None else change.cause.text,
            ]
            for change in changes
        ]
        self._add_events(now_ms, events)

    def _add_events(self, now_ms: int, events: list[list[Any]]) -> None:
        if events:
            self._waiting.append(encode_event(self._next_envelope(now_ms), events))

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
        counters = self._counters()
        for start in range(0, max(len(parts), 1 if counters else 0), PARTS_PER_RECORD):
            chunk = parts[start : start + PARTS_PER_RECORD]
            self._waiting.append(encode_task(self._next_envelope(now_ms), list(topics), chunk, counters))
            counters = {}
        gaps, self._context.unreported_gaps = self._context.unreported_gaps, []
        for gap in gaps:
            self._waiting.append(encode_gap_metric(self._next_envelope(now_ms), gap))
        refused, self._context.unreported_refused = self._context.unreported_refused, []
        self._add_events(now_ms, [_refusal_event(record) for record in refused])
        self._from_ms = now_ms

    def _counters(self) -> dict[str, int]:
        """What the slot's totals grew by since the last record; a partition that left takes its own along."""
        copies = self._context.copies.values()
        totals = {
            "resent_records": sum(copy.resent_total for copy in copies),
            "filtered_records": sum(copy.filtered_total for copy in copies),
            "looped_records": sum(copy.looped_total for copy in copies),
            "refused_records": self._context.refused_total,
        }
        grown = {name: total - self._counted.get(name, 0) for name, total in totals.items()}
        self._counted = totals
        return {name: count for name, count in grown.items() if count > 0}

    def _next_envelope(self, now_ms: int) -> dict[str, Any]:
        self._sequence = SourceMetrics._newest_sequence = max(SourceMetrics._newest_sequence + 1, now_ms)
        return self._envelope(now_ms)

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
            reason.code if (reason := copy.reason) is not None else None,
            counts.from_offset,
            counts.to_offset,
            copy.log_start,
            copy.log_end,
            copy.downstream_next,
            counts.records,
            counts.size_bytes,
            counts.wire_bytes,
            self._throttled_ms(copy, counts),
            histogram_or_none(counts.latency),
            histogram_or_none(counts.age),
        ]

    def _throttled_ms(self, copy: PartitionCopy, counts: PartitionCounts) -> int:
        """How long the slot was held back since the last report; a partition that was level did not suffer from it."""
        total = self._context.pace.throttled_ms
        since, copy.throttled_reported_ms = total - copy.throttled_reported_ms, total
        return since if copy.lag != 0 or counts.records else 0

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


def _refusal_event(refused: RefusedRecord) -> list[Any]:
    text = f"offset {refused.offset} ({refused.records} records): {refused.error}"
    return [refused.at_ms, "record", refused.topic, refused.partition, None, refused.policy, "record_refused", text]
