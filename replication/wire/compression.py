"""Packing and unpacking the records of a batch, by the codecs Kafka knows (KIP-390 for the levels).

Levels are chosen for speed: a record path that packs at Kafka's own defaults (gzip 6, lz4 9, zstd 3) would spend up to
ten times more on packing than on everything else, for a few percent of the size.
"""

import struct
import threading
from collections.abc import Callable
from io import BytesIO

import cramjam
import zstandard

from replication.domain.batch import CODEC_MASK, HEADER_BYTES, LENGTH_OVERHEAD_BYTES
from replication.domain.compression import GZIP, LZ4, NONE, SNAPPY, ZSTD

GZIP_LEVEL = 1
ZSTD_LEVEL = 1
_LZ4_FRAME = b"\x04\x22\x4d\x18\x60\x50\xfb"  # magic, independent blocks, 256 KB at most, checksum of these two
_LZ4_BLOCK_BYTES = 256 * 1024
_LZ4_STORED = 1 << 31  # in a block's length: it is not packed
_LZ4_LENGTH = struct.Struct("<I")
_XERIAL_HEADER = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)  # magic, version, oldest version that reads it
_XERIAL_BLOCK_BYTES = 32 * 1024
_SMALL_FRAME_BYTES, _SMALL_PLAIN_BYTES = 16 * 1024, 64 * 1024
_BLOCK_LENGTH = struct.Struct(">i")

_LENGTH_AT = 8
_CODEC_AT = 22  # the low byte of the attributes

Payload = bytes | bytearray | memoryview


def pack(payload: Payload, codec: int) -> bytes:
    """The records of a batch as they stand after its header."""
    return _PACK[codec](payload)


def unpack(payload: Payload, codec: int) -> bytes:
    """The records uncompressed. Raises ValueError for an unknown codec, whatever the codec raises for bad bytes."""
    if codec not in _UNPACK:
        raise ValueError(f"unknown compression codec {codec}")
    return _UNPACK[codec](payload)


def with_payload(batch: memoryview, payload: bytes, codec: int) -> bytearray:
    """The batch with other bytes after its header; its checksum does not fit until the header is rewritten."""
    made = bytearray(batch[:HEADER_BYTES])
    made += payload
    _BLOCK_LENGTH.pack_into(made, _LENGTH_AT, len(made) - LENGTH_OVERHEAD_BYTES)
    made[_CODEC_AT] = made[_CODEC_AT] & ~CODEC_MASK | codec
    return made


def _pack_lz4(payload: Payload) -> bytes:
    """A frame of independent blocks without checksums of its own, as Kafka's reader takes it (KIP-57).

    Put together here, for the frame encoder takes blocks of 64 KB and checks each, which costs a tenth more.
    """
    view, out = memoryview(payload), bytearray(_LZ4_FRAME)
    for start in range(0, len(view), _LZ4_BLOCK_BYTES):
        block = view[start : start + _LZ4_BLOCK_BYTES]
        packed = cramjam.lz4.compress_block(block, store_size=False)
        if len(packed) < len(block):
            out += _LZ4_LENGTH.pack(len(packed))
            out += memoryview(packed)
        else:
            out += _LZ4_LENGTH.pack(len(block) | _LZ4_STORED)
            out += block
    out += _LZ4_LENGTH.pack(0)
    return bytes(out)


def _pack_snappy(payload: Payload) -> bytes:
    """Snappy in the framing of the xerial library, which Java clients expect."""
    view, out = memoryview(payload), BytesIO()
    out.write(_XERIAL_HEADER)
    for start in range(0, len(view), _XERIAL_BLOCK_BYTES):
        block = cramjam.snappy.compress_raw(view[start : start + _XERIAL_BLOCK_BYTES])
        out.write(_BLOCK_LENGTH.pack(len(block)))
        out.write(block)
    return out.getvalue()


def _unpack_snappy(payload: Payload) -> bytes:
    view = memoryview(payload)
    if bytes(view[:8]) != _XERIAL_HEADER[:8]:
        return bytes(cramjam.snappy.decompress_raw(view))
    out, at = BytesIO(), len(_XERIAL_HEADER)
    while at < len(view):
        (length,) = _BLOCK_LENGTH.unpack_from(view, at)
        at += _BLOCK_LENGTH.size
        out.write(cramjam.snappy.decompress_raw(view[at : at + length]))
        at += length
    return out.getvalue()


class _OwnDecompressor(threading.local):
    """A context of zstd serves one thread at a time, and making one costs more than a small frame."""

    def __init__(self) -> None:
        self.decompress = zstandard.ZstdDecompressor().decompress


_own = _OwnDecompressor()


def _unpack_zstd(payload: Payload) -> bytes:
    """Small frames by a context that is kept; several in a row, and large ones that hide their size, by cramjam."""
    if len(payload) <= _SMALL_FRAME_BYTES:
        try:
            return _own.decompress(payload, max_output_size=_SMALL_PLAIN_BYTES, allow_extra_data=False)
        except zstandard.ZstdError:
            pass
    return bytes(cramjam.zstd.decompress(payload))


_PACK: dict[int, Callable[[Payload], bytes]] = {
    NONE: bytes,
    GZIP: lambda payload: bytes(cramjam.gzip.compress(payload, level=GZIP_LEVEL)),
    SNAPPY: _pack_snappy,
    LZ4: _pack_lz4,
    ZSTD: lambda payload: bytes(cramjam.zstd.compress(payload, level=ZSTD_LEVEL)),
}
_UNPACK: dict[int, Callable[[Payload], bytes]] = {
    NONE: bytes,
    GZIP: lambda payload: bytes(cramjam.gzip.decompress(payload)),
    SNAPPY: _unpack_snappy,
    LZ4: lambda payload: bytes(cramjam.lz4.decompress(payload)),
    ZSTD: _unpack_zstd,
}
