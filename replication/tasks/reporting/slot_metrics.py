"""Writes a raw metric record per period: what was copied, how partitions changed, gaps and rejected records."""

from collections import deque
from typing import Any, ClassVar

import structlog

from replication.codecs.murmur2 import partition_for
from replication.codecs.raw_metrics import encode_event, encode_gap_metric, encode_task, histogram_or_none
from replication.domain.errors import ReplicationError
from replication.domain.health.state_events import SlotState, StateEvents
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import RAW_METRICS
from replication.domain.rejected_records.rejected_record import RejectedRecord
from replication.domain.reporting.histogram import Histogram
from replication.domain.reporting.recent_figures import RecentFigures
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.partition.counters import RangeCounts
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

MAX_WAITING_RECORDS = 120  # ten minutes at the default period; older ones are dropped, and reports show holes
IDLE_REPORT_MS = 60_000
COMPARE_S = 1.0  # how often partition states are compared
LATENCY_SECONDS = 10
PARTS_PER_RECORD = 2_000  # about 400 kB, well below what a topic takes


class SlotMetrics:
    """Turns the partitions' counters into records, which wait until the target takes them."""

    _newest_sequence: ClassVar[int] = 0  # grows across tasks and their restarts for the life of the process

    def __init__(self, context: SlotContext, gap_log: GapLog, rejected_log: RejectedLog) -> None:
        self._context = context
        self._gap_log = gap_log
        self._rejected_log = rejected_log
        spec = context.spec
        self._topic = RAW_METRICS.name(spec.flow.source)
        self._task = str(spec.task_id)
        self._sequence = 0
        self._from_ms = context.ports.loop.now_ms()
        self._waiting: deque[bytes] = deque(maxlen=MAX_WAITING_RECORDS)
        self._states: StateEvents[TopicPartition] = StateEvents()
        self._counted: dict[str, int] = {}  # totals contained in a raw metric
        # state, whether the source's end was known, and time of the last report
        self._reported: dict[tuple[str, int], tuple[str, bool, int]] = {}
        self.second_latency = Histogram()  # of what is done in this second
        self._recent: dict[TopicPartition, RecentFigures] = {}
        self._latencies: deque[Histogram] = deque([self.second_latency], maxlen=LATENCY_SECONDS)

    def start_second(self) -> None:
        """Count the latency of a new second; the oldest one is forgotten."""
        self.second_latency = Histogram()
        self._latencies.append(self.second_latency)

    def recent(self, upstream: TopicPartition) -> RecentFigures:
        """Return the figures of a partition over the last half minute. From any thread."""
        return self._recent.get(upstream) or RecentFigures()

    def recent_latency(self) -> Histogram:
        """Return the latency of the last seconds."""
        latency = Histogram()
        for second in self._latencies:
            latency.merge(second)
        return latency

    async def run(self) -> None:
        context = self._context
        period_s = context.spec.metrics_period_ms / 1000
        next_s = context.ports.loop.monotonic_s() + period_s
        self.slot_event("running")
        while not context.stopping:
            await context.pause(min(COMPARE_S, next_s - context.ports.loop.monotonic_s()))
            if context.stopping:
                return
            self._compare_states()
            if context.ports.loop.monotonic_s() >= next_s:
                next_s += period_s
                self.close_period()
                await self.flush()

    def slot_event(self, state: SlotState) -> None:
        """The task as a whole went into this state; written with the next period."""
        now_ms = self._context.ports.loop.now_ms()
        cause = self._context.cause if state == "running" else self._context.end_cause
        words = (None, None) if cause is None else (cause.code, cause.sentence)
        self._add_events(now_ms, [[now_ms, "slot", None, None, None, state, *words]])

    def _compare_states(self) -> None:
        now_ms = self._context.ports.loop.now_ms()
        states = {key: (copy.state, copy.reason) for key, copy in self._context.roster.copies.items()}
        changes = self._states.changes(states)
        events = [
            [
                now_ms,
                "partition",
                change.key.topic,
                change.key.partition,
                change.from_state,
                change.to_state,
                None if change.cause is None else change.cause.code,
                None if change.cause is None else change.cause.sentence,
            ]
            for change in changes
        ]
        self._add_events(now_ms, events)

    def _add_events(self, now_ms: int, events: list[list[Any]]) -> None:
        if events:
            self._waiting.append(encode_event(self._next_envelope(now_ms), events))

    def close_period(self) -> None:
        """Turn the counters into a record; it waits until the target takes it."""
        now_ms = self._context.ports.loop.now_ms()
        topics: dict[tuple[str, str, bytes], int] = {}
        parts: list[list[Any]] = []
        for copy in self._context.roster.copies.values():
            for counts in self._ranges(copy, now_ms):
                topic = (copy.upstream.topic, copy.planned.remote_topic, counts.topic_id)
                index = topics.setdefault(topic, len(topics))
                parts.append(self._row(index, copy, counts))
        counters = self._counters()
        if len(self._reported) > len(self._context.roster.copies):
            self._forget_left()
        for start in range(0, max(len(parts), 1 if counters else 0), PARTS_PER_RECORD):
            chunk = parts[start : start + PARTS_PER_RECORD]
            self._waiting.append(encode_task(self._next_envelope(now_ms), list(topics), chunk, counters))
            counters = {}
        for gap in self._gap_log.take_unreported():
            self._waiting.append(encode_gap_metric(self._next_envelope(now_ms), gap))
        self._add_events(now_ms, [rejection_event(record) for record in self._rejected_log.take_unreported()])
        self._from_ms = now_ms

    def _counters(self) -> dict[str, int]:
        """Return how much the slot's totals grew since the last record; a partition that left takes its own along."""
        copies = self._context.roster.copies.values()
        totals = {
            "resent_records": sum(copy.counters.resent_total for copy in copies),
            "filtered_records": sum(copy.counters.filtered_total for copy in copies),
            "looped_records": sum(copy.counters.looped_total for copy in copies),
            "refused_records": self._rejected_log.total,
        }
        grown = {name: total - self._counted.get(name, 0) for name, total in totals.items()}
        self._counted = totals
        return {name: count for name, count in grown.items() if count > 0}

    def _forget_left(self) -> None:
        self._recent = {key: known for key, known in self._recent.items() if key in self._context.roster.copies}
        present = {(each.topic, each.partition) for each in self._context.roster.copies}
        self._reported = {key: known for key, known in self._reported.items() if key in present}

    def _next_envelope(self, now_ms: int) -> dict[str, Any]:
        self._sequence = SlotMetrics._newest_sequence = max(SlotMetrics._newest_sequence + 1, now_ms)
        return self._envelope(now_ms)

    def _ranges(self, copy: PartitionCopy, now_ms: int) -> list[RangeCounts]:
        """Return the ranges to report; an idle partition only when what is known of it changed or once a minute."""
        key, now_known = (copy.upstream.topic, copy.upstream.partition), (copy.state, copy.cursor.is_end_known)
        counts = [each for each in copy.counters.ranges if not each.is_empty]
        *known, reported_ms = self._reported.get(key, ("", False, 0))
        if not counts and tuple(known) == now_known and 0 <= now_ms - reported_ms < IDLE_REPORT_MS:
            return []
        self._reported[key] = (*now_known, now_ms)
        last = copy.counters.take_ranges()[-1]
        for each in counts:
            recent = self._recent.setdefault(copy.upstream, RecentFigures())
            recent.note(now_ms, each.records, each.size_bytes, each.latency, each.age)
        return counts or [last]

    def _row(self, index: int, copy: PartitionCopy, counts: RangeCounts) -> list[Any]:
        return [
            index,
            copy.upstream.partition,
            copy.state,
            reason.code if (reason := copy.reason) is not None else None,
            counts.from_offset,
            counts.to_offset,
            copy.cursor.log_start,
            copy.cursor.log_end if copy.cursor.is_end_known else None,
            copy.progress.downstream_next,
            counts.records,
            counts.size_bytes,
            counts.wire_bytes,
            self._throttled_ms(copy, counts),
            histogram_or_none(counts.latency),
            histogram_or_none(counts.age),
            copy.counters.last_record_ms,
        ]

    def _throttled_ms(self, copy: PartitionCopy, counts: RangeCounts) -> int:
        """Return the throttled time since the last report; a partition without lag did not suffer from it."""
        since = copy.counters.take_throttled_ms(self._context.pace.throttled_ms)
        return since if copy.least_lag != 0 or counts.records else 0

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
        """Write what waits, oldest first; the same record again after a failure: readers drop a double by its `seq`."""
        key = self._task.encode()
        partition = partition_for(key, RAW_METRICS.partitions)
        while self._waiting:
            value = self._waiting[0]
            try:
                await self._context.ports.records.append(self._topic, [OutgoingRecord(key, value, partition=partition)])
            except ReplicationError as error:
                log.warning("raw metrics wait", flow=str(self._context.spec.flow), error=str(error))
                self._context.note_waiting(self._topic, error)
                return
            self._context.note_written(self._topic)
            if self._waiting and self._waiting[0] is value:
                self._waiting.popleft()


def rejection_event(refused: RejectedRecord) -> list[Any]:
    """Return the event that names a rejected record."""
    text = f"offset {refused.offset} ({refused.records} records): {refused.error}"
    return [refused.at_ms, "record", refused.topic, refused.partition, None, refused.policy, "record_refused", text]
