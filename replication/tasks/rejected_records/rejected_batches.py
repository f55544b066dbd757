"""Handles batches the target rejects for their content: halves them down to the bad record, then applies the policy.

Kafka rejects a batch as a whole. Halving costs a few small batches per bad record, and everything else arrives. The
policies are Kafka Connect's `errors.*` settings in our words; dead letters carry the headers Connect gives them.
"""

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.kafka_errors import SUSPECT_CODES, error_action, error_name
from replication.domain.produce.error_action import ErrorAction
from replication.domain.rejected_records.rejected_record import RejectedRecord
from replication.domain.settings.choices import ErrorsPolicy
from replication.domain.settings.registry.errors import ERRORS_POLICY
from replication.domain.settings.registry.records import MAX_UNPACKED_BYTES
from replication.ports.batches.batch_opener import BatchPart
from replication.ports.batches.record_path import TooMuchPlainError
from replication.ports.produce.batch_producer import ProduceResult
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.rejected_records.dead_letters import CONTENT_OMITTED, dead_letter, write_dead_letters
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

DEAD_LETTER_RETRY_S = 2.0
HALVED_BYTES = 4 * 1024 * 1024  # in one step of the loop
_BATCH_REJECTED = "batch_refused"  # the code that REST and the task's record have always held


class RejectedBatches:
    """Takes over a partition whose head of the line was rejected, and hands it back when it may continue."""

    def __init__(self, context: SlotContext, events: SlotEvents, rejected_log: RejectedLog) -> None:
        self._context = context
        self._events = events
        self._log = rejected_log

    def handle(self, copy: PartitionCopy, entry: Entry, answer: ProduceResult) -> None:
        """Nothing of the partition is in flight; `entry` is the first batch that waits."""
        if entry not in copy.queue.waiting:
            return
        reason = error_name(answer.error_code) + (f" ({answer.message})" if answer.message else "")
        if entry.in_doubt or entry.data is None:
            self._stop(copy, entry, reason, _BATCH_REJECTED)
        elif entry.records > 1:
            # suspect codes were suspected for long enough
            self._halve(copy, entry, reason, keeps_time=answer.error_code in SUSPECT_CODES)
        else:
            self._apply_policy(copy, entry, reason, answer.error_code)

    def _halve(self, copy: PartitionCopy, entry: Entry, reason: str, *, keeps_time: bool) -> None:
        assert entry.data is not None  # noqa: S101 - the caller saw it
        try:
            halves = self._context.ports.opener.halve(entry.data, HALVED_BYTES)
        except TooMuchPlainError:
            copy.retries.start_repair()
            self._context.ports.loop.spawn(self._halve_aside(copy, entry, bytes(entry.data), reason, keeps_time))
        except Exception as error:  # a codec may raise anything
            self._stop(copy, entry, f"{reason}; the batch cannot be decoded: {error}", _BATCH_REJECTED)
        else:
            self._replace(copy, entry, halves, keeps_time=keeps_time)

    async def _halve_aside(self, copy: PartitionCopy, entry: Entry, data: bytes, reason: str, keeps_time: bool) -> None:
        """Halve a batch that holds too much for a step of the loop; the partition waits."""
        ports, most_bytes = self._context.ports, self._context.spec.records.max_unpacked_bytes
        try:
            halves = await ports.loop.run_aside(lambda: ports.opener.halve(memoryview(data), most_bytes))
        except Exception as error:  # a codec may raise anything
            copy.retries.end_repair()
            if entry in copy.queue.waiting and not self._context.stopping:
                self._stop(copy, entry, f"{reason}; the batch cannot be decoded: {_text(error)}", _BATCH_REJECTED)
            return
        copy.retries.end_repair()
        if entry in copy.queue.waiting and not self._context.stopping:
            self._replace(copy, entry, halves, keeps_time=keeps_time)
        else:
            self._events.filled(copy)  # its transaction was aborted: the records are on their way once more

    def _replace(
        self, copy: PartitionCopy, entry: Entry, halves: tuple[BatchPart, BatchPart], *, keeps_time: bool
    ) -> None:
        middle = entry.upstream_of(halves[0].records)
        parts = (
            entry.part(entry.first, middle, slice(0, halves[0].records), *_bytes_of(halves[0])),
            entry.part(middle, entry.next, slice(halves[0].records, entry.records), *_bytes_of(halves[1])),
        )
        copy.queue.replace(entry, parts)
        copy.retries.reset_attempts(keeps_time=keeps_time)
        self._events.filled(copy)

    def _apply_policy(self, copy: PartitionCopy, entry: Entry, reason: str, code: int) -> None:
        policy = self._context.spec.errors.policy
        if policy == "stop_partition":
            is_too_large = error_action(code) is ErrorAction.TOO_LARGE
            self._stop(copy, entry, reason, "record_too_large" if is_too_large else _BATCH_REJECTED)
        elif policy == "skip":
            self._skip(copy, entry, reason)
        else:
            copy.retries.start_repair()
            self._context.ports.loop.spawn(self._keep_and_skip(copy, entry, reason))

    def _stop(self, copy: PartitionCopy, entry: Entry, reason: str, code: str) -> None:
        what = "record" if entry.records == 1 else "batch"
        text = (
            f"the target rejects the {what} of {copy.upstream} at offset {entry.first}: {reason}; "
            f"correct the remote topic, or set {ERRORS_POLICY} to skip or dead_letter"
        )
        self._note(copy, entry, reason, "stop_partition")
        if entry.in_doubt or copy.queue.is_in_doubt:
            self._events.transaction_lost(f"{copy.remote} ends with a batch in doubt: {reason}")
        copy.fail(copy.cause(code, text, self._context.ports.loop.now_ms()), self._context.spec.rejection_rules)
        copy.queue.abandon()
        self._events.stop_reading(copy)

    def _skip(self, copy: PartitionCopy, entry: Entry, reason: str) -> None:
        self._note(copy, entry, reason, self._context.spec.errors.policy)
        copy.queue.replace(entry, (Entry(entry.first, entry.next, entry.leader_epoch),))
        copy.retries.reset_attempts(keeps_time=False)
        self._events.filled(copy)

    async def _keep_and_skip(self, copy: PartitionCopy, entry: Entry, reason: str) -> None:
        """Write the record to the dead letter topic; the partition waits until it is there."""
        context = self._context
        topic = context.spec.errors.dead_letter_topic
        try:
            record, why_not = await self._opened(bytes(entry.data or b""))
            letter = dead_letter(record, copy.upstream, entry.first, f"{reason}{why_not}")
            while entry in copy.queue.waiting and not context.stopping:
                try:
                    await write_dead_letters(context.ports.records, topic, [letter])
                    break
                except ReplicationError as error:
                    text = f"a rejected record of {copy.upstream} waits for its dead letter topic: {error.text}"
                    copy.obstructions.set("target", copy.cause("dead_letter_waits", text, context.ports.loop.now_ms()))
                    await context.pause(DEAD_LETTER_RETRY_S)
            copy.retries.end_repair()
            if entry in copy.queue.waiting and not context.stopping:
                copy.obstructions.clear("target")
                self._skip(copy, entry, reason)
            else:
                self._events.filled(copy)  # its transaction was aborted: the record is on its way once more
        except Exception as error:
            context.fail(error)

    async def _opened(self, data: bytes) -> tuple[OutgoingRecord, str]:
        """Return the record of a batch of one; without its content, and the reason, where it cannot be opened."""
        ports, most_bytes = self._context.ports, self._context.spec.records.max_unpacked_bytes
        try:
            return await ports.loop.run_aside(lambda: ports.opener.only_record(memoryview(data), most_bytes)), ""
        except Exception as error:  # a codec may raise anything
            return OutgoingRecord(None, None, [CONTENT_OMITTED]), f"; the record cannot be decoded: {_text(error)}"

    def _note(self, copy: PartitionCopy, entry: Entry, reason: str, policy: ErrorsPolicy) -> None:
        rejected = RejectedRecord(
            topic=copy.upstream.topic,
            partition=copy.upstream.partition,
            offset=entry.first,
            records=entry.records,
            error=reason,
            policy=policy,
            at_ms=self._context.ports.loop.now_ms(),
        )
        self._log.note(rejected)
        log.error(
            "record rejected",
            flow=str(self._context.spec.flow),
            topic=rejected.topic,
            partition=rejected.partition,
            offset=rejected.offset,
            error=reason,
            policy=policy,
        )


def _text(error: Exception) -> str:
    return f"{error}; raise {MAX_UNPACKED_BYTES.key}" if isinstance(error, TooMuchPlainError) else str(error)


def _bytes_of(half: BatchPart) -> tuple[memoryview, int]:
    return memoryview(half.data), half.max_timestamp
