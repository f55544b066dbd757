"""Records that the flow's transforms cannot handle, dealt with as the flow's errors policy says.

A dead letter is written before anything behind its record may be sent or counted as done.
"""

from collections.abc import Callable, Sequence

import structlog

from replication.domain.errors import Cause, ReplicationError
from replication.domain.record import Record
from replication.domain.refused_record import RefusedRecord
from replication.domain.transforms.catalogue import hides
from replication.ports import record_path
from replication.ports.target_writer import OutgoingRecord
from replication.tasks.dead_letters import CONTENT_LEFT_OUT, dead_letter, write_letters
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

RETRY_S = 2.0


class RefusedRecords:
    """Told by the intake; `go_on` is called when a partition may send again."""

    def __init__(self, context: SlotContext, go_on: Callable[[PartitionCopy], None]) -> None:
        self._context = context
        self._go_on = go_on

    def take(self, copy: PartitionCopy, refused: Sequence[record_path.RefusedRecord]) -> bool:
        """Note them; True where the partition goes on without them."""
        policy = self._context.spec.errors.policy
        for record, reason in refused:
            self._note(copy, record.offset, reason)
        if policy == "dead_letter":
            letters = [
                dead_letter(self._content(record), copy.upstream, record.offset, reason) for record, reason in refused
            ]
            copy.letters_on_their_way += 1
            self._context.loop.spawn(self._write(copy, letters))
        return policy != "stop_partition"

    def _content(self, record: Record) -> OutgoingRecord:
        """The record as it was; nothing of it where a transform may be there to keep some of it from the target."""
        spec = self._context.spec
        if not spec.errors.unmasked_letters and any(hides(transform.type) for transform in spec.records.transforms):
            return OutgoingRecord(None, None, [CONTENT_LEFT_OUT])
        return OutgoingRecord(
            record.key, record.value, [(n, value) for n, value in record.headers if value is not None]
        )

    async def _write(self, copy: PartitionCopy, letters: Sequence[OutgoingRecord]) -> None:
        """Again and again while the topic does not take them; nothing behind them moves meanwhile."""
        context, topic = self._context, self._context.spec.errors.dead_letter_topic
        while not context.stopping:
            try:
                await write_letters(context.ports.records, topic, letters)
            except ReplicationError as error:
                text = f"refused records of {copy.upstream} wait for their dead letter topic: {error.text}"
                copy.target_waits = self._cause("dead_letter_waits", text, copy)
                await context.pause(RETRY_S)
            except Exception as error:
                context.fail(error)
                return
            else:
                copy.letters_on_their_way -= 1
                copy.target_waits = None
                self._go_on(copy)
                return

    def _note(self, copy: PartitionCopy, offset: int, reason: str) -> None:
        context, policy = self._context, self._context.spec.errors.policy
        refused = RefusedRecord(
            topic=copy.upstream.topic,
            partition=copy.upstream.partition,
            offset=offset,
            records=1,
            error=reason,
            policy=policy,
            at_ms=context.loop.now_ms(),
        )
        context.note_refused(refused)
        log.error(
            "record not transformed",
            flow=str(context.spec.flow),
            topic=refused.topic,
            partition=refused.partition,
            offset=offset,
            error=reason,
            policy=policy,
        )

    def _cause(self, code: str, text: str, copy: PartitionCopy) -> Cause:
        upstream, now_ms = copy.upstream, self._context.loop.now_ms()
        return Cause(code=code, text=text, topic=upstream.topic, partition=upstream.partition, since_ms=now_ms)
