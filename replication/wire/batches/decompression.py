"""Unpacking the records of a batch, by the codecs Kafka knows, never into more memory than the caller allows.

A batch of a kilobyte can claim to hold gigabytes, and whoever may write to the source may write such a batch.
"""

import struct
import threading
import zlib
from collections.abc import Callable

import cramjam
import zstandard

from replication.domain.batches.compression import GZIP, LZ4, NONE, SNAPPY, ZSTD
from replication.ports.batches.record_path import MOST_PLAIN_BYTES, TooMuchPlainError

XERIAL_MAGIC = b"\x82SNAPPY\x00"
XERIAL_HEADER_BYTES = 16
_GZIP_FORMAT = 31  # what zlib calls it
_ZSTD_LARGEST_CHUNK_BYTES, _ZSTD_SMALLEST_CHUNK_BYTES = 4 * 1024, 64
_ZSTD_CHUNK_MOST_RATIO = 128 * 1024 // 4  # a block of four bytes holds 128 KB at most
_ZSTD_USUAL_RATIO, _ZSTD_SMALL_PLAIN_BYTES = 16, 64 * 1024
_SNAPPY_MOST_RATIO = 64  # the format knows no more than 32
_LZ4_MOST_RATIO = 255
_LZ4_SIZE_BIT, _LZ4_DICTIONARY_BIT, _LZ4_BLOCK_CHECKSUM_BIT = 0x08, 0x01, 0x10
_LZ4_STORED = 1 << 31
_BIG_LENGTH, _LITTLE_LENGTH = struct.Struct(">I"), struct.Struct("<I")

Payload = bytes | bytearray | memoryview


def unpack(payload: Payload, codec: int, most_bytes: int = MOST_PLAIN_BYTES) -> bytes:
    """The records of a batch plain.

    Raises ValueError for an unknown codec, TooMuchPlainError, and the errors of the codec for bad bytes.
    """
    if codec not in _UNPACK:
        raise ValueError(f"unknown compression codec {codec}")
    return _UNPACK[codec](payload, most_bytes)


def _plain(payload: Payload, most_bytes: int) -> bytes:
    return bytes(payload)


def _unpack_gzip(payload: Payload, most_bytes: int) -> bytes:
    """Any number of members, and zeros behind them."""
    members: list[bytes] = []
    left, rest = most_bytes, bytes(payload)
    while rest:
        member = zlib.decompressobj(wbits=_GZIP_FORMAT)
        members.append(member.decompress(rest, left + 1))
        left -= len(members[-1])
        if left < 0:
            raise TooMuchPlainError(most_bytes)
        if not member.eof:
            raise ValueError("its gzip data is cut off")
        rest = member.unused_data.lstrip(b"\0")
    return b"".join(members)


def _unpack_snappy(payload: Payload, most_bytes: int) -> bytes:
    """As it is, or in the framing of the xerial library, which Java clients write."""
    view = memoryview(payload)
    if view[: len(XERIAL_MAGIC)] != XERIAL_MAGIC:
        return _unpack_block(view, most_bytes, 0)
    plain, at = bytearray(), XERIAL_HEADER_BYTES
    while at < len(view):
        begin = at + _BIG_LENGTH.size
        end = begin + _BIG_LENGTH.unpack_from(view, at)[0] if begin <= len(view) else begin
        if end > len(view):
            raise ValueError("its snappy data is cut off")
        plain += _unpack_block(view[begin:end], most_bytes, len(plain))
        at = end
    return bytes(plain)


def _unpack_block(block: memoryview, most_bytes: int, before_bytes: int) -> bytes:
    """Unpack a block after checking the size it claims: memory is allocated for the claim before the block is read."""
    claimed = cramjam.snappy.decompress_raw_len(block)
    if before_bytes + claimed > most_bytes:
        raise TooMuchPlainError(most_bytes)
    if claimed > _SNAPPY_MOST_RATIO * len(block):
        raise ValueError(f"{len(block)} bytes of snappy data claim to hold {claimed}")
    return bytes(cramjam.snappy.decompress_raw(block))


def _unpack_lz4(payload: Payload, most_bytes: int) -> bytes:
    if len(payload) * _LZ4_MOST_RATIO > most_bytes and _lz4_bound(bytes(payload)) > most_bytes:
        raise TooMuchPlainError(most_bytes)
    return bytes(cramjam.lz4.decompress(payload))


def _lz4_bound(frame: bytes) -> int:
    """Return an upper bound of the bytes in a frame's blocks; 0 for bytes that are no frame."""
    flags, largest = frame[4], 1 << 8 + 2 * (frame[5] >> 4 & 7)
    at = 7 + (8 if flags & _LZ4_SIZE_BIT else 0) + (4 if flags & _LZ4_DICTIONARY_BIT else 0)
    checksum_bytes = 4 if flags & _LZ4_BLOCK_CHECKSUM_BIT else 0
    bound = 0
    while at + _LITTLE_LENGTH.size <= len(frame):
        (length,) = _LITTLE_LENGTH.unpack_from(frame, at)
        if length == 0:
            break
        bound += min(largest, (length & ~_LZ4_STORED) * _LZ4_MOST_RATIO)
        at += _LITTLE_LENGTH.size + (length & ~_LZ4_STORED) + checksum_bytes
    return bound


class _OwnDecompressor(threading.local):
    """A context of zstd serves one thread at a time, and making one costs more than a small frame."""

    def __init__(self) -> None:
        self.context = zstandard.ZstdDecompressor()


_own = _OwnDecompressor()


def _unpack_zstd(payload: Payload, most_bytes: int) -> bytes:
    """Unpack one frame in a single call where its size is known or usual, otherwise in steps."""
    data = bytes(payload)
    usual_bytes = max(_ZSTD_SMALL_PLAIN_BYTES, _ZSTD_USUAL_RATIO * len(data))
    try:
        if zstandard.frame_content_size(data) > most_bytes:
            raise TooMuchPlainError(most_bytes)
        plain = _own.context.decompress(data, max_output_size=min(usual_bytes, most_bytes), allow_extra_data=False)
    except zstandard.ZstdError:
        plain = b""
    return plain or _unpack_zstd_in_steps(data, most_bytes)  # an empty frame hides those behind it


def _unpack_zstd_in_steps(data: bytes, most_bytes: int) -> bytes:
    plain, at = bytearray(), 0
    chunk_bytes = max(_ZSTD_SMALLEST_CHUNK_BYTES, min(_ZSTD_LARGEST_CHUNK_BYTES, most_bytes // _ZSTD_CHUNK_MOST_RATIO))
    while at < len(data):
        frame = _own.context.decompressobj()
        while not frame.eof:
            if at >= len(data):
                raise ValueError("its zstd data is cut off")
            plain += frame.decompress(data[at : at + chunk_bytes])
            at += chunk_bytes
            if len(plain) > most_bytes:
                raise TooMuchPlainError(most_bytes)
        at = min(at, len(data)) - len(frame.unused_data)
    return bytes(plain)


_UNPACK: dict[int, Callable[[Payload, int], bytes]] = {
    NONE: _plain,
    GZIP: _unpack_gzip,
    SNAPPY: _unpack_snappy,
    LZ4: _unpack_lz4,
    ZSTD: _unpack_zstd,
}
