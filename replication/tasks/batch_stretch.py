"""The batches of one fetch answer on their way into the queue of their partition.

Those that have to be rebuilt wait for their neighbours and are built together; dropped ones in between only move the
position once what stands before them is queued.
"""

from collections.abc import Callable, Sequence

from replication.codecs.record_batch import CorruptBatchError, verify
from replication.domain.batch import CODEC_MASK, BatchAction, BatchHeader, TargetRules
from replication.ports.record_path import Rebuilt, RecordPath, RefusedRecord, SourceBatch
from replication.ports.source_reader import Frame
from replication.tasks import batch_entries
from replication.tasks.partition_copy import PartitionCopy

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
        self._waiting: list[SourceBatch] = []
        self._must_build = False  # one of those that wait cannot go out as it is
        self._end: BatchHeader | None = None  # the last dropped batch behind those that wait

    def add(self, at: int, header: BatchHeader, action: BatchAction) -> None:
        """A batch with records to copy. Raises CorruptBatchError, RecordRefusedError."""
        if action.rebuilds:
            self.add_small((at, header))
            self._must_build |= action is not BatchAction.REBUILD_SMALL
        else:
            self.flush()
            self._send_whole((at, header))

    def add_small(self, batch: SourceBatch) -> None:
        """A batch to be merged with its neighbours, if it has any."""
        self._waiting.append(batch)
        self._end = None

    def skip(self, header: BatchHeader) -> None:
        """A batch without records to copy."""
        if self._waiting:
            self._end = header
        else:
            self._skip_to(header.next_offset, header.leader_epoch)

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

    def _send_whole(self, batch: SourceBatch) -> None:
        """Undecoded, under another codec where the flow wants one."""
        at, header = batch
        verify(self._view, at, header)
        has = header.attributes & CODEC_MASK
        wants = self.rules.codec_for(has)
        if wants == has:
            self._copy.enqueue(batch_entries.passed_on(self._view, batch, self._frame, self._now_ms))
            return
        try:
            data = self._path.recompress(self._view, batch, wants)
        except Exception as error:
            raise _unreadable([batch], error) from error
        if len(data) > self.rules.max_message_bytes:
            self._build([batch])
        else:
            self._copy.enqueue(batch_entries.recompressed(data, header, self._now_ms))

    def _build(self, batches: list[SourceBatch]) -> None:
        copy = self._copy
        try:
            rebuilt = self._path.rebuild(
                copy.upstream, self._view, batches, position=copy.fetch_offset, rules=self.rules
            )
        except Exception as error:  # whatever a codec raises
            if len(batches) == 1:
                raise _unreadable(batches, error) from error
            for batch in batches:  # one by one, up to the one that is broken
                self._build([batch])
        else:
            self._queue(rebuilt, batches[-1][1])

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


def _unreadable(batches: Sequence[SourceBatch], error: Exception) -> CorruptBatchError:
    if isinstance(error, CorruptBatchError):
        return error
    return CorruptBatchError(f"the batch at offset {batches[0][1].base_offset} cannot be decoded: {error}")
