"""The batches of one fetch answer on their way into the queue of their partition.

Those that have to be rebuilt wait for their neighbours and are built together; dropped ones in between only move the
position once what stands before them is queued.
"""

from collections.abc import Callable, Sequence

from replication.codecs.batch_rows import last_header, singly
from replication.codecs.record_batch import CorruptBatchError, verify
from replication.domain.batch import CODEC_MASK, BatchAction, BatchHeader, BatchRow, TargetRules
from replication.ports.record_path import Rebuilt, RecordPath, RefusedRecord
from replication.ports.source_reader import Frame
from replication.tasks import batch_entries
from replication.tasks.partition_copy import PartitionCopy

OFFSETS_KNOWN_MAGIC = 2  # older headers do not say which offsets a set of messages holds
OnRefused = Callable[[PartitionCopy, Sequence[RefusedRecord]], bool]  # True where the partition goes on without them


class RecordRefusedError(Exception):
    """A record that the flow's transforms cannot handle; its partition stops there."""


class BatchStretch:
    """One answer, one partition. Whatever raises leaves what stands before it in the queue after `flush`."""

    def __init__(
        self,
        path: RecordPath,
        rules: TargetRules,
        copy: PartitionCopy,
        view: memoryview,
        *,
        frame: Frame | None,
        now_ms: int,
        on_refused: OnRefused | None,
    ) -> None:
        self._path = path
        self.rules = rules
        self._copy = copy
        self._view = view
        self._frame = frame
        self._now_ms = now_ms
        self._on_refused = on_refused
        self._waiting: list[BatchRow] = []
        self._must_build = False  # one of those that wait cannot go out as it is
        self._end: BatchHeader | None = None  # the last dropped batch behind those that wait

    def add(self, row: BatchRow, action: BatchAction) -> None:
        """Batches with records to copy. Raises CorruptBatchError, RecordRefusedError."""
        if action is not BatchAction.PASS and action.rebuilds:
            self._waiting.append(row)
            self._end = None
            self._must_build |= row.batches > 1 or action is not BatchAction.REBUILD_SMALL
        else:
            if self._waiting:
                self.flush()
            self._send_whole(row)

    def skip(self, row: BatchRow) -> None:
        """Batches without records to copy."""
        last = last_header(self._view, row)
        if self._waiting:
            self._end = last
        else:
            self._skip_to(last.next_offset, last.leader_epoch)

    def flush(self) -> None:
        """Queue what waits. Raises CorruptBatchError, RecordRefusedError."""
        waiting, self._waiting = self._waiting, []
        must_build, self._must_build = self._must_build, False
        end, self._end = self._end, None
        if len(waiting) == 1 and not must_build:
            self._send_whole(waiting[0])
        elif waiting:
            self._build(waiting)
        if end is not None:
            self._skip_to(end.next_offset, end.leader_epoch)

    def _skip_to(self, next_offset: int, leader_epoch: int) -> None:
        if next_offset > self._copy.fetch_offset:
            self._copy.skip_to(next_offset, leader_epoch)

    def _send_whole(self, batch: BatchRow) -> None:
        """Undecoded, under another codec where the flow wants one."""
        header = batch.first
        verify(self._view, batch.at, header)
        has = header.attributes & CODEC_MASK
        wants = self.rules.codec_for(has)
        if wants == has:
            self._copy.enqueue(batch_entries.passed_on(self._view, batch, self._frame, self._now_ms))
            return
        try:
            data = self._path.recompress(self._view, batch, wants)
        except Exception as error:
            raise _unreadable(batch, error) from error
        if len(data) > self.rules.max_message_bytes:
            self._build([batch])
        else:
            self._copy.enqueue(batch_entries.recompressed(data, header, self._now_ms))

    def _build(self, rows: list[BatchRow]) -> None:
        copy = self._copy
        try:
            rebuilt = self._path.rebuild(copy.upstream, self._view, rows, position=copy.fetch_offset, rules=self.rules)
            if min(row.first.magic for row in rows) >= OFFSETS_KNOWN_MAGIC:
                _check_offsets(rebuilt, rows, last_header(self._view, rows[-1]))
                _check_count(rebuilt, rows, copy.fetch_offset)
        except Exception as error:  # whatever a codec raises
            alone = [batch for row in rows for batch in singly(self._view, row)]
            if len(alone) == 1:
                raise _unreadable(alone[0], error) from error
            for batch in alone:  # one by one, up to the one that is broken
                self._build([batch])
        else:
            self._queue(rebuilt, last_header(self._view, rows[-1]))

    def _queue(self, rebuilt: Rebuilt, last: BatchHeader) -> None:
        copy = self._copy
        for built in rebuilt.batches:
            copy.enqueue(batch_entries.built(built, last.leader_epoch, self._now_ms))
        copy.filtered_total += rebuilt.filtered
        copy.looped_total += rebuilt.looped
        if rebuilt.refused:
            goes_on = self._on_refused is not None and self._on_refused(copy, rebuilt.refused)
            if not goes_on:
                record, reason = rebuilt.refused[0]
                raise RecordRefusedError(f"the record at offset {record.offset} cannot be copied: {reason}")
        self._skip_to(last.next_offset, last.leader_epoch)


def _check_offsets(rebuilt: Rebuilt, rows: Sequence[BatchRow], last: BatchHeader) -> None:
    """Records at offsets that their batches do not have would move the position over others, or back."""
    next_offset = rows[0].first.base_offset
    for built in rebuilt.batches:
        for offset, _index, length in built.runs:
            if offset < next_offset:
                raise CorruptBatchError(f"the record behind offset {next_offset - 1} claims offset {offset}")
            next_offset = offset + length
    if next_offset > last.next_offset:
        raise CorruptBatchError(f"the batch before offset {last.next_offset} holds a record of {next_offset - 1}")


def _check_count(rebuilt: Rebuilt, rows: Sequence[BatchRow], position: int) -> None:
    """Nothing is left out but what stands before the position, and what transforms say."""
    if rebuilt.refused or rows[0].first.base_offset < position:
        return
    expected = sum(row.records for row in rows)
    found = sum(built.records for built in rebuilt.batches) + rebuilt.filtered + rebuilt.looped
    if found != expected:
        raise CorruptBatchError(f"of {expected} records from offset {rows[0].first.base_offset} on {found} were found")


def _unreadable(batch: BatchRow, error: Exception) -> CorruptBatchError:
    if isinstance(error, CorruptBatchError):
        return error
    return CorruptBatchError(f"the batch at offset {batch.first.base_offset} cannot be decoded: {error}")
