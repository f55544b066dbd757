"""Queue entries out of batches: one passed on from where it lies, or one built anew."""

from replication.domain.batch import BatchHeader, BatchRow
from replication.ports.record_path import BuiltBatch
from replication.ports.source_reader import Frame
from replication.tasks.entry import Entry


def passed_on(view: memoryview, batch: BatchRow, frame: Frame | None, now_ms: int) -> Entry:
    """The batch goes out from the frame it came in, which is kept until it is acknowledged."""
    header = batch.first
    entry = _of_whole(header, now_ms)
    if frame is not None:
        frame.retain()
        entry.frame = frame
    entry.data = view[batch.at : batch.end]
    entry.size_bytes = entry.source_bytes = header.size_bytes
    return entry


def recompressed(data: bytearray, header: BatchHeader, now_ms: int) -> Entry:
    """The same records under another codec."""
    entry = _of_whole(header, now_ms)
    entry.data = memoryview(data)
    entry.size_bytes = len(data)
    entry.source_bytes = header.size_bytes
    return entry


def built(batch: BuiltBatch, leader_epoch: int, now_ms: int) -> Entry:
    """A batch of the record path."""
    entry = Entry(batch.first_offset, batch.last_offset + 1, leader_epoch)
    entry.data = memoryview(batch.data)
    entry.records = batch.records
    entry.size_bytes = len(batch.data)
    entry.source_bytes = batch.source_bytes
    entry.max_timestamp = batch.max_timestamp
    entry.age_ms = now_ms - batch.max_timestamp
    entry.runs = batch.runs
    return entry


def _of_whole(header: BatchHeader, now_ms: int) -> Entry:
    entry = Entry(header.base_offset, header.next_offset, header.leader_epoch)
    entry.records = header.records
    entry.max_timestamp = header.max_timestamp
    entry.age_ms = now_ms - header.max_timestamp
    entry.runs = ((header.base_offset, 0, header.records),)
    return entry
