"""Record batch v2 headers: read them from fetched bytes and rewrite them for another cluster, payload untouched."""

import struct
from collections.abc import Iterator

from crc32c import crc32c

from replication.domain.batches.batch_decision import (
    CODEC_MASK,
    HEADER_BYTES,
    LENGTH_OVERHEAD_BYTES,
    TRANSACTIONAL_BIT,
    BatchHeader,
)

_HEADER = struct.Struct(">qiibIhiqqqhii")
_PREFIX = struct.Struct(">qi")
_EPOCH_MAGIC = struct.Struct(">ib")
_CRC = struct.Struct(">I")
_PRODUCER = struct.Struct(">qhi")
_TIMESTAMPS = struct.Struct(">qq")  # of the first record and the latest
_TIMESTAMPS_AT = 27
_CRC_FROM = 21
_MAGIC_AT = 16
_SHORTEST_LENGTH = HEADER_BYTES - LENGTH_OVERHEAD_BYTES
_SMALLEST_BYTES = LENGTH_OVERHEAD_BYTES + 5  # up to the magic byte
_CONTROL_TYPE = struct.Struct(">hh")
ABORT_MARKER = 0
_new_tuple = tuple.__new__  # what `_make` does, without a Python call


class CorruptBatchError(Exception):
    """A fetched batch does not match its checksum; it must not get a new checksum as if it were good."""


def read_header(view: memoryview, at: int) -> BatchHeader:
    """Return the header at `at`; the caller guarantees 61 bytes."""
    return _new_tuple(BatchHeader, _HEADER.unpack_from(view, at))


def header_at(view: memoryview, at: int) -> BatchHeader | None:
    """The header of the whole batch at `at`; None where there is none, or the answer cut it off.

    A batch of an old message format (magic < 2) has another layout after the length: its header carries only base
    offset, length and magic, the rest reads as unknown. Raises CorruptBatchError for an invalid length.
    """
    left = len(view) - at
    if left >= HEADER_BYTES and view[at + _MAGIC_AT] == 2:
        header = read_header(view, at)
        length = header.length
        if length >= _SHORTEST_LENGTH:
            return header if length + LENGTH_OVERHEAD_BYTES <= left else None
    elif left < _SMALLEST_BYTES:
        return None
    base_offset, length = _PREFIX.unpack_from(view, at)
    magic = view[at + _MAGIC_AT]
    if length <= 0 or (magic == 2 and length < _SHORTEST_LENGTH):
        raise CorruptBatchError(f"the batch at offset {base_offset} claims a length of {length} bytes")
    if length + LENGTH_OVERHEAD_BYTES > left:
        return None
    return BatchHeader(base_offset, length, -1, magic, 0, 0, 0, -1, -1, -1, -1, -1, -1)


def batches(view: memoryview, start: int = 0) -> Iterator[tuple[int, BatchHeader]]:
    """Every whole batch from `start` on as (position in the view, header), up to one that is cut off."""
    at = start
    while (header := header_at(view, at)) is not None:
        yield at, header
        at += header.length + LENGTH_OVERHEAD_BYTES


def is_abort_marker(view: memoryview, at: int, header: BatchHeader) -> bool:
    """True when this control batch says that a transaction was aborted (key: version int16, type int16).

    The cleaner keeps a producer's last marker as a batch without records, which says nothing any more.
    """
    if header.records <= 0:
        return False
    position = at + HEADER_BYTES
    for _ in range(4):  # record length, attributes, timestamp delta, offset delta: varints of the one record
        while view[position] & 0x80:
            position += 1
        position += 1
    position = _skip_varint(view, position)  # key length
    _version, kind = _CONTROL_TYPE.unpack_from(view, position)
    return bool(header.is_control and kind == ABORT_MARKER)


def _skip_varint(view: memoryview, position: int) -> int:
    while view[position] & 0x80:
        position += 1
    return position + 1


def verify(view: memoryview, at: int, header: BatchHeader) -> None:
    """Raise CorruptBatchError unless the stored checksum fits the bytes."""
    if crc32c(view[at + _CRC_FROM : at + header.length + LENGTH_OVERHEAD_BYTES]) != header.crc:
        raise CorruptBatchError(f"checksum of the batch at offset {header.base_offset} does not fit its bytes")


def rewrite(
    view: memoryview,
    at: int,
    *,
    producer_id: int,
    producer_epoch: int,
    base_sequence: int,
    transactional: bool = False,
) -> None:
    """Make the batch one of our producer's, in place: base offset 0, no leader epoch, only the codec bits kept."""
    _base_offset, length = _PREFIX.unpack_from(view, at)
    _PREFIX.pack_into(view, at, 0, length)
    _EPOCH_MAGIC.pack_into(view, at + 12, -1, 2)
    attributes = view[at + 22] & CODEC_MASK
    view[at + 21] = 0
    view[at + 22] = attributes | TRANSACTIONAL_BIT if transactional else attributes
    _PRODUCER.pack_into(view, at + 43, producer_id, producer_epoch, base_sequence)
    end = at + length + LENGTH_OVERHEAD_BYTES
    _CRC.pack_into(view, at + 17, crc32c(view[at + _CRC_FROM : end]))


def shift_timestamps(batch: bytearray, by_ms: int) -> None:
    """Move every record of one batch in time, in place; records hold their distance to the first one only."""
    first, latest = _TIMESTAMPS.unpack_from(batch, _TIMESTAMPS_AT)
    _TIMESTAMPS.pack_into(batch, _TIMESTAMPS_AT, first + by_ms, latest + by_ms)
    sign(batch)


def sign(batch: bytearray) -> None:
    """Make the checksum of one batch fit its bytes, in place."""
    _CRC.pack_into(batch, 17, crc32c(memoryview(batch)[_CRC_FROM:]))
