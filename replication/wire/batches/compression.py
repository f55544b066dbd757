"""Packing the records of a batch, by the codecs Kafka knows (KIP-390 for the levels).

Levels are chosen for speed: a record path that packs at Kafka's own defaults (gzip 6, lz4 9, zstd 3) would spend up to
ten times more on packing than on everything else, for a few percent of the size.
"""

import struct
from collections.abc import Callable
from io import BytesIO

import cramjam

from replication.domain.batches.batch_decision import CODEC_MASK, HEADER_BYTES, LENGTH_OVERHEAD_BYTES
from replication.domain.batches.compression import GZIP, LZ4, NONE, SNAPPY, ZSTD
from replication.wire.batches.decompression import XERIAL_MAGIC, Payload

GZIP_LEVEL = 1
ZSTD_LEVEL = 1
_LZ4_FRAME = b"\x04\x22\x4d\x18\x60\x50\xfb"  # magic, independent blocks, 256 KB at most, checksum of these two
_LZ4_BLOCK_BYTES = 256 * 1024
_LZ4_STORED = 1 << 31  # in a block's length: it is not packed
_LZ4_LENGTH = struct.Struct("<I")
_XERIAL_HEADER = XERIAL_MAGIC + struct.pack(">ii", 1, 1)  # magic, version, oldest version that reads it
_XERIAL_BLOCK_BYTES = 32 * 1024
_BLOCK_LENGTH = struct.Struct(">i")

_LENGTH_AT = 8
_CODEC_AT = 22  # the low byte of the attributes


def pack(payload: Payload, codec: int) -> bytes:
    """Return the records of a batch as they follow its header."""
    return _PACK[codec](payload)


def with_payload(batch: memoryview, payload: bytes, codec: int) -> bytearray:
    """The batch with other bytes after its header; its checksum does not fit until the header is rewritten."""
    made = bytearray(batch[:HEADER_BYTES])
    made += payload
    _BLOCK_LENGTH.pack_into(made, _LENGTH_AT, len(made) - LENGTH_OVERHEAD_BYTES)
    made[_CODEC_AT] = made[_CODEC_AT] & ~CODEC_MASK | codec
    return made


def _pack_lz4(payload: Payload) -> bytes:
    """A frame of independent blocks without checksums, as Kafka's reader takes it (KIP-57).

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


_PACK: dict[int, Callable[[Payload], bytes]] = {
    NONE: bytes,
    GZIP: lambda payload: bytes(cramjam.gzip.compress(payload, level=GZIP_LEVEL)),
    SNAPPY: _pack_snappy,
    LZ4: _pack_lz4,
    ZSTD: lambda payload: bytes(cramjam.zstd.compress(payload, level=ZSTD_LEVEL)),
}
