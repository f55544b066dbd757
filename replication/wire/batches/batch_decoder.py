"""Rows of batches decoded by aiokafka's Cython codec, each batch checked before."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from aiokafka.record.memory_records import MemoryRecords

from replication.codecs.batch_rows import rows_within, singly
from replication.codecs.record_batch import CorruptBatchError, batches, verify
from replication.domain.batches.batch_decision import CODEC_MASK, BatchRow
from replication.domain.batches.compression import NONE
from replication.ports.batches.record_path import TooMuchPlainError
from replication.wire.batches.old_sets import plain_bytes
from replication.wire.batches.plain_batches import unpacked

OWN_CHECKSUM_BYTES = 2_048  # from that size on our checksum is quicker than the decoder's


class DecodedRows:
    """The records of rows of batches, decoded while they are iterated.

    `end` is then the place behind the last batch. It is before the first batch with which all would take more than
    `most_bytes`; if that is the first one, TooMuchPlainError is raised.
    """

    def __init__(self, view: memoryview, rows: Sequence[BatchRow], most_bytes: int) -> None:
        self._view = view
        self.rows = rows
        self._most_bytes = most_bytes
        self.plain_bytes = 0
        self.end = rows[0].at

    def records(self) -> Iterator[Any]:
        """Raises CorruptBatchError, and the errors of the codec for bytes it cannot unpack."""
        return chain.from_iterable(self._batches())

    def _batches(self) -> Iterator[Any]:
        """The decoder's batches, each checked."""
        for is_packed, neighbours in _neighbours(self.rows):
            if is_packed:
                yield from self._unpacked(neighbours)
            else:
                taken = self._take(neighbours)
                if not taken:
                    return
                yield from _as_they_are(self._view, taken)
                self.end = taken[-1].end
            if self.plain_bytes >= self._most_bytes or self.end < neighbours[-1].end:
                return

    def _take(self, neighbours: Sequence[BatchRow]) -> Sequence[BatchRow]:
        """Take what may be opened of contiguous rows whose bytes are plain, or of an old format."""
        if neighbours[0].first.magic >= 2:
            taken = rows_within(self._view, neighbours, self._most_bytes - self.plain_bytes)
            self.plain_bytes += taken[-1].end - taken[0].at
            return taken
        for number, row in enumerate(neighbours):
            try:
                self.plain_bytes += plain_bytes(self._view, row, max(0, self._most_bytes - self.plain_bytes))
            except TooMuchPlainError:
                if row.at == self.rows[0].at:
                    raise
                return neighbours[:number]
            if self.plain_bytes >= self._most_bytes:
                return neighbours[: number + 1]
        return neighbours

    def _unpacked(self, rows: Sequence[BatchRow]) -> Iterator[Any]:
        """Decode contiguous packed batches."""
        begin = rows[0].at
        try:
            plain, unpacked_bytes = unpacked(
                bytes(self._view[begin : rows[-1].end]), self._most_bytes - self.plain_bytes
            )
        except TooMuchPlainError:
            if begin == self.rows[0].at:
                raise
            return
        self.plain_bytes += len(plain)
        decoder = MemoryRecords(bytes(plain))
        while decoder.has_next():
            yield decoder.next_batch()
        self.end = begin + unpacked_bytes


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


def _neighbours(rows: Sequence[BatchRow]) -> Iterator[tuple[bool, Sequence[BatchRow]]]:
    """Yield (packed, contiguous rows that are all packed, or all plain)."""
    first = 0
    for number, row in enumerate(rows):
        if number > first and (row.at != rows[number - 1].end or _kind(row) != _kind(rows[first])):
            yield _is_packed(rows[first]), rows[first:number]
            first = number
    yield _is_packed(rows[first]), rows[first:]


def _kind(row: BatchRow) -> tuple[bool, bool]:
    return _is_packed(row), row.first.magic < 2


def _is_packed(row: BatchRow) -> bool:
    return row.first.magic >= 2 and row.first.attributes & CODEC_MASK != NONE
