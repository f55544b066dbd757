"""Records in and out of batches, by aiokafka's Cython codec: the record path and our own small records."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.memory_records import MemoryRecords

from replication.domain.batch import CODEC_MASK, BatchHeader
from replication.ports.batch_rebuilder import BuiltBatch

UNLIMITED_BYTES = 2**30


class Record(NamedTuple):
    """One record as stored; timestamps in ms."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]]


def decode_records(data: bytes | bytearray | memoryview) -> Iterator[Record]:
    """Every record of every whole batch; control batches are left out, aborted data is not."""
    batches = MemoryRecords(bytes(data))
    while batches.has_next():
        batch = batches.next_batch()
        if getattr(batch, "is_control_batch", False):
            continue
        for record in batch:
            yield Record(record.offset, record.timestamp, record.key, record.value, record.headers)


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
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=codec,
        is_transactional=int(transactional),
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        batch_size=UNLIMITED_BYTES,
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


def rebuild(data: memoryview, header: BatchHeader, *, position: int, max_bytes: int) -> list[BuiltBatch]:
    """The `BatchRebuilder`; the codec of the source batch is kept."""
    codec = header.attributes & CODEC_MASK if header.magic == 2 else 0
    wanted = [record for record in decode_records(data) if record.offset >= position]
    return list(_split(wanted, codec, max_bytes))


def _split(records: Sequence[Record], codec: int, max_bytes: int) -> Iterable[BuiltBatch]:
    if not records:
        return
    built = build_batch(records, codec=codec)
    if len(built) <= max_bytes or len(records) == 1:
        newest = max(record.timestamp for record in records)
        yield BuiltBatch(built, records[0].offset, records[-1].offset, len(records), newest, _runs(records))
        return
    middle = len(records) // 2
    yield from _split(records[:middle], codec, max_bytes)
    yield from _split(records[middle:], codec, max_bytes)


def _runs(records: Sequence[Record]) -> tuple[tuple[int, int, int], ...]:
    runs: list[tuple[int, int, int]] = []
    for index, record in enumerate(records):
        if runs:
            upstream, first, length = runs[-1]
            if record.offset == upstream + length:
                runs[-1] = (upstream, first, length + 1)
                continue
        runs.append((record.offset, index, 1))
    return tuple(runs)
