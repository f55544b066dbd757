"""Handles records that the flow's transforms reject, as the flow's errors policy says.

A dead letter is written before anything behind its record may be sent or counted as done.
"""

from collections.abc import Sequence

import structlog

from replication.domain.batches.record import Record
from replication.domain.errors import ReplicationError
from replication.domain.rejected_records.rejected_record import RejectedRecord
from replication.domain.settings.choices import ErrorsPolicy
from replication.domain.transforms.catalogue import hides
from replication.ports.batches import record_path
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.rejected_records.dead_letters import CONTENT_OMITTED, dead_letter, write_dead_letters
from replication.tasks.rejected_records.rejected_log import RejectedLog
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

RETRY_S = 2.0


class RejectedRecords:
    """Receives the intake's reports about records of a partition."""

    def __init__(self, context: SlotContext, events: SlotEvents, rejected_log: RejectedLog) -> None:
        self._context = context
        self._events = events
        self._log = rejected_log

    def handle(
        self, copy: PartitionCopy, rejected: Sequence[record_path.FailedTransform], policy: ErrorsPolicy
    ) -> bool:
        """Note them; True where the partition continues without them. `policy` is the one they were read under."""
        for record, reason in rejected:
            self._note(copy, record.offset, reason, policy)
        if policy == "dead_letter":
            dead_letters = [
                dead_letter(self._content(record), copy.upstream, record.offset, reason) for record, reason in rejected
            ]
            copy.barrier.close()
            self._context.ports.loop.spawn(self._write(copy, dead_letters))
        return policy != "stop_partition"

    def _content(self, record: Record) -> OutgoingRecord:
        """Return the record as it was; nothing of it where a transform may hide some of it from the target."""
        spec = self._context.spec
        if not spec.errors.unmasked_letters and any(hides(transform.type) for transform in spec.records.transforms):
            return OutgoingRecord(None, None, [CONTENT_OMITTED])
        return OutgoingRecord(
            record.key, record.value, [(n, value) for n, value in record.headers if value is not None]
        )

    async def _write(self, copy: PartitionCopy, dead_letters: Sequence[OutgoingRecord]) -> None:
        """Retry while the topic does not take them; nothing behind them moves meanwhile."""
        context, topic = self._context, self._context.spec.errors.dead_letter_topic
        while not context.stopping:
            try:
                await write_dead_letters(context.ports.records, topic, dead_letters)
            except ReplicationError as error:
                text = f"rejected records of {copy.upstream} wait for their dead letter topic: {error.text}"
                copy.obstructions.set("target", copy.cause("dead_letter_waits", text, context.ports.loop.now_ms()))
                await context.pause(RETRY_S)
            except Exception as error:
                context.fail(error)
                return
            else:
                copy.barrier.open()
                copy.obstructions.clear("target")
                self._events.filled(copy)
                return

    def _note(self, copy: PartitionCopy, offset: int, reason: str, policy: ErrorsPolicy) -> None:
        context = self._context
        rejected = RejectedRecord(
            topic=copy.upstream.topic,
            partition=copy.upstream.partition,
            offset=offset,
            records=1,
            error=reason,
            policy=policy,
            at_ms=context.ports.loop.now_ms(),
        )
        self._log.note(rejected)
        log.error(
            "record not transformed",
            flow=str(context.spec.flow),
            topic=rejected.topic,
            partition=rejected.partition,
            offset=offset,
            error=reason,
            policy=policy,
        )
