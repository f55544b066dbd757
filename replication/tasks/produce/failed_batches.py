"""Decides about batches that the target did not simply take: once more, handled as rejected, or the task's end."""

from replication.domain.errors import FatalError, FencedError, ReplicationError
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.kafka_errors import SUSPECT_CODES, error_action, error_name, kafka_error
from replication.domain.produce.backoff import resend_backoff_s
from replication.domain.produce.error_action import ErrorAction
from replication.ports.produce.batch_producer import ProduceResult
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.rejected_records.rejected_batches import RejectedBatches
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

OUT_OF_ORDER_ATTEMPTS = 5
MOST_RENEWALS = 3
UNPIN_AFTER_ATTEMPTS = 3
TELL_AFTER_ATTEMPTS = 3  # a leader that moves costs one or two
SUSPECT_ATTEMPTS = 5
SUSPECT_FOR_S = 60.0  # a leader that starts or recovers says so too
NO_ANSWER = KafkaErrorCode.NETWORK_EXCEPTION
_NEVER_ACCEPTED = frozenset({ErrorAction.REJECTED, ErrorAction.TOO_LARGE})  # for what is in the batch


class FailedBatches:
    """Handles the failed batches of a slot one by one, in the order their requests were answered."""

    def __init__(self, context: SlotContext, events: SlotEvents, rejected: RejectedBatches) -> None:
        self._context = context
        self._events = events
        self._rejected = rejected
        self._transactional = False

    def use_transactions(self) -> None:
        """The batches are parts of transactions."""
        self._transactional = True

    def is_acknowledged(
        self, copy: PartitionCopy, entry: Entry, answer: ProduceResult | None, failure: ReplicationError | None
    ) -> bool:
        """True when the batch is on the target all the same; else it is taken care of.

        Without an `answer` it is unknown whether the batch arrived.
        """
        entry.mark_returned()
        is_acknowledged = self._decide(copy, entry, answer, failure)
        if copy.queue.is_broken and copy.queue.in_flight == 0:
            self._send_again(copy)
        return is_acknowledged

    def _decide(
        self, copy: PartitionCopy, entry: Entry, answer: ProduceResult | None, failure: ReplicationError | None
    ) -> bool:
        action = ErrorAction.RETRY
        if answer is not None:
            action = error_action(answer.error_code, transactional=self._transactional)
        if isinstance(failure, FencedError):
            action = ErrorAction.FENCED
        if answer is None or kafka_error(answer.error_code).may_be_written:
            entry.mark_in_doubt()  # until it is acknowledged, independent of answers to later attempts
        elif action in _NEVER_ACCEPTED:
            action = self._reject(copy, entry, action)
        if self._is_repeated(copy, entry, answer):
            return True
        if action is ErrorAction.DONE and answer is not None:
            if not copy.queue.is_broken:
                return True
            entry.mark_in_doubt()  # it goes out once more behind the batch that failed, and Kafka drops it
        elif action is ErrorAction.FENCED:
            self._context.fail(failure or self._fenced(copy))
        else:
            if action is ErrorAction.ABORT and answer is not None:
                self._events.transaction_lost(f"writing to {copy.remote}: {error_name(answer.error_code)}")
            self._prepare_retry(copy, entry, action, answer or _no_answer(copy, failure))
        return False

    def _reject(self, copy: PartitionCopy, entry: Entry, action: ErrorAction) -> ErrorAction:
        """The target rejects the batch now; under exactly once an earlier attempt in doubt is settled first."""
        if entry.in_doubt and self._transactional:
            self._events.transaction_lost(f"{copy.remote} rejects a batch that it may have accepted before")
            return ErrorAction.RETRY
        entry.clear_doubt()
        return action

    def _is_repeated(self, copy: PartitionCopy, entry: Entry, answer: ProduceResult | None) -> bool:
        """True for a part of a rejected batch whose sequences are used: the target had accepted the whole batch."""
        is_used = answer is not None and answer.error_code == KafkaErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        return is_used and entry.is_repeat and not copy.queue.is_broken and not self._transactional

    def _prepare_retry(self, copy: PartitionCopy, entry: Entry, action: ErrorAction, answer: ProduceResult) -> None:
        if not copy.queue.is_broken:
            copy.queue.mark_broken()
            # behind a batch that failed it is expected; at the head of the line the target has forgotten our sequences
            is_out_of_order = action is ErrorAction.OUT_OF_ORDER
            copy.retries.note_failure(self._context.ports.loop.monotonic_s(), is_out_of_order=is_out_of_order)
            self._context.refresh_signal.set()
            self._handle_head(copy, entry, action, answer)
        if copy.retries.out_of_order > OUT_OF_ORDER_ATTEMPTS:
            self._renew_producer(copy)

    def _renew_producer(self, copy: PartitionCopy) -> None:
        """Only an epoch in which sequences begin at 0 helps this partition, and costs the others little."""
        if copy.retries.renewals >= MOST_RENEWALS:
            text = f"{copy.remote}: the target rejects the producer's sequences in every epoch; the task restarts"
            self._context.fail(FatalError(text))
            return
        copy.retries.note_renewal()
        self._events.sequences_lost(copy)

    def _handle_head(self, copy: PartitionCopy, entry: Entry, action: ErrorAction, answer: ProduceResult) -> None:
        """The first batch that failed decides; those behind it fail because of it."""
        retries, now_s = copy.retries, self._context.ports.loop.monotonic_s()
        failing_s = now_s - retries.failed_since_s
        is_hopeless = self._is_hopeless(copy, answer, now_s)
        if action in _NEVER_ACCEPTED or is_hopeless or self._is_late(action, failing_s):
            retries.note_rejection(entry, answer)
        elif answer.error_code == NO_ANSWER:
            return  # the slot says that a broker does not answer
        elif action is ErrorAction.DENIED or retries.attempts >= TELL_AFTER_ATTEMPTS:
            about, known = kafka_error(answer.error_code).trouble, copy.obstructions.of("target")
            text = f"remote partition {copy.remote} {about.text} ({error_name(answer.error_code)})"
            if known is None or known.code != about.code:
                copy.obstructions.set("target", copy.cause(about.code, text, self._context.ports.loop.now_ms()))

    def _is_hopeless(self, copy: PartitionCopy, answer: ProduceResult, now_s: float) -> bool:
        """True when the target has blamed the batch itself long enough; other errors do not count towards it."""
        retries = copy.retries
        if answer.error_code in SUSPECT_CODES:
            retries.note_suspect(now_s)
        elif answer.error_code != NO_ANSWER:
            retries.clear_suspects()
        is_last = answer.error_code in SUSPECT_CODES and retries.suspects >= SUSPECT_ATTEMPTS
        return is_last and now_s - retries.suspect_since_s >= SUSPECT_FOR_S

    def _is_late(self, action: ErrorAction, failing_s: float) -> bool:
        """True when retried for longer than the flow's `errors.retry.timeout` allows."""
        timeout_ms = self._context.spec.errors.retry_timeout_ms
        if timeout_ms is None or action is ErrorAction.OUT_OF_ORDER:
            return False
        return failing_s * 1000 > timeout_ms

    def _send_again(self, copy: PartitionCopy) -> None:
        """Everything is back: handle the rejected batch, or let all go out once more."""
        copy.queue.requeue_sent()
        rejection = copy.retries.take_rejection()
        if rejection is not None:
            self._rejected.handle(copy, *rejection)
            return
        if copy.retries.attempts >= UNPIN_AFTER_ATTEMPTS:
            copy.queue.copy_out_of_frames()
        backoff_s = resend_backoff_s(copy.retries.attempts, self._context.spec.errors.retry_delay_max_ms)
        copy.retries.wait_until(self._context.ports.loop.monotonic_s() + backoff_s)

    def _fenced(self, copy: PartitionCopy) -> FencedError:
        return FencedError(f"{copy.remote}: another driver has taken slot {self._context.spec.slot} of the flow")


def _no_answer(copy: PartitionCopy, failure: ReplicationError | None) -> ProduceResult:
    text = None if failure is None else failure.text
    return ProduceResult(copy.planned.remote_topic, copy.upstream.partition, NO_ANSWER, -1, text)
