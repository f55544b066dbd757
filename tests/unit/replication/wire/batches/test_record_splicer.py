"""The compiled splicer: the same records as the decoder, and never more than an error for malformed bytes."""

import random
import zlib
from collections.abc import Callable, Iterable

import cramjam
import pytest
import zstandard
from crc32c import crc32c
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.codecs.record_batch import CorruptBatchError, read_header, sign
from replication.domain.batches.batch_decision import HEADER_BYTES
from replication.domain.batches.record import Record
from replication.ports.batches.record_path import MOST_PLAIN_BYTES, BuiltBatch
from replication.wire.batches.batch_merger import BatchMerger
from replication.wire.batches.built_batches import BuiltBatches
from replication.wire.batches.compression import pack, with_payload
from replication.wire.batches.decompression import unpack
from replication.wire.batches.record_codec import build_from, decode_records
from replication.wire.batches.splicing import SPLICER

pytestmark = pytest.mark.skipif(SPLICER is None, reason="no C compiler was at hand when the packages were installed")

NONE, LZ4 = 0, 3
TIMES = st.integers(-1, 2**44)
TEXTS = st.none() | st.binary(max_size=70) | st.just(bytes(9_000))
HEADERS = st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=5)), max_size=3)
RECORDS = st.lists(st.tuples(TIMES, TEXTS, TEXTS, HEADERS), min_size=1, max_size=70)
Members = list[tuple[int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]]
# the hole before a batch, its codec, whether it has the append time, its records
Groups = list[tuple[int, int, bool, Members]]
GROUPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.booleans(), RECORDS), min_size=1, max_size=6)
REFUSED = (CorruptBatchError, ValueError, cramjam.DecompressionError, zlib.error, zstandard.ZstdError)


def signed(batch: bytearray) -> bytes:
    sign(batch)
    return bytes(batch)


def one(members: Members, *, offset: int = 0, codec: int = NONE, append_time: bool = False) -> bytearray:
    """A batch with its checksum."""
    batch = build_from([Record(number, *fields) for number, fields in enumerate(members)])
    if codec:
        batch = with_payload(memoryview(batch), pack(memoryview(batch)[HEADER_BYTES:], codec), codec)
    batch[:8] = offset.to_bytes(8, "big")
    if append_time:
        batch[22] |= 0x08
    sign(batch)
    return batch


def log(groups: Groups) -> bytes:
    """Batches at ascending offsets."""
    data, offset = bytearray(), 0
    for hole, codec, append_time, members in groups:
        offset += hole
        data += one(members, offset=offset, codec=codec, append_time=append_time)
        offset += len(members)
    return bytes(data)


def spliced(data: bytes, position: int = 0, limit_bytes: int = 20_000) -> list[BuiltBatch]:
    assert SPLICER is not None
    built = BuiltBatches(limit_bytes, NONE)
    splicer = SPLICER(built.limit_bytes, unpack, built.add, MOST_PLAIN_BYTES)
    splicer.extend(data, position)
    splicer.close()
    return built.finish(len(data))


def merged(data: bytes, position: int = 0, limit_bytes: int = 20_000) -> list[BuiltBatch]:
    built = BuiltBatches(limit_bytes, NONE)
    merger = BatchMerger(built)
    for record in decode_records(data):
        if record.offset >= position:
            merger.add(record)
    merger.close()
    return built.finish(len(data))


def records_of(built: Iterable[BuiltBatch]) -> list[Record]:
    """Return the records that the target gets, by the upstream offsets of the runs."""
    found = []
    for batch in built:
        header = read_header(memoryview(batch.data), 0)
        assert (header.size_bytes, header.records) == (len(batch.data), batch.records)
        records = list(decode_records(batch.data))
        assert header.max_timestamp == max(record.timestamp for record in records) == batch.max_timestamp
        upstream = [offset + step for offset, _index, length in batch.runs for step in range(length)]
        found += [record._replace(offset=offset) for record, offset in zip(records, upstream, strict=True)]
    return found


@settings(max_examples=200)
@given(groups=GROUPS, position=st.integers(0, 12), limit_bytes=st.integers(200, 30_000))
def test_it_builds_what_the_decoder_builds(groups: Groups, position: int, limit_bytes: int) -> None:
    data = log(groups)

    ours, theirs = (build(data, position, limit_bytes) for build in (spliced, merged))

    assert records_of(ours) == records_of(theirs)
    assert all(len(batch.data) <= limit_bytes or batch.records == 1 for batch in ours)
    if all(time > 0 for *_rest, members in groups for time, *_fields in members):  # the builder splits others
        assert [batch[1:] for batch in ours] == [batch[1:] for batch in theirs]


@pytest.mark.parametrize("size", [65_000, 66_000, 130_000, 300_000, 2_000_000])
@pytest.mark.parametrize("codec", range(5))
def test_records_larger_than_any_buffer_of_its_own(codec: int, size: int) -> None:
    values = [b"first", random.Random(size).randbytes(size // 2) + bytes(size // 2), b"last"]
    data = bytes(one([(9, None, value, []) for value in values], codec=codec))

    built = spliced(data, limit_bytes=2**24)

    assert [record.value for record in records_of(built)] == values


FRAMES: dict[str, Callable[[bytes], bytes]] = {
    "with checksums of its blocks": lambda plain: bytes(cramjam.lz4.compress(plain)),
    "of our own": lambda plain: pack(plain, LZ4),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("size", [10, 3_000, 60_000, 70_000, 140_000, 600_000])
@pytest.mark.parametrize("noise", [False, True], ids=["text", "noise"])
def test_every_kind_of_lz4_frame(frame: Callable[[bytes], bytes], size: int, noise: bool) -> None:
    value = random.Random(size).randbytes(size) if noise else b"text " * (size // 5)
    plain = one([(9, b"k", value, [])])
    data = signed(with_payload(memoryview(plain), frame(bytes(plain[HEADER_BYTES:])), LZ4))

    assert [record.value for record in records_of(spliced(data))] == [value]


@settings(max_examples=500)
@given(groups=GROUPS, where=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), hits=st.integers(1, 3))
def test_damaged_bytes_are_refused_or_taken_and_nothing_else(
    groups: Groups, where: float, byte: int, hits: int
) -> None:
    _hole, codec, append_time, members = groups[0]
    batch = one(members, codec=codec, append_time=append_time)
    for _ in range(hits):
        batch[21 + int(where * (len(batch) - 21))] = byte
        where = (where * 7.3 + 0.1) % 1
    try:
        built = spliced(signed(batch))
    except REFUSED:
        return
    for each in built:
        assert read_header(memoryview(each.data), 0).records == each.records
        (again,) = spliced(signed(each.data), limit_bytes=2**24)
        assert again.data[HEADER_BYTES:] == each.data[HEADER_BYTES:]


def by_hand(*records: bytes, last_offset_delta: int = 5, base_offset: int = 0) -> bytes:
    """A batch of records as they are given."""
    batch = bytearray(HEADER_BYTES) + b"".join(records)
    batch[:8] = base_offset.to_bytes(8, "big", signed=True)
    batch[8:12] = (len(batch) - 12).to_bytes(4, "big")
    batch[16] = 2
    batch[23:27] = last_offset_delta.to_bytes(4, "big", signed=True)
    batch[57:61] = len(records).to_bytes(4, "big")
    return signed(batch)


def sized(body: bytes) -> bytes:
    """A record of fewer than 64 bytes: its length, and what stands behind it."""
    return bytes([2 * len(body)]) + body


# attributes, time delta 0, offset delta 0, key k, value v, no headers
SOUND = b"\x00\x00\x00\x02k\x02v\x00"
SENSELESS = {
    "bytes behind the headers": sized(SOUND + b"x"),
    "no headers count": sized(SOUND[:-1]),
    "a length of nothing": b"\x00",
    "a negative length": b"\x01",
    "a length beyond the batch": bytes([40]) + SOUND,
    "a key beyond the record": sized(b"\x00\x00\x00\x20k\x02v\x00"),
    "a value beyond the record": sized(b"\x00\x00\x00\x02k\x20v\x00"),
    "a header without a name": sized(b"\x00\x00\x00\x02k\x02v\x02\x01\x02v"),
    "a negative number of headers": sized(b"\x00\x00\x00\x02k\x02v\x01"),
    "more headers than there are": sized(b"\x00\x00\x00\x02k\x02v\x04\x02n\x02v"),
    "a length of six bytes": sized(b"\x00\x00\x00\x82\x80\x80\x80\x80\x00k\x02v\x00"),
    "a length of 36 bits": sized(b"\x00\x00\x00\x82\x80\x80\x80\x10k\x02v\x00"),
    "a time of eleven bytes": sized(b"\x00" + b"\x80" * 10 + b"\x00\x00\x02k\x02v\x00"),
    "an offset before the batch": sized(b"\x00\x00\x01\x02k\x02v\x00"),
    "an offset behind the batch": sized(b"\x00\x00\x0c\x02k\x02v\x00"),
}


def test_what_the_senseless_records_are_made_from_is_sound() -> None:
    (record,) = records_of(spliced(by_hand(sized(SOUND))))

    assert record == Record(0, 0, b"k", b"v", [])


@pytest.mark.parametrize("record", SENSELESS.values(), ids=SENSELESS)
def test_an_invalid_record_is_rejected(record: bytes) -> None:
    with pytest.raises(CorruptBatchError, match="records of the batch at offset 7 are malformed"):
        spliced(by_hand(record, base_offset=7))


@pytest.mark.parametrize("base_offset", [-1, -(2**63), 2**63 - 1])
def test_an_offset_that_no_log_has_is_refused(base_offset: int) -> None:
    with pytest.raises(CorruptBatchError, match="are malformed"):
        spliced(by_hand(sized(SOUND), base_offset=base_offset))


def test_offsets_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(CorruptBatchError, match="are malformed"):
        spliced(by_hand(sized(SOUND), sized(SOUND)))


def test_attributes_of_a_record_mean_nothing_and_a_null_may_be_any_negative_length() -> None:
    (record,) = records_of(spliced(by_hand(sized(b"\xff\x00\x00\x03\x01\x00"))))

    assert record == Record(0, 0, None, None, [])


def test_names_of_headers_need_not_be_text() -> None:
    (batch,) = spliced(by_hand(sized(b"\x00\x00\x00\x02k\x02v\x02\x02\xff\x02v")))

    assert batch.records == 1


@pytest.mark.parametrize("cut", [1, 5, 12, 30, 60, 61, 70])
def test_a_batch_that_is_not_all_there_is_refused(cut: int) -> None:
    with pytest.raises(CorruptBatchError, match="no whole batch"):
        spliced(bytes(one([(5, b"k", b"v" * 20, [])]))[:cut])


@pytest.mark.parametrize("count", [0, 1, 3, -1, 2**31 - 1])
def test_a_count_that_does_not_fit_the_records_is_refused(count: int) -> None:
    batch = one([(5, b"k", b"v", []), (6, b"k", b"v", [])])
    batch[57:61] = count.to_bytes(4, "big", signed=True)

    with pytest.raises(CorruptBatchError, match="records of the batch at offset 0 are malformed"):
        spliced(signed(batch))


def test_a_checksum_that_does_not_fit_is_refused() -> None:
    batch = one([(5, b"k", b"v", [])])
    batch[-1] ^= 1

    assert crc32c(bytes(batch[21:])) != int.from_bytes(batch[17:21], "big")
    with pytest.raises(CorruptBatchError, match="checksum of the batch at offset 0"):
        spliced(bytes(batch))


def test_control_batches_are_skipped() -> None:
    marker = one([(5, b"k", b"v", [])])
    marker[22] |= 0x20

    (built,) = spliced(signed(marker) + bytes(one([(6, b"k", b"w", [])], offset=1)))

    assert (built.first_offset, built.records) == (1, 1)
