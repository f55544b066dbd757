"""Rows of batches decoded by aiokafka's Cython codec, each batch checked before."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from aiokafka.record.memory_records import MemoryRecords

from replication.codecs.batch_rows import singly
from replication.codecs.record_batch import CorruptBatchError, batches, verify
from replication.domain.batches.batch_decision import CODEC_MASK, BatchRow
from replication.domain.batches.compression import NONE
from replication.wire.batches.plain_batches import unpacked

OWN_CHECKSUM_BYTES = 2_048  # from that size on our checksum is quicker than the decoder's


def decoded(view: memoryview, rows: Sequence[BatchRow]) -> Iterator[Any]:
    """The records of all batches, as the decoder has them.

    Raises CorruptBatchError, and the errors of the codec for bytes it cannot unpack.
    """
    return chain.from_iterable(_decoded(view, rows))


def _decoded(view: memoryview, rows: Sequence[BatchRow]) -> Iterator[Any]:
    """The decoder's batches, each checked."""
    for is_packed, neighbours in _neighbours(rows):
        if is_packed:
            yield from _unpacked(view[neighbours[0].at : neighbours[-1].end])
        else:
            yield from _as_they_are(view, neighbours)


def _as_they_are(view: memoryview, neighbours: Sequence[BatchRow]) -> Iterator[Any]:
    """Decode contiguous batches in one pass."""
    decoder = MemoryRecords(bytes(view[neighbours[0].at : neighbours[-1].end]))
    for row in neighbours:
        if row.first.magic >= 2 and row.end - row.at >= OWN_CHECKSUM_BYTES * row.batches:
            for at, header in batches(view[: row.end], row.at):
                verify(view, at, header)
            for _ in range(row.batches):
                yield decoder.next_batch()
            continue
        for number in range(row.batches):
            batch = decoder.next_batch()
            if not batch.validate_crc():
                header = singly(view, row)[number].first
                raise CorruptBatchError(f"checksum of the batch at offset {header.base_offset} does not fit its bytes")
            yield batch


def _unpacked(view: memoryview) -> Iterator[Any]:
    """Decode contiguous packed batches."""
    decoder = MemoryRecords(bytes(unpacked(bytes(view))))
    while decoder.has_next():
        yield decoder.next_batch()


def _neighbours(rows: Sequence[BatchRow]) -> Iterator[tuple[bool, Sequence[BatchRow]]]:
    """Yield (packed, contiguous rows that are all packed, or all plain)."""
    first = 0
    for number, row in enumerate(rows):
        if number > first and (row.at != rows[number - 1].end or _is_packed(row) != _is_packed(rows[first])):
            yield _is_packed(rows[first]), rows[first:number]
            first = number
    yield _is_packed(rows[first]), rows[first:]


def _is_packed(row: BatchRow) -> bool:
    return row.first.magic >= 2 and row.first.attributes & CODEC_MASK != NONE
