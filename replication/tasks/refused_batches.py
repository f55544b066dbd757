"""Batches the target refuses for what is in them: halved until the one bad record is found, then as the flow says.

Kafka refuses a batch as a whole. Halving costs a few small batches per bad record, and everything else arrives. The
policies are Kafka Connect's `errors.*` settings in our words; dead letters carry the headers Connect gives them.
"""

from collections.abc import Callable

import structlog

from replication.domain.error_handling import ErrorsPolicy
from replication.domain.errors import Cause, ReplicationError
from replication.domain.kafka_error import error_name
from replication.domain.produce_verdict import SUSPECT_CODES
from replication.domain.refused_record import RefusedRecord
from replication.ports.target_writer import ProduceResult
from replication.tasks.dead_letters import dead_letter, write_letters
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

DEAD_LETTER_RETRY_S = 2.0
_TOO_LARGE = frozenset({10, 18})


class RefusedBatches:
    """Takes over a partition whose head of the line was refused, and hands it back when it may go on."""

    def __init__(
        self,
        context: SlotContext,
        go_on: Callable[[PartitionCopy], None],
        stopped: Callable[[PartitionCopy], None],
        lost_transaction: Callable[[str], None],
    ) -> None:
        """`go_on` is called when the partition may send again, `stopped` when it ends here.

        `lost_transaction` is called when what it leaves behind may stand in the open transaction.
        """
        self._context = context
        self._go_on = go_on
        self._stopped = stopped
        self._lost_transaction = lost_transaction

    def take(self, copy: PartitionCopy, entry: Entry, answer: ProduceResult) -> None:
        """Nothing of the partition is in flight; `entry` is the first batch that waits."""
        if entry not in copy.queue:
            return
        reason = error_name(answer.error_code) + (f" ({answer.message})" if answer.message else "")
        if entry.in_doubt or entry.data is None:
            self._stop(copy, entry, reason, "batch_refused")
        elif entry.records > 1:
            self._halve(copy, entry, reason)
            if answer.error_code not in SUSPECT_CODES:  # those were suspected for long enough
                copy.failed_since_s = 0.0
        else:
            self._apply_policy(copy, entry, reason, answer.error_code)

    def _halve(self, copy: PartitionCopy, entry: Entry, reason: str) -> None:
        assert entry.data is not None  # noqa: S101 - the caller saw it
        try:
            halves = self._context.ports.opener.halve(entry.data)
        except Exception as error:  # whatever a codec raises
            self._stop(copy, entry, f"{reason}; the batch cannot be decoded: {error}", "batch_refused")
            return
        middle = entry.upstream_of(halves[0].records)
        parts = (
            entry.part(entry.first, middle, slice(0, halves[0].records)),
            entry.part(middle, entry.next, slice(halves[0].records, entry.records)),
        )
        for part, half in zip(parts, halves, strict=True):
            part.data = memoryview(half.data)
            part.size_bytes, part.max_timestamp = len(half.data), half.max_timestamp
        copy.replace(entry, parts)
        copy.attempts = 0
        self._go_on(copy)

    def _apply_policy(self, copy: PartitionCopy, entry: Entry, reason: str, code: int) -> None:
        policy = self._context.spec.errors.policy
        if policy == "stop_partition":
            self._stop(copy, entry, reason, "record_too_large" if code in _TOO_LARGE else "batch_refused")
        elif policy == "skip":
            self._leave_out(copy, entry, reason)
        else:
            copy.in_repair = True
            self._context.loop.spawn(self._bury(copy, entry, reason))

    def _stop(self, copy: PartitionCopy, entry: Entry, reason: str, code: str) -> None:
        what = "record" if entry.records == 1 else "batch"
        text = (
            f"the target refuses the {what} of {copy.upstream} at offset {entry.first}: {reason}; "
            "correct the remote topic, or set srm.errors.policy to skip or dead_letter"
        )
        self._note(copy, entry, reason, "stop_partition")
        if entry.in_doubt or copy.is_in_doubt:
            self._lost_transaction(f"{copy.remote} ends with a batch in doubt: {reason}")
        copy.stop_for("failed", self._cause(code, text, copy))
        copy.give_up()
        self._stopped(copy)

    def _leave_out(self, copy: PartitionCopy, entry: Entry, reason: str) -> None:
        self._note(copy, entry, reason, self._context.spec.errors.policy)
        copy.replace(entry, (Entry(entry.first, entry.next, entry.leader_epoch),))
        copy.attempts, copy.failed_since_s = 0, 0.0
        self._go_on(copy)

    async def _bury(self, copy: PartitionCopy, entry: Entry, reason: str) -> None:
        """Write the record to the dead letter topic; the partition waits until it stands there."""
        context = self._context
        topic = context.spec.errors.dead_letter_topic
        try:
            record = context.ports.opener.only_record(entry.data or memoryview(b""))
            letter = dead_letter(record, copy.upstream, entry.first, reason)
            while entry in copy.queue and not context.stopping:
                try:
                    await write_letters(context.ports.records, topic, [letter])
                    break
                except ReplicationError as error:
                    text = f"a refused record of {copy.upstream} waits for its dead letter topic: {error.text}"
                    copy.target_waits = self._cause("dead_letter_waits", text, copy)
                    await context.pause(DEAD_LETTER_RETRY_S)
            copy.in_repair = False
            if entry in copy.queue and not context.stopping:
                copy.target_waits = None
                self._leave_out(copy, entry, reason)
            else:
                self._go_on(copy)  # its transaction was aborted: the record is on its way once more
        except Exception as error:
            context.fail(error)

    def _note(self, copy: PartitionCopy, entry: Entry, reason: str, policy: ErrorsPolicy) -> None:
        refused = RefusedRecord(
            topic=copy.upstream.topic,
            partition=copy.upstream.partition,
            offset=entry.first,
            records=entry.records,
            error=reason,
            policy=policy,
            at_ms=self._context.loop.now_ms(),
        )
        self._context.note_refused(refused)
        log.error(
            "record refused",
            flow=str(self._context.spec.flow),
            topic=refused.topic,
            partition=refused.partition,
            offset=refused.offset,
            error=reason,
            policy=policy,
        )

    def _cause(self, code: str, text: str, copy: PartitionCopy) -> Cause:
        upstream, now_ms = copy.upstream, self._context.loop.now_ms()
        return Cause(code=code, text=text, topic=upstream.topic, partition=upstream.partition, since_ms=now_ms)
