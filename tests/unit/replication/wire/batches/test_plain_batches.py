"""LZ4 batches unpacked in one go hold the records that the decoder finds in them one by one."""

import random

import cramjam
import pytest

from replication.codecs.record_batch import CorruptBatchError, batches, rewrite
from replication.domain.batches.compression import LZ4, NONE
from replication.domain.batches.record import Record
from replication.ports.batches.record_path import MOST_PLAIN_BYTES
from replication.wire.batches.compression import with_payload
from replication.wire.batches.plain_batches import unpacked
from replication.wire.batches.record_codec import build_batch, decode_records

OPTIONS = [
    pytest.param({"block_linked": False, "content_checksum": False}, id="independent blocks"),
    pytest.param({"block_linked": False, "content_checksum": True}, id="content checksum"),
    pytest.param({"block_linked": True, "content_checksum": False}, id="linked blocks"),
]


def packed(records: list[Record], **options: bool) -> bytes:
    plain = memoryview(build_batch(records))
    compressor = cramjam.lz4.Compressor(level=1, **options)
    compressor.compress(bytes(plain[61:]))
    return framed(plain, bytes(compressor.finish()))


def framed(plain: memoryview, frame: bytes) -> bytes:
    made = with_payload(plain, frame, LZ4)
    view = memoryview(made)
    rewrite(view, 0, producer_id=-1, producer_epoch=-1, base_sequence=-1)
    return bytes(made)


def some(count: int, size: int, *, noise: bool = False) -> list[Record]:
    chance = random.Random(count * size)
    return [
        Record(number, 5_000 + number, b"k", chance.randbytes(size) if noise else b"abc" * (size // 3), [("h", b"1")])
        for number in range(count)
    ]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(
    "records",
    [
        pytest.param(some(1, 9), id="one small"),
        pytest.param(some(10, 100), id="ten"),
        pytest.param(some(50, 3_000), id="more than a block"),
        pytest.param(some(4, 500, noise=True), id="stored as they are"),
        pytest.param(some(200, 1_000, noise=True), id="many stored blocks"),
    ],
)
def test_every_frame_that_lz4_knows_is_unpacked(records: list[Record], options: dict[str, bool]) -> None:
    source = packed(records, **options) + packed(some(3, 30))

    plain, _end = unpacked(source, MOST_PLAIN_BYTES)

    assert list(decode_records(plain)) == list(decode_records(source))
    assert [header.attributes for _at, header in batches(memoryview(plain))] == [NONE, NONE]


def test_a_block_without_checksum_as_java_writes_it() -> None:
    plain = memoryview(build_batch(some(10, 100)))
    block = bytes(cramjam.lz4.compress_block(bytes(plain[61:]), store_size=False))
    frame = b"\x04\x22\x4d\x18\x60\x40\x82" + len(block).to_bytes(4, "little") + block + bytes(4)

    assert list(decode_records(unpacked(framed(plain, frame), MOST_PLAIN_BYTES)[0])) == list(decode_records(plain))


def test_a_checksum_that_does_not_fit_names_its_batch() -> None:
    source = bytearray(packed(some(2, 30)) + packed(some(2, 30)))
    source[-6] ^= 1
    source[len(source) // 2 : len(source) // 2 + 8] = (77).to_bytes(8, "big")

    with pytest.raises(CorruptBatchError, match="77"):
        unpacked(bytes(source), MOST_PLAIN_BYTES)


def test_what_is_no_frame_is_refused_by_the_codec() -> None:
    plain = memoryview(build_batch(some(2, 30)))

    with pytest.raises(cramjam.DecompressionError):
        unpacked(framed(plain, b"\x04\x22\x4d\x18\x60" + bytes(60)), MOST_PLAIN_BYTES)
