"""The producing half of a source task: batches go out in order, five requests in flight per broker.

A broker takes one batch per partition and request. When a batch comes back for a retry, nothing more of its partition
is sent until everything in flight is back; then all of it goes out again in order with unchanged sequences, and Kafka
drops what it already has.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence

import structlog

from replication.domain.errors import Cause, FatalError, FencedError, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error import error_name
from replication.domain.produce_verdict import ProduceVerdict, verdict
from replication.ports.target_writer import OutgoingBatch, ProduceResult
from replication.tasks.partition_copy import Entry, PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

REQUESTS_IN_FLIGHT = 5
REQUEST_BYTES = 4 * 1024 * 1024
IDLE_S = 0.25
AFTER_BACKOFF_S = 0.05
FIRST_BACKOFF_S = 0.1
LONGEST_BACKOFF_S = 5.0
OUT_OF_ORDER_ATTEMPTS = 5
UNPIN_AFTER_ATTEMPTS = 3
SUSPECT_CODES = frozenset({-1, 2})  # unknown server error, corrupt message: usually the way, not the batch
SUSPECT_ATTEMPTS = 5


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
        self._done = done
        self._acknowledged = acknowledged
        self._stopped = stopped
        self._ready: dict[int, deque[PartitionCopy]] = defaultdict(deque)
        self._listed: set[TopicPartition] = set()
        self._in_flight: dict[int, int] = defaultdict(int)
        self._waiting: dict[TopicPartition, PartitionCopy] = {}  # paused before they are sent again

    @property
    def in_flight(self) -> int:
        return sum(self._in_flight.values())

    def offer(self, copy: PartitionCopy) -> None:
        """The partition's queue has something, or its leader is known (again)."""
        if copy.queue and copy.queue[0].data is None and not copy.sent:
            self._advance(copy)
        if not copy.queue or copy.broken or copy.given_up or copy.target_leader < 0 or copy.upstream in self._listed:
            return
        if copy.resend_after_s > self._context.loop.monotonic_s():
            self._waiting[copy.upstream] = copy
            return
        self._listed.add(copy.upstream)
        self._ready[copy.target_leader].append(copy)
        self._context.work_signal.set()

    async def run(self) -> None:
        """Send until the task stops and everything it took is done or given up."""
        context = self._context
        while not (context.stopping and (self._drained() or context.failure is not None)):
            self._offer_waiting()
            for node in list(self._ready):
                self._send_all(node)
            await context.work_signal.wait(AFTER_BACKOFF_S if self._waiting else IDLE_S)

    def _drained(self) -> bool:
        return self.in_flight == 0 and all(copy.is_idle or copy.given_up for copy in self._context.copies.values())

    def _offer_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for copy in waiting.values():
            self.offer(copy)

    def _send_all(self, node: int) -> None:
        ready = self._ready[node]
        while ready and self._in_flight[node] < REQUESTS_IN_FLIGHT:
            request: list[tuple[PartitionCopy, Entry]] = []
            size = 0
            for _ in range(len(ready)):
                if size >= REQUEST_BYTES:
                    break
                copy = ready.popleft()
                entry = None if copy.broken or copy.given_up else copy.next_to_send()
                if entry is not None:
                    request.append((copy, entry))
                    size += entry.size_bytes
                if entry is not None and copy.queue:
                    ready.append(copy)
                else:
                    self._listed.discard(copy.upstream)
            if not request:
                return
            self._in_flight[node] += 1
            self._context.loop.spawn(self._send(node, request))

    async def _send(self, node: int, request: list[tuple[PartitionCopy, Entry]]) -> None:
        batches = [
            OutgoingBatch(copy.planned.remote_topic, copy.upstream.partition, entry.data or b"")
            for copy, entry in request
        ]
        results: Sequence[ProduceResult] = ()
        failure: ReplicationError | None = None
        try:
            results = await self._context.ports.writer.produce(node, batches)
        except ReplicationError as error:
            failure = error
            self._context.trouble("produce", error)
            log.warning("produce failed", flow=str(self._context.spec.flow), node=node, error=str(error))
            self._context.refresh_signal.set()
        except Exception as error:
            self._context.fail(error)
        finally:
            self._in_flight[node] -= 1
        if results:
            self._context.settled("produce")
        answers = {(result.topic, result.partition): result for result in results}
        now_ms = self._context.loop.now_ms()
        for copy, entry in request:
            copy.in_flight -= 1
            answer = answers.get((copy.planned.remote_topic, copy.upstream.partition))
            self._settle(copy, entry, answer, failure, now_ms)
        self._context.work_signal.set()

    def _settle(
        self,
        copy: PartitionCopy,
        entry: Entry,
        answer: ProduceResult | None,
        failure: ReplicationError | None,
        now_ms: int,
    ) -> None:
        entry.sent = False
        if copy.given_up:
            entry.release()
            return
        meaning = ProduceVerdict.RETRY if answer is None else verdict(answer.error_code)
        if isinstance(failure, FencedError):
            meaning = ProduceVerdict.FENCED
        if meaning is ProduceVerdict.DONE and answer is not None:
            if not copy.broken:
                entry.acknowledged_at = answer.base_offset
                copy.attempts = copy.out_of_order = 0
                copy.advanced()
                self._advance(copy, now_ms)
        elif meaning is ProduceVerdict.FENCED:
            self._context.fail(
                failure
                or FencedError(f"{copy.remote}: another driver has taken slot {self._context.spec.slot} of the flow")
            )
        elif not copy.broken and (meaning is ProduceVerdict.REFUSED or self._hopeless(copy, answer)):
            self._refused(copy, entry, answer)
            return
        else:
            self._come_back(copy, meaning, answer)
        if copy.broken and copy.in_flight == 0:
            self._send_again(copy)
        else:
            self.offer(copy)

    def _hopeless(self, copy: PartitionCopy, answer: ProduceResult | None) -> bool:
        """An error that passes by itself most of the time, but not this time."""
        return answer is not None and answer.error_code in SUSPECT_CODES and copy.attempts >= SUSPECT_ATTEMPTS

    def _come_back(self, copy: PartitionCopy, meaning: ProduceVerdict, answer: ProduceResult | None) -> None:
        if not copy.broken:
            copy.broken = True
            copy.attempts += 1
            self._context.refresh_signal.set()
            if meaning is ProduceVerdict.DENIED and answer is not None:
                text = f"writing to {copy.remote} is not allowed ({error_name(answer.error_code)}); grant WRITE on it"
                copy.stop_for("stalled", self._cause("authorization_failed", text, copy))
            # behind a batch that failed it is expected; at the head of the line the target has forgotten our sequences
            copy.out_of_order = copy.out_of_order + 1 if meaning is ProduceVerdict.OUT_OF_ORDER else 0
        if copy.out_of_order > OUT_OF_ORDER_ATTEMPTS:
            self._context.fail(
                FatalError(
                    f"{copy.remote}: the target lost the producer's state (out of order sequence); starting anew"
                )
            )

    def _send_again(self, copy: PartitionCopy) -> None:
        copy.take_back()
        copy.broken = False
        if copy.attempts >= UNPIN_AFTER_ATTEMPTS:
            copy.unpin()
        backoff_s = min(LONGEST_BACKOFF_S, FIRST_BACKOFF_S * 2 ** min(copy.attempts - 1, 6))
        copy.resend_after_s = self._context.loop.monotonic_s() + backoff_s
        self._waiting[copy.upstream] = copy

    def _refused(self, copy: PartitionCopy, entry: Entry, answer: ProduceResult | None) -> None:
        code, message = (answer.error_code, answer.message) if answer is not None else (0, None)
        text = (
            f"the target refuses the batch of {copy.upstream} at offset {entry.first}: {error_name(code)}"
            f"{f' ({message})' if message else ''}"
        )
        copy.stop_for("failed", self._cause("batch_refused", text, copy))
        log.error(
            "batch refused", flow=str(self._context.spec.flow), topic=copy.upstream.topic, offset=entry.first, code=code
        )
        entry.release()
        copy.give_up()
        self._stopped(copy)

    def _advance(self, copy: PartitionCopy, now_ms: int | None = None) -> None:
        moment_ms = self._context.loop.now_ms() if now_ms is None else now_ms
        moved = False
        for entry in copy.finished():
            copy.pending_bytes -= entry.size_bytes
            self._done(copy, entry, moment_ms)
            entry.release()
            moved = True
        if moved:
            self._acknowledged(copy)

    def _cause(self, code: str, text: str, copy: PartitionCopy) -> Cause:
        upstream, now_ms = copy.upstream, self._context.loop.now_ms()
        return Cause(code=code, text=text, topic=upstream.topic, partition=upstream.partition, since_ms=now_ms)
