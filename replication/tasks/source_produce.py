"""The producing half of a source task: batches go out in order, several requests in flight per connection.

A broker takes one batch per partition and request. When a batch comes back for a retry, nothing more of its partition
is sent until everything in flight is back; then all of it goes out again in order with unchanged sequences, and Kafka
drops what it already has.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.ports.target_writer import OutgoingBatch, Produced, ProduceResult, ProducerIdentity
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.produce_answers import ProduceAnswers
from replication.tasks.producer_stamp import ProducerStamp
from replication.tasks.refused_batches import RefusedBatches
from replication.tasks.slot_context import SlotContext
from replication.tasks.transaction_gate import Gate, OpenGate

log = structlog.get_logger(__name__)

BATCHES_IN_FLIGHT = 5  # of one partition: as many does Kafka remember of an idempotent producer
REQUEST_BYTES = 4 * 1024 * 1024
IDLE_S = 0.25
AFTER_BACKOFF_S = 0.05
FORGOTTEN_AFTER_S = 3600.0  # Kafka keeps an idle producer for producer.id.expiration.ms, a day unless changed
NO_IDENTITY = ProducerIdentity(-1, -1)
Lane = tuple[int, int]  # a broker, and which of the connections to it


class SourceProduce:
    """Sends what the queues hold."""

    def __init__(
        self,
        context: SlotContext,
        done: Callable[[PartitionCopy, Entry, int], None],
        acknowledged: Callable[[PartitionCopy], None],
        stopped: Callable[[PartitionCopy], None],
    ) -> None:
        """`done(copy, entry, now_ms)` is called for every finished entry in order, `acknowledged` after them;
        `stopped` when the target refuses a batch for good."""
        self._context = context
        self._gate: Gate = OpenGate()
        self._stamp = ProducerStamp(NO_IDENTITY, transactional=False)
        self._transactional = self._is_ceasing = False
        self._ready: dict[Lane, deque[PartitionCopy]] = defaultdict(deque)
        self._in_flight: dict[Lane, int] = defaultdict(int)
        self._waiting: dict[TopicPartition, PartitionCopy] = {}  # paused before they are sent again
        refused = RefusedBatches(context, self.offer, stopped, self._lost_transaction)
        self._answers = ProduceAnswers(context, refused, self._lost_transaction, done, acknowledged)

    def use_transactions(self, gate: Gate) -> None:
        """Exactly once: batches carry the transactional bit and go out when the gate admits them."""
        self._gate, self._transactional = gate, True
        self._answers.use_transactions()

    def become(self, identity: ProducerIdentity) -> None:
        """Batches that go out from now on are this producer's."""
        self._stamp = ProducerStamp(identity, transactional=self._transactional)

    def _lost_transaction(self, reason: str) -> None:
        self._gate.give_up(reason)

    def cease(self) -> None:
        """Send nothing more: what is in flight comes back, and what waits is read again by whoever copies next."""
        self._is_ceasing = True
        self._context.work_signal.set()

    @property
    def in_flight(self) -> int:
        return sum(self._in_flight.values())

    def offer(self, copy: PartitionCopy) -> None:
        """The partition's queue has something, or its leader is known (again)."""
        if copy.queue and copy.queue[0].data is None and not copy.sent:
            self._answers.advance(copy)
        if not copy.queue or copy.target_leader < 0 or copy.is_listed or not self._may_send(copy):
            return
        if copy.in_flight == 0:
            copy.connection = copy.spread % self._context.connections
        copy.is_listed = True
        self._ready[copy.target_leader, copy.connection].append(copy)
        self._context.work_signal.set()

    def _may_send(self, copy: PartitionCopy) -> bool:
        now_s = self._context.loop.monotonic_s()
        if copy.broken or copy.given_up or copy.in_repair or self._is_ceasing:
            return False
        if copy.letters_on_their_way or copy.resend_after_s > now_s:
            self._waiting[copy.upstream] = copy
            return False
        if copy.in_flight == 0 and now_s - copy.acknowledged_s > FORGOTTEN_AFTER_S:
            copy.is_known_to_target = False
        if copy.in_flight and copy.connection != copy.spread % self._context.connections:
            return False  # there are more connections: it goes on at another one when nothing is under way
        if copy.in_flight >= BATCHES_IN_FLIGHT or (copy.in_flight and not copy.is_known_to_target):
            return False  # a target that knows no sequence of ours takes any: the first batch must be the first
        return self._gate.admits(copy)

    async def run(self) -> None:
        """Send until the task stops and everything it took is done or given up."""
        context = self._context
        while not (context.stopping and (self._drained() or context.failure is not None)):
            self._offer_waiting()
            for lane in list(self._ready):
                self._send_all(lane)
            await context.work_signal.wait(AFTER_BACKOFF_S if self._waiting else IDLE_S)

    def _drained(self) -> bool:
        """Nothing in flight, and nothing queued but for partitions that cannot be sent now."""
        copies = self._context.copies.values()
        return self.in_flight == 0 and (self._is_ceasing or all(map(self._is_drained, copies)))

    def _is_drained(self, copy: PartitionCopy) -> bool:
        is_kept = copy.given_up or copy.in_repair or copy.attempts or copy.letters_on_their_way
        is_early = self._transactional and copy.committed is None
        return bool(copy.is_idle or is_kept or is_early or copy.target_leader < 0)

    def _offer_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for copy in waiting.values():
            self.offer(copy)

    def _send_all(self, lane: Lane) -> None:
        ready = self._ready[lane]
        while ready and self._in_flight[lane] < self._context.tuning.requests_in_flight:
            request: list[tuple[PartitionCopy, Entry]] = []
            size = 0
            for _ in range(len(ready)):
                if size >= REQUEST_BYTES:
                    break
                copy = ready.popleft()
                entry = copy.next_to_send() if self._may_send(copy) else None
                if entry is not None:
                    self._note_resent(copy, entry)
                    self._stamp.put_on(copy, entry)
                    request.append((copy, entry))
                    size += entry.size_bytes
                if entry is not None and copy.queue:
                    ready.append(copy)
                else:
                    copy.is_listed = False
            if not request:
                return
            self._in_flight[lane] += 1
            self._context.loop.spawn(self._send(lane, request))

    def _note_resent(self, copy: PartitionCopy, entry: Entry) -> None:
        """Count records that go out again although the target may have them; Kafka drops them while it knows us."""
        if entry.in_doubt:
            copy.resent_total += entry.records

    async def _send(self, lane: Lane, request: list[tuple[PartitionCopy, Entry]]) -> None:
        node, connection = lane
        batches = [
            OutgoingBatch(copy.planned.remote_topic, copy.upstream.partition, entry.data or b"")
            for copy, entry in request
        ]
        produced = Produced(())
        failure: ReplicationError | None = None
        try:
            produced = await self._context.ports.writer.produce(
                node, batches, transactional=self._transactional, connection=connection
            )
        except ReplicationError as error:
            failure = error
            self._context.trouble("produce", error)
            log.warning("produce failed", flow=str(self._context.spec.flow), node=node, error=str(error))
            self._context.refresh_signal.set()
        except Exception as error:
            self._context.fail(error)
        finally:
            self._in_flight[lane] -= 1
        if produced.results:
            self._context.settled("produce")
        self._settle(request, produced.results, failure, produced.throttle_ms)

    def _settle(
        self,
        request: list[tuple[PartitionCopy, Entry]],
        results: Sequence[ProduceResult],
        failure: ReplicationError | None,
        throttle_ms: int,
    ) -> None:
        answers = {(result.topic, result.partition): result for result in results}
        now_ms = self._context.loop.now_ms()
        self._context.pace.quota(self._context.spec.target.alias, throttle_ms, now_ms)
        for copy, entry in request:
            copy.in_flight -= 1
            answer = answers.get((copy.planned.remote_topic, copy.upstream.partition))
            self._answers.settle(copy, entry, answer, failure, now_ms)
            self.offer(copy)
        self._context.work_signal.set()
