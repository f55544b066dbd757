"""From fetched bytes to queue entries: one decision per batch, the header rewritten in place or the batch rebuilt."""

from replication.codecs.record_batch import CorruptBatchError, batches, is_abort_marker, rewrite, verify
from replication.domain.batch import AbortedTransactions, BatchAction, BatchHeader, decide
from replication.ports.batch_rebuilder import BatchRebuilder, BuiltBatch
from replication.ports.source_reader import FetchedPartition, Frame
from replication.ports.target_writer import ProducerIdentity
from replication.tasks.partition_copy import Entry, PartitionCopy


class BatchIntake:
    """Feeds the queues of one slot as its producer."""

    def __init__(self, rebuild: BatchRebuilder, identity: ProducerIdentity) -> None:
        self._rebuild = rebuild
        self._producer_id, self._producer_epoch = identity

    def take(self, copy: PartitionCopy, fetched: FetchedPartition, frame: Frame | None, now_ms: int) -> None:
        """Queue every whole batch. Raises CorruptBatchError; what stands before the corrupt batch is queued."""
        view = fetched.records
        if view is None or not len(view):
            return
        aborted = AbortedTransactions(fetched.aborted) if fetched.aborted else None
        rules = copy.rules
        for at, header in batches(view):
            dropped = aborted is not None and aborted.covers(header)
            action = decide(header, position=copy.fetch_offset, aborted=dropped, target=rules)
            if action is BatchAction.PASS:
                self._pass_on(copy, view, at, header, frame, now_ms)
            elif action.rebuilds:
                self._build_anew(copy, view, at, header, now_ms)
            else:
                if aborted is not None and header.is_control and is_abort_marker(view, at, header):
                    aborted.abort_marker(header.producer_id)
                if header.next_offset > copy.fetch_offset:
                    copy.skip_to(header.next_offset, header.leader_epoch)

    def _pass_on(
        self, copy: PartitionCopy, view: memoryview, at: int, header: BatchHeader, frame: Frame | None, now_ms: int
    ) -> None:
        verify(view, at, header)
        rewrite(
            view,
            at,
            header,
            producer_id=self._producer_id,
            producer_epoch=self._producer_epoch,
            base_sequence=copy.take_sequences(header.records),
        )
        entry = Entry(header.base_offset, header.next_offset, header.leader_epoch)
        if frame is not None:
            frame.retain()
            entry.frame = frame
        entry.data = view[at : at + header.size_bytes]
        entry.records = header.records
        entry.size_bytes = header.size_bytes
        entry.max_timestamp = header.max_timestamp
        entry.age_ms = now_ms - header.max_timestamp
        entry.runs = ((header.base_offset, 0, header.records),)
        copy.enqueue(entry)

    def _build_anew(self, copy: PartitionCopy, view: memoryview, at: int, header: BatchHeader, now_ms: int) -> None:
        data = view[at : at + header.size_bytes]
        if header.magic == 2:
            verify(view, at, header)
        max_bytes = copy.rules.max_message_bytes
        try:
            built = self._rebuild(data, header, position=copy.fetch_offset, max_bytes=max_bytes)
        except Exception as error:
            # whatever a codec raises: the records of this batch cannot be read
            raise CorruptBatchError(f"the batch at offset {header.base_offset} cannot be decoded: {error}") from error
        for batch in built:
            self._enqueue_built(copy, batch, header.leader_epoch, now_ms)
        next_offset = max(header.next_offset, built[-1].last_offset + 1 if built else 0)
        if next_offset > copy.fetch_offset:
            copy.skip_to(next_offset, header.leader_epoch)

    def _enqueue_built(self, copy: PartitionCopy, batch: BuiltBatch, leader_epoch: int, now_ms: int) -> None:
        view = memoryview(batch.data)
        (_, header), *_rest = batches(view)
        rewrite(
            view,
            0,
            header,
            producer_id=self._producer_id,
            producer_epoch=self._producer_epoch,
            base_sequence=copy.take_sequences(batch.records),
        )
        entry = Entry(batch.first_offset, batch.last_offset + 1, leader_epoch)
        entry.data = view
        entry.records = batch.records
        entry.size_bytes = len(view)
        entry.max_timestamp = batch.max_timestamp
        entry.age_ms = now_ms - batch.max_timestamp
        entry.runs = batch.runs
        copy.enqueue(entry)


__all__ = ["BatchIntake", "CorruptBatchError"]
