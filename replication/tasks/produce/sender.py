"""The sender of a slot: batches go out in order, several requests in flight per connection.

A broker takes one batch per partition and request. When a batch comes back for a retry, nothing more of its partition
is sent until everything in flight is back; then all of it goes out again in order with unchanged sequences, and Kafka
drops what it already has.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Sequence

import structlog

from replication.codecs.record_batch import rewrite
from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.ports.produce.batch_producer import OutgoingBatch, Produced, ProduceResult
from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.produce.failed_batches import FailedBatches
from replication.tasks.produce.transaction_gate import TransactionGate
from replication.tasks.rejected_records.rejected_batches import RejectedBatches
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.reporting.gauge import SlotGauge
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

BATCHES_IN_FLIGHT = 5  # of one partition: as many does Kafka remember of an idempotent producer
REQUEST_BYTES = 4 * 1024 * 1024
IDLE_S = 0.25
AFTER_BACKOFF_S = 0.05
FORGOTTEN_AFTER_S = 3600.0  # Kafka keeps an idle producer for producer.id.expiration.ms, a day unless changed
NO_IDENTITY = ProducerIdentity(-1, -1)
Lane = tuple[int, int]  # a broker, and which of the connections to it


class Sender:
    """Sends the queues of all partitions, and reports the entries that are finished."""

    def __init__(self, context: SlotContext, events: SlotEvents, gauge: SlotGauge, rejected_log: RejectedLog) -> None:
        self._context = context
        self._events = events
        self._gauge = gauge
        self._gate: TransactionGate | None = None
        self._producer = NO_IDENTITY
        self._is_stopping = False
        self._ready: dict[Lane, deque[PartitionCopy]] = defaultdict(deque)
        self._in_flight: dict[Lane, int] = defaultdict(int)
        self._waiting: dict[TopicPartition, PartitionCopy] = {}  # paused before they are sent again
        self._lost: Collection[TopicPartition] | None = None  # while the producer is renewed: who needs it
        self._is_held = False
        self._failed = FailedBatches(context, events, RejectedBatches(context, events, rejected_log))

    def use_transactions(self, gate: TransactionGate) -> None:
        """Exactly once: batches carry the transactional bit and go out when the gate admits them."""
        self._gate = gate
        self._failed.use_transactions()

    def set_producer(self, identity: ProducerIdentity) -> None:
        """Batches that go out from now on are this producer's."""
        self._producer = identity
        self._context.roster.forget_sequences()

    def leave(self, copy: PartitionCopy) -> None:
        """Forget the partition."""
        self._waiting.pop(copy.upstream, None)

    def stop_sending(self) -> None:
        """Send nothing more: what is in flight comes back, and what waits is read again by the next owner."""
        self._is_stopping = True
        self._context.work_signal.set()

    def hold(self, lost: Collection[TopicPartition]) -> None:
        """The producer is about to be renewed: from now on only batches in doubt go out, but none of these."""
        self._lost = lost

    def hold_all(self) -> None:
        """Nothing goes out until `release`."""
        self._is_held = True

    def release(self) -> None:
        """The producer is renewed: everything goes out again."""
        self._lost, self._is_held = None, False
        for copy in self._context.roster.copies.values():
            self.schedule_send(copy)

    def _is_holding(self, copy: PartitionCopy, lost: Collection[TopicPartition]) -> bool:
        return self._is_held or copy.upstream in lost or not copy.queue.is_in_doubt

    @property
    def in_flight(self) -> int:
        """The number of requests without an answer."""
        return sum(self._in_flight.values())

    def schedule_send(self, copy: PartitionCopy) -> None:
        """Send the partition's queue as soon as it may be sent."""
        queue = copy.queue
        waiting = queue.waiting
        if waiting and waiting[0].data is None and not queue.sent:
            self._report_finished(copy, self._context.ports.loop.now_ms())
        if not waiting or queue.leader < 0 or queue.is_listed or not self._may_send(copy):
            return
        queue.enlist(self._gauge.connections)
        self._ready[queue.leader, queue.connection].append(copy)
        self._context.work_signal.set()

    def _may_send(self, copy: PartitionCopy) -> bool:
        queue, retries, now_s = copy.queue, copy.retries, self._context.ports.loop.monotonic_s()
        if queue.is_broken or queue.is_closed or retries.is_repairing or self._is_stopping:
            return False
        if self._lost is not None and self._is_holding(copy, self._lost):
            return False
        if copy.barrier.waits or retries.resend_after_s > now_s:
            self._waiting[copy.upstream] = copy
            return False
        if queue.in_flight:
            if queue.connection != queue.spread % self._gauge.connections:
                return False  # there are more connections: it continues at another one when nothing is under way
            if queue.in_flight >= BATCHES_IN_FLIGHT or not queue.is_known_to_target:
                return False  # a target that knows no sequence of ours takes any: the first batch must be the first
        elif now_s - queue.acknowledged_s > FORGOTTEN_AFTER_S:
            queue.forget_target()
        return self._gate is None or self._gate.admits(copy)

    async def run(self) -> None:
        """Send until the task stops and everything it took is done or given up."""
        context = self._context
        while not (context.stopping and (self._is_drained() or context.failure is not None)):
            if self._waiting:
                self._schedule_waiting()
            for lane in list(self._ready):
                self._send_all(lane)
            await context.work_signal.wait(AFTER_BACKOFF_S if self._waiting else IDLE_S)

    def _is_drained(self) -> bool:
        """True when nothing is in flight, and nothing queued but for partitions that cannot be sent now."""
        copies = self._context.roster.copies.values()
        return self.in_flight == 0 and (self._is_stopping or all(map(self._has_nothing_to_send, copies)))

    def _has_nothing_to_send(self, copy: PartitionCopy) -> bool:
        queue, retries = copy.queue, copy.retries
        is_kept = queue.is_closed or retries.is_repairing or retries.attempts or copy.barrier.waits
        is_early = self._gate is not None and copy.progress.committed is None
        return bool(queue.is_idle or is_kept or is_early or queue.leader < 0)

    def _schedule_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for copy in waiting.values():
            self.schedule_send(copy)

    def _send_all(self, lane: Lane) -> None:
        ready = self._ready[lane]
        while ready and self._in_flight[lane] < self._gauge.tuning.requests_in_flight:
            request: list[tuple[PartitionCopy, Entry]] = []
            size = 0
            for _ in range(len(ready)):
                if size >= REQUEST_BYTES:
                    break
                copy = ready.popleft()
                queue = copy.queue
                entry = queue.take_next() if self._may_send(copy) else None
                if entry is not None:
                    self._stamp(copy, entry)
                    request.append((copy, entry))
                    size += entry.size_bytes
                if entry is not None and queue.waiting:
                    ready.append(copy)
                else:
                    queue.delist()
            if not request:
                return
            self._in_flight[lane] += 1
            self._context.ports.loop.spawn(self._send(lane, request))

    def _stamp(self, copy: PartitionCopy, entry: Entry) -> None:
        """Make a batch our producer's when it first goes out: until then batches may be merged, split or dropped."""
        if entry.in_doubt:  # Kafka drops records that it has already, while it knows us
            copy.counters.add_resent(entry.records)
        if entry.base_sequence is not None or entry.data is None:
            return
        producer = self._producer
        rewrite(
            entry.data,
            0,
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            base_sequence=copy.queue.take_sequences(entry),
            transactional=self._gate is not None,
        )

    async def _send(self, lane: Lane, request: list[tuple[PartitionCopy, Entry]]) -> None:
        context, (node, connection) = self._context, lane
        batches = [
            OutgoingBatch(copy.planned.remote_topic, copy.upstream.partition, entry.data or b"")
            for copy, entry in request
        ]
        produced = Produced(())
        failure: ReplicationError | None = None
        try:
            produced = await context.ports.producer.produce(
                node, batches, transactional=self._gate is not None, connection=connection
            )
        except ReplicationError as error:
            failure = error
            context.note_trouble("produce", error)
            log.warning("produce failed", flow=str(context.spec.flow), node=node, error=str(error))
            context.refresh_signal.set()
        except Exception as error:
            context.fail(error)
        finally:
            self._in_flight[lane] -= 1
        if produced.results and context.causes:
            context.clear_trouble("produce")
        self._handle_answers(request, produced.results, failure, produced.throttle_ms)

    def _handle_answers(
        self,
        request: list[tuple[PartitionCopy, Entry]],
        results: Sequence[ProduceResult],
        failure: ReplicationError | None,
        throttle_ms: int,
    ) -> None:
        context = self._context
        answers = {(result.topic, result.partition): result for result in results}
        now_ms = context.ports.loop.now_ms()
        if throttle_ms > 0:
            context.pace.note_quota(context.spec.target.alias, throttle_ms, now_ms, context.ports.loop.monotonic_s())
        for copy, entry in request:
            queue = copy.queue
            queue.note_returned()
            answer = answers.get((copy.planned.remote_topic, copy.upstream.partition))
            if queue.is_closed:
                entry.mark_returned()
                entry.release()
            elif answer is not None and answer.error_code == KafkaErrorCode.NONE and not queue.is_broken:
                self._acknowledge(copy, entry, answer.base_offset, now_ms)
            elif self._failed.is_acknowledged(copy, entry, answer, failure):
                self._acknowledge(copy, entry, -1 if answer is None else answer.base_offset, now_ms)
            self.schedule_send(copy)
        context.work_signal.set()

    def _acknowledge(self, copy: PartitionCopy, entry: Entry, base_offset: int, now_ms: int) -> None:
        """The target holds the batch: report the entries that are finished at the head of the line."""
        copy.queue.acknowledge(entry, base_offset, self._context.ports.loop.monotonic_s())
        if copy.retries.attempts or copy.retries.failed_since_s:
            copy.retries.reset()
        if copy.obstructions.are_noted:
            copy.obstructions.note_advance()
        self._report_finished(copy, now_ms)

    def _report_finished(self, copy: PartitionCopy, now_ms: int) -> None:
        moved = False
        for entry in copy.queue.take_finished():
            self._events.finished(copy, entry, now_ms)
            entry.release()
            moved = True
        if moved:
            self._events.acknowledged(copy)
