"""What the answers to produced batches do to their partitions: on with the position, once more, or refused."""

from collections.abc import Callable

from replication.domain.errors import Cause, FatalError, FencedError, ReplicationError
from replication.domain.kafka_error import error_name
from replication.domain.produce_verdict import SUSPECT_CODES, ProduceVerdict, leaves_doubt, trouble, verdict
from replication.ports.target_writer import ProduceResult
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.refused_batches import RefusedBatches
from replication.tasks.slot_context import SlotContext

FIRST_BACKOFF_S = 0.1
LONGEST_BACKOFF_S = 5.0
OUT_OF_ORDER_ATTEMPTS = 5
UNPIN_AFTER_ATTEMPTS = 3
TELL_AFTER_ATTEMPTS = 3  # a leader that moves costs one or two
SUSPECT_ATTEMPTS = 5
SUSPECT_FOR_S = 60.0  # a leader that starts or recovers says so too
NO_ANSWER = 13  # NETWORK_EXCEPTION
_JUDGED = frozenset({ProduceVerdict.REFUSED, ProduceVerdict.TOO_LARGE})  # for what is in it: it was never accepted


class ProduceAnswers:
    """Settles batches one by one, in the order their requests were answered."""

    def __init__(
        self,
        context: SlotContext,
        refused: RefusedBatches,
        lost_transaction: Callable[[str], None],
        done: Callable[[PartitionCopy, Entry, int], None],
        acknowledged: Callable[[PartitionCopy], None],
    ) -> None:
        """`done(copy, entry, now_ms)` is called for every finished entry in order, `acknowledged` after them."""
        self._context = context
        self._transactional = False
        self._refused = refused
        self._lost_transaction = lost_transaction
        self._done = done
        self._acknowledged = acknowledged

    def use_transactions(self) -> None:
        """The batches are parts of transactions."""
        self._transactional = True

    def settle(
        self,
        copy: PartitionCopy,
        entry: Entry,
        answer: ProduceResult | None,
        failure: ReplicationError | None,
        now_ms: int,
    ) -> None:
        """One batch is back; without an `answer`, nobody knows whether it arrived."""
        entry.sent = False
        if copy.given_up:
            entry.release()
        elif answer is not None and answer.error_code == 0 and not copy.broken:
            self._landed(copy, entry, answer, now_ms)
        else:
            self._judge(copy, entry, answer, failure, now_ms)
            if copy.broken and copy.in_flight == 0:
                self._send_again(copy)

    def _judge(
        self,
        copy: PartitionCopy,
        entry: Entry,
        answer: ProduceResult | None,
        failure: ReplicationError | None,
        now_ms: int,
    ) -> None:
        meaning = ProduceVerdict.RETRY
        if answer is not None:
            meaning = verdict(answer.error_code, transactional=self._transactional)
        if isinstance(failure, FencedError):
            meaning = ProduceVerdict.FENCED
        if answer is None or leaves_doubt(answer.error_code):
            entry.in_doubt = True  # and stays so, whatever is said of it when it is sent again, until it is there
        elif meaning in _JUDGED:
            entry.in_doubt = False
        if meaning is ProduceVerdict.DONE and answer is not None:
            self._landed(copy, entry, answer, now_ms)
        elif meaning is ProduceVerdict.FENCED:
            self._context.fail(failure or self._fenced(copy))
        else:
            if meaning is ProduceVerdict.ABORT and answer is not None:
                self._lost_transaction(f"writing to {copy.remote}: {error_name(answer.error_code)}")
            self._come_back(copy, entry, meaning, answer or _no_answer(copy, failure))

    def _landed(self, copy: PartitionCopy, entry: Entry, answer: ProduceResult, now_ms: int) -> None:
        if copy.broken:
            entry.in_doubt = True  # it goes out once more behind the batch that failed, and Kafka drops it
            return
        entry.acknowledged_at = answer.base_offset
        entry.in_doubt = False
        copy.is_known_to_target = True
        copy.acknowledged_s = self._context.loop.monotonic_s()
        copy.attempts = copy.out_of_order = 0
        copy.failed_since_s = 0.0
        copy.target_waits = None
        copy.advanced()
        self.advance(copy, now_ms)

    def advance(self, copy: PartitionCopy, now_ms: int | None = None) -> None:
        """Report what is finished at the head of the line."""
        moment_ms = self._context.loop.now_ms() if now_ms is None else now_ms
        moved = False
        for entry in copy.finished():
            copy.pending_bytes -= entry.size_bytes
            self._done(copy, entry, moment_ms)
            entry.release()
            moved = True
        if moved:
            self._acknowledged(copy)

    def _come_back(self, copy: PartitionCopy, entry: Entry, meaning: ProduceVerdict, answer: ProduceResult) -> None:
        if not copy.broken:
            copy.broken = True
            copy.attempts += 1
            copy.is_known_to_target = False  # its topic may be made anew: then the first batch must be the first again
            copy.failed_since_s = copy.failed_since_s or self._context.loop.monotonic_s()
            self._context.refresh_signal.set()
            # behind a batch that failed it is expected; at the head of the line the target has forgotten our sequences
            copy.out_of_order = copy.out_of_order + 1 if meaning is ProduceVerdict.OUT_OF_ORDER else 0
            self._judge_head(copy, entry, meaning, answer)
        if copy.out_of_order > OUT_OF_ORDER_ATTEMPTS:
            self._context.fail(
                FatalError(
                    f"{copy.remote}: the target lost the producer's state (out of order sequence); starting anew"
                )
            )

    def _judge_head(self, copy: PartitionCopy, entry: Entry, meaning: ProduceVerdict, answer: ProduceResult) -> None:
        """The first batch that failed decides; those behind it fail because of it."""
        failing_s = self._context.loop.monotonic_s() - copy.failed_since_s
        is_suspect = answer.error_code in SUSPECT_CODES
        hopeless = is_suspect and copy.attempts >= SUSPECT_ATTEMPTS and failing_s >= SUSPECT_FOR_S
        if meaning in (ProduceVerdict.REFUSED, ProduceVerdict.TOO_LARGE) or hopeless or self._is_late(copy, meaning):
            copy.refusal = (entry, answer)
        elif answer.error_code == NO_ANSWER:
            return  # the slot says that a broker does not answer
        elif meaning is ProduceVerdict.DENIED or copy.attempts >= TELL_AFTER_ATTEMPTS:
            about = trouble(answer.error_code)
            text = f"remote partition {copy.remote} {about.text} ({error_name(answer.error_code)})"
            if copy.target_waits is None or copy.target_waits.code != about.code:
                copy.target_waits = self._cause(about.code, text, copy)

    def _is_late(self, copy: PartitionCopy, meaning: ProduceVerdict) -> bool:
        """Retried for longer than the flow's `errors.retry.timeout` allows."""
        timeout_ms = self._context.spec.errors.retry_timeout_ms
        if timeout_ms is None or meaning is ProduceVerdict.OUT_OF_ORDER:
            return False
        return (self._context.loop.monotonic_s() - copy.failed_since_s) * 1000 > timeout_ms

    def _send_again(self, copy: PartitionCopy) -> None:
        """Everything is back: the refused batch is dealt with, or all go out once more."""
        copy.take_back()
        copy.broken = False
        refusal, copy.refusal = copy.refusal, None
        if refusal is not None:
            self._refused.take(copy, *refusal)
            return
        if copy.attempts >= UNPIN_AFTER_ATTEMPTS:
            copy.unpin()
        longest_s = min(LONGEST_BACKOFF_S, self._context.spec.errors.retry_delay_max_ms / 1000)
        backoff_s = min(longest_s, FIRST_BACKOFF_S * 2 ** min(copy.attempts - 1, 6))
        copy.resend_after_s = self._context.loop.monotonic_s() + backoff_s

    def _fenced(self, copy: PartitionCopy) -> FencedError:
        return FencedError(f"{copy.remote}: another driver has taken slot {self._context.spec.slot} of the flow")

    def _cause(self, code: str, text: str, copy: PartitionCopy) -> Cause:
        upstream, now_ms = copy.upstream, self._context.loop.now_ms()
        return Cause(code=code, text=text, topic=upstream.topic, partition=upstream.partition, since_ms=now_ms)


def _no_answer(copy: PartitionCopy, failure: ReplicationError | None) -> ProduceResult:
    text = None if failure is None else failure.text
    return ProduceResult(copy.planned.remote_topic, copy.upstream.partition, NO_ANSWER, -1, text)
