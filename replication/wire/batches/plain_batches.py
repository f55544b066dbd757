"""Rows of packed batches made plain in one go, for a decoder that would spend far more on each, without bounds.

The decoder of LZ4 frames sets up 256 KB for every frame. One of a single block, as batches below 64 KB are, needs none.
Layout: LZ4 Frame Format 1.6.1, KIP-57. LZ4's own checksums are not read: the batch's covers the same bytes.
"""

import struct

import cramjam
from crc32c import crc32c

from replication.codecs.record_batch import CorruptBatchError
from replication.domain.batches.batch_decision import CODEC_MASK, HEADER_BYTES, LENGTH_OVERHEAD_BYTES
from replication.domain.batches.compression import LZ4
from replication.ports.batches.record_path import TooMuchPlainError
from replication.wire.batches.decompression import unpack

_BATCH = struct.Struct(">qi5xI")  # base offset, length, checksum
_LENGTH = struct.Struct(">i")
_LENGTH_AT, _CRC_FROM, _CODEC_AT = 8, 21, 22
_FRAME = struct.Struct("<4sBxxI")  # magic, flags, block descriptor and header checksum, length of the first block
_MAGIC = b"\x04\x22\x4d\x18"
_ONLY_BLOCKS = 0x60  # the flags of version 1, independent blocks, and nothing else
_BLOCK_CHECKSUM = 0x10
_CHECKSUM_BYTES = 4
_END_MARK_BYTES = 4
_LARGEST_BLOCK_BYTES = 64 * 1024


def unpacked(batches: bytes, most_bytes: int) -> tuple[bytearray, int]:
    """Return the same batches with plain records, and where the last of them ends; they are contiguous and packed.

    Stops before the batch that would take more than `most_bytes`. Their checksums were right and fit no more. Raises
    CorruptBatchError for one that was not, TooMuchPlainError for the first batch, and what `unpack` raises.
    """
    view, plain = memoryview(batches), bytearray()
    scratch = bytearray(_LARGEST_BLOCK_BYTES)
    unpacked_records = memoryview(scratch)
    at, end = 0, len(batches)
    while at < end and len(plain) < most_bytes:
        base_offset, length, checksum = _BATCH.unpack_from(batches, at)
        after = at + length + LENGTH_OVERHEAD_BYTES
        if crc32c(view[at + _CRC_FROM : after]) != checksum:
            raise CorruptBatchError(f"checksum of the batch at offset {base_offset} does not fit its bytes")
        start = len(plain)
        plain += view[at : at + HEADER_BYTES]
        codec = batches[at + _CODEC_AT] & CODEC_MASK
        block = _only_block(batches, at + HEADER_BYTES, after) if codec == LZ4 else None
        size = -1 if block is None else _unpack(block, scratch)
        try:
            plain += (
                unpacked_records[:size]
                if size >= 0
                else unpack(view[at + HEADER_BYTES : after], codec, max(0, most_bytes - len(plain)))
            )
        except TooMuchPlainError:
            if at == 0:
                raise
            return plain[:start], at
        _LENGTH.pack_into(plain, start + _LENGTH_AT, len(plain) - start - LENGTH_OVERHEAD_BYTES)
        plain[start + _CODEC_AT] &= ~CODEC_MASK
        at = after
    return plain, at


def _only_block(data: bytes, at: int, end: int) -> bytes | None:
    """Return the block of a frame that has just one, None for any other frame."""
    first = at + _FRAME.size
    if end <= first:
        return None
    magic, flags, length = _FRAME.unpack_from(data, at)
    checksum_bytes = _CHECKSUM_BYTES if flags & _BLOCK_CHECKSUM else 0
    is_only = first + length + checksum_bytes + _END_MARK_BYTES == end  # one stored as it is has a far higher length
    return (
        data[first : first + length]
        if is_only and magic == _MAGIC and flags & ~_BLOCK_CHECKSUM == _ONLY_BLOCKS
        else None
    )


def _unpack(block: bytes, into: bytearray) -> int:
    """Return the number of unpacked bytes, -1 when the block is broken or larger than allowed."""
    try:
        size: int = cramjam.lz4.decompress_block_into(block, into, output_len=len(into))
    except cramjam.DecompressionError:
        return -1
    return size
