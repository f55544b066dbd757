"""Batches that cannot go out as they are stored: their records are decoded, checked and built into new batches."""

from collections.abc import Callable, Sequence

from replication.codecs.batch_rows import last_header, singly
from replication.codecs.record_batch import CorruptBatchError
from replication.domain.batches.batch_decision import BatchHeader, BatchRow, TargetRules
from replication.ports.batches.record_path import FailedTransform, Rebuilt, RecordPath
from replication.tasks.partition.entry import entry_of_built
from replication.tasks.partition.partition_copy import PartitionCopy

OFFSETS_KNOWN_MAGIC = 2  # older headers do not say which offsets a set of messages holds
OnRejected = Callable[
    [PartitionCopy, Sequence[FailedTransform]], bool
]  # True where the partition continues without them


class RecordRejectedError(Exception):
    """A record that the flow's transforms cannot handle; its partition stops there."""


class Rebuilding:
    """Rebuilds batches of one answer and one partition."""

    __slots__ = ("_copy", "_now_ms", "_on_rejected", "_path", "_rules", "_view")

    def __init__(
        self,
        path: RecordPath,
        rules: TargetRules,
        copy: PartitionCopy,
        view: memoryview,
        now_ms: int,
        on_rejected: OnRejected | None,
    ) -> None:
        self._path = path
        self._rules = rules
        self._copy = copy
        self._view = view
        self._now_ms = now_ms
        self._on_rejected = on_rejected

    def queue_rebuilt(self, rows: list[BatchRow]) -> None:
        """Queue the records of these batches. Raises CorruptBatchError, RecordRejectedError."""
        copy, view = self._copy, self._view
        position = copy.cursor.offset
        try:
            rebuilt = self._path.rebuild(copy.upstream, view, rows, position=position, rules=self._rules)
            if min(row.first.magic for row in rows) >= OFFSETS_KNOWN_MAGIC:
                _check_offsets(rebuilt, rows, last_header(view, rows[-1]))
                _check_count(rebuilt, rows, position)
        except Exception as error:  # a codec may raise anything
            alone = [batch for row in rows for batch in singly(view, row)]
            if len(alone) == 1:
                raise unreadable(alone[0], error) from error
            for batch in alone:  # one by one, up to the one that is broken
                self.queue_rebuilt([batch])
        else:
            self._queue(rebuilt, last_header(view, rows[-1]))

    def _queue(self, rebuilt: Rebuilt, last: BatchHeader) -> None:
        copy = self._copy
        for built in rebuilt.batches:
            copy.queue.append(entry_of_built(built, last.leader_epoch, self._now_ms))
        if rebuilt.failed:
            continues = self._on_rejected is not None and self._on_rejected(copy, rebuilt.failed)
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
    return CorruptBatchError(f"the batch at offset {batch.first.base_offset} cannot be decoded: {error}")


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
