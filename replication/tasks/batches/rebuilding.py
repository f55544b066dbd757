"""Batches that cannot go out as they are stored: their records are decoded, checked and built into new batches."""

from collections.abc import Callable, Sequence

from replication.codecs.batch_rows import last_header, singly, split
from replication.codecs.record_batch import CorruptBatchError
from replication.domain.batches.batch_decision import BatchHeader, BatchRow, TargetRules
from replication.domain.settings.choices import ErrorsPolicy
from replication.domain.settings.registry.records import MAX_UNPACKED_BYTES
from replication.ports.batches.record_path import FailedTransform, Rebuilt, RecordPath, TooMuchPlainError
from replication.tasks.batches.loop_steps import INSPECTED_BYTES, PLAIN_BYTES, AnswerAbandonedError, LoopSteps
from replication.tasks.partition.entry import entry_of_built
from replication.tasks.partition.partition_copy import PartitionCopy

OFFSETS_KNOWN_MAGIC = 2  # older headers do not say which offsets a set of messages holds
OnRejected = Callable[
    [PartitionCopy, Sequence[FailedTransform], ErrorsPolicy], bool
]  # True where the partition continues without them


class RecordRejectedError(Exception):
    """A record that the flow's transforms cannot handle; its partition stops there."""


class Rebuilding:
    """Rebuilds batches of one answer and one partition."""

    __slots__ = ("_copy", "_now_ms", "_on_rejected", "_path", "_rules", "_view", "most_plain_bytes", "steps")

    def __init__(
        self,
        path: RecordPath,
        rules: TargetRules,
        copy: PartitionCopy,
        view: memoryview,
        now_ms: int,
        on_rejected: OnRejected | None,
        steps: LoopSteps,
        most_plain_bytes: int,
    ) -> None:
        """`most_plain_bytes` may be opened of one batch, beside the loop."""
        self._path = path
        self._rules = rules
        self._copy = copy
        self._view = view
        self._now_ms = now_ms
        self._on_rejected = on_rejected
        self.steps = steps
        self.most_plain_bytes = most_plain_bytes

    async def queue_rebuilt(self, rows: list[BatchRow]) -> list[BatchRow]:
        """Queue the records of the first of these batches, and return those that are left.

        Raises TooMuchPlainError if the first one alone is too large for a step of the loop, CorruptBatchError,
        RecordRejectedError, AnswerAbandonedError.
        """
        await self.steps.free()
        most_bytes = INSPECTED_BYTES if self._rules.every_record else PLAIN_BYTES
        try:
            rebuilt, done, left = self._rebuild(rows, self._copy.cursor.offset, most_bytes)
        except TooMuchPlainError:
            raise
        except Exception as error:  # a codec may raise anything
            alone = [batch for row in rows for batch in singly(self._view, row)]
            if len(alone) == 1:
                raise unreadable(alone[0], error) from error
            return await self._queue_one_by_one(alone)
        self._queue(rebuilt, done)
        await self.steps.note_opened(rebuilt.plain_bytes * PLAIN_BYTES // most_bytes)
        return left

    async def _queue_one_by_one(self, alone: list[BatchRow]) -> list[BatchRow]:
        """Up to the one that is broken, or too large."""
        for number, batch in enumerate(alone):
            try:
                await self.queue_rebuilt([batch])
            except TooMuchPlainError:
                return alone[number:]
        return []

    async def queue_large(self, batch: BatchRow) -> None:
        """Queue the records of one batch that is opened beside the loop. Raises as `queue_rebuilt`."""
        position, most_bytes = self._copy.cursor.offset, self.most_plain_bytes
        try:
            rebuilt, done, _left = await self.steps.aside(lambda: self._rebuild([batch], position, most_bytes))
        except AnswerAbandonedError:
            raise
        except Exception as error:  # a codec may raise anything
            raise unreadable(batch, error) from error
        self._queue(rebuilt, done)

    def _rebuild(
        self, rows: list[BatchRow], position: int, most_bytes: int
    ) -> tuple[Rebuilt, list[BatchRow], list[BatchRow]]:
        """Return what was built, from which batches, and the batches that are left."""
        upstream, view = self._copy.upstream, self._view
        rebuilt = self._path.rebuild(
            upstream, view, rows, position=position, rules=self._rules, most_plain_bytes=most_bytes
        )
        done, left = (rows, list[BatchRow]()) if rebuilt.end == rows[-1].end else split(view, rows, rebuilt.end)
        if min(row.first.magic for row in done) >= OFFSETS_KNOWN_MAGIC:
            _check_offsets(rebuilt, done, last_header(view, done[-1]))
            _check_count(rebuilt, done, position)
        return rebuilt, done, left

    def _queue(self, rebuilt: Rebuilt, rows: Sequence[BatchRow]) -> None:
        copy, last = self._copy, last_header(self._view, rows[-1])
        for built in rebuilt.batches:
            copy.queue.append(entry_of_built(built, last.leader_epoch, self._now_ms))
        if rebuilt.failed:
            continues = self._on_rejected is not None and self._on_rejected(
                copy, rebuilt.failed, self._rules.errors_policy
            )
            if not continues:
                if rebuilt.batches:
                    copy.queue.add_dropped(rebuilt.filtered, rebuilt.looped)
                record, reason = rebuilt.failed[0]
                raise RecordRejectedError(f"the record at offset {record.offset} cannot be copied: {reason}")
        if last.next_offset > copy.cursor.offset:
            copy.queue.skip_to(last.next_offset, last.leader_epoch)
        copy.queue.add_dropped(rebuilt.filtered, rebuilt.looped)


def unreadable(batch: BatchRow, error: Exception) -> CorruptBatchError:
    """Return the error that names the batch."""
    if isinstance(error, CorruptBatchError):
        return error
    remedy = f"; raise {MAX_UNPACKED_BYTES.key}" if isinstance(error, TooMuchPlainError) else ""
    return CorruptBatchError(f"the batch at offset {batch.first.base_offset} cannot be decoded: {error}{remedy}")


def _check_offsets(rebuilt: Rebuilt, rows: Sequence[BatchRow], last: BatchHeader) -> None:
    """Raise where records are at offsets that their batches do not have: the position would skip others, or go back."""
    next_offset = rows[0].first.base_offset
    for built in rebuilt.batches:
        for offset, _index, length in built.runs:
            if offset < next_offset:
                raise CorruptBatchError(f"the record behind offset {next_offset - 1} claims offset {offset}")
            next_offset = offset + length
    if next_offset > last.next_offset:
        raise CorruptBatchError(f"the batch before offset {last.next_offset} holds a record of {next_offset - 1}")


def _check_count(rebuilt: Rebuilt, rows: Sequence[BatchRow], position: int) -> None:
    """Raise when records are missing that neither the position nor a transform excludes."""
    if rebuilt.failed or rows[0].first.base_offset < position:
        return
    expected = sum(row.records for row in rows)
    found = sum(built.records for built in rebuilt.batches) + rebuilt.filtered + rebuilt.looped
    if found != expected:
        raise CorruptBatchError(f"of {expected} records from offset {rows[0].first.base_offset} on {found} were found")
