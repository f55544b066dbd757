"""Records in and out of batches, by aiokafka's Cython codec: the record path and our own small records."""

from collections.abc import Iterator, Sequence

from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.memory_records import MemoryRecords

from replication.codecs.record_batch import shift_timestamps
from replication.domain.batches.record import NO_TIMESTAMP, Record

__all__ = ["Record", "build_batch", "build_from", "decode_records", "new_builder"]

UNLIMITED_BYTES = 2**30


def decode_records(data: bytes | bytearray | memoryview) -> Iterator[Record]:
    """Every record of every whole batch; control batches are skipped, aborted data is not."""
    batches = MemoryRecords(bytes(data))
    while batches.has_next():
        batch = batches.next_batch()
        if getattr(batch, "is_control_batch", False):
            continue
        for record in batch:
            timestamp = NO_TIMESTAMP if record.timestamp is None else record.timestamp
            yield Record(record.offset, timestamp, record.key, record.value, record.headers)


def new_builder(
    limit_bytes: int = UNLIMITED_BYTES,
    *,
    codec: int = 0,
    transactional: bool = False,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
) -> DefaultRecordBatchBuilder:
    """An empty batch. `append` answers None once it would grow beyond the limit, but takes any first record."""
    return DefaultRecordBatchBuilder(
        magic=2,
        compression_type=codec,
        is_transactional=int(transactional),
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        batch_size=limit_bytes,
    )


def build_batch(
    records: Sequence[Record],
    *,
    codec: int = 0,
    transactional: bool = False,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
) -> bytearray:
    """One batch with contiguous offsets from 0; sequence numbers are left to the caller's rewrite where not given."""
    builder = new_builder(
        codec=codec,
        transactional=transactional,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
    )
    for number, record in enumerate(records):
        builder.append(
            number,
            timestamp=record.timestamp,
            key=record.key,
            value=record.value,
            headers=[(name, value) for name, value in record.headers],
        )
    built: bytearray = builder.build()
    return built


def build_from(records: Sequence[Record], codec: int = 0) -> bytearray:
    """One batch of decoded records with any timestamps.

    One whose first records have no timestamp would borrow the builder's next one: it is built 1 ms later.
    """
    if records[0].timestamp != NO_TIMESTAMP:
        return build_batch(records, codec=codec)
    data = build_batch([record._replace(timestamp=record.timestamp + 1) for record in records], codec=codec)
    shift_timestamps(data, -1)
    return data
