"""Records are unpacked from any kind of frame, and never into more memory than a batch may take."""

import struct
from io import BytesIO

import cramjam
import pytest
import zstandard

from replication.ports.batches.record_path import TooMuchPlainError
from replication.wire.batches.compression import pack
from replication.wire.batches.decompression import unpack

GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4
MB = 1024 * 1024


def streamed(data: bytes) -> bytes:
    """A zstd frame that does not say its size, as Java writes it."""
    out = BytesIO()
    with zstandard.ZstdCompressor().stream_writer(out, closefd=False) as writer:
        writer.write(data)
    return out.getvalue()


@pytest.mark.parametrize("codec", [GZIP, SNAPPY, LZ4, ZSTD])
@pytest.mark.parametrize("over", [False, True], ids=["as much as allowed", "more"])
def test_a_small_batch_does_not_become_a_large_one(codec: int, over: bool) -> None:
    plain = bytes(3 * MB if over else 2 * MB)

    if not over:
        assert unpack(pack(plain, codec), codec, 2 * MB) == plain
        return
    with pytest.raises(TooMuchPlainError, match="more than 2 MB unpacked"):
        unpack(pack(plain, codec), codec, 2 * MB)


@pytest.mark.parametrize("data", [b"", b"x", b"text " * 3_000, bytes(MB), b"text" * MB], ids=len)
def test_zstd_frames_that_do_not_say_their_size(data: bytes) -> None:
    assert unpack(streamed(data), ZSTD) == data
    if len(data) > MB:
        with pytest.raises(TooMuchPlainError):
            unpack(streamed(data), ZSTD, 1_000)


def test_zstd_frames_in_a_row_also_behind_an_empty_one() -> None:
    frames = [zstandard.ZstdCompressor().compress(each) for each in (b"", b"one", b"two" * 50_000)]

    assert unpack(b"".join(frames), ZSTD) == b"one" + b"two" * 50_000
    assert unpack(frames[0], ZSTD) == b""


def test_a_zstd_frame_that_claims_too_much_takes_no_memory() -> None:
    frame = b"\x28\xb5\x2f\xfd" + b"\xe0" + struct.pack("<Q", 1 << 40) + b"\x01\x00\x00"

    with pytest.raises(TooMuchPlainError):
        unpack(frame, ZSTD)


@pytest.mark.parametrize("codec", [GZIP, SNAPPY, LZ4, ZSTD])
def test_cut_off_data_is_refused(codec: int) -> None:
    packed = pack(b"some text, some text, " * 2_000, codec)

    for end in (len(packed) - 1, len(packed) // 2, 17):
        with pytest.raises((ValueError, cramjam.DecompressionError, zstandard.ZstdError)):
            unpack(packed[:end], codec)


def test_a_snappy_block_that_claims_gigabytes_is_refused_before_memory_is_taken() -> None:
    for claim, error in ((b"\xff\xff\xff\xff\x0f", TooMuchPlainError), (b"\x80\x80\x80\x08", ValueError)):
        with pytest.raises(error):
            unpack(claim + b"\x00a", SNAPPY)


def test_gzip_members_in_a_row_with_zeros_behind_them() -> None:
    assert unpack(pack(b"one", GZIP) + pack(b"two", GZIP) + bytes(3), GZIP) == b"onetwo"
