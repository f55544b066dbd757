import pytest
from aiokafka.record.memory_records import MemoryRecords

from replication.codecs.record_batch import CorruptBatchError, batches, is_abort_marker, read_header, rewrite, verify
from replication.wire.batches.record_codec import Record, build_batch, decode_records

GOLDEN = bytes.fromhex(
    "00000000000000000000003affffffff02716a618900000000000000000000000003e800000000000003e8"
    "ffffffffffffffffffffffffffff0000000110000000026b027600"
)


def records(count: int, first: int = 0, value: bytes = b"v" * 20) -> list[Record]:
    return [Record(first + i, 1_000 + i, b"%d" % i, value, [("h", None)]) for i in range(count)]


def test_the_golden_batch_reads_as_kafka_wrote_it() -> None:
    view = memoryview(bytearray(GOLDEN))
    header = read_header(view, 0)

    verify(view, 0, header)
    assert (header.records, header.magic, header.max_timestamp, header.producer_id) == (1, 2, 1_000, -1)
    assert [(record.key, record.value) for record in decode_records(view)] == [(b"k", b"v")]


@pytest.mark.parametrize("codec", [0, 1, 2, 3, 4])
def test_a_rewritten_batch_is_valid_and_keeps_its_records(codec: int) -> None:
    data = build_batch(records(50), codec=codec)
    before = list(decode_records(data))
    view = memoryview(data)
    view[23 - 2] = 0x00

    rewrite(view, 0, producer_id=42, producer_epoch=3, base_sequence=2**31 - 1)

    found = read_header(view, 0)
    verify(view, 0, found)
    assert (found.base_offset, found.leader_epoch, found.producer_id, found.producer_epoch) == (0, -1, 42, 3)
    assert found.base_sequence == 2**31 - 1
    assert found.attributes == codec
    assert list(decode_records(view)) == before
    assert MemoryRecords(bytes(view)).next_batch().validate_crc()


def test_a_flipped_bit_is_found_before_it_is_signed_again() -> None:
    data = build_batch(records(5))
    data[-3] ^= 1
    view = memoryview(data)

    with pytest.raises(CorruptBatchError, match="offset 0"):
        verify(view, 0, read_header(view, 0))


def test_a_batch_cut_off_at_the_end_is_skipped() -> None:
    whole = build_batch(records(3))
    view = memoryview(bytearray(whole + whole[:-1]))

    assert [at for at, _header in batches(view)] == [0]
    assert list(batches(memoryview(bytearray(whole[:30])))) == []
    assert list(batches(memoryview(bytearray()))) == []


@pytest.mark.parametrize(("kind", "expected"), [(0, True), (1, False)])
def test_abort_markers_are_told_from_commit_markers(kind: int, expected: bool) -> None:
    marker = Record(0, 1_000, b"\0\0" + kind.to_bytes(2, "big"), b"\0\0\0\0\0\0", [])
    data = build_batch([marker], transactional=True, producer_id=5, producer_epoch=0)
    data[22] |= 0x20
    view = memoryview(data)

    assert is_abort_marker(view, 0, read_header(view, 0)) is expected


@pytest.mark.parametrize("behind", [b"", b"\0" * 8 + b"\1\0\0" + b"\0" * 60], ids=["last", "with another behind it"])
def test_a_marker_that_the_cleaner_emptied_says_nothing(behind: bytes) -> None:
    marker = Record(0, 1_000, b"\0\0\0\0", b"\0\0\0\0\0\0", [])
    data = build_batch([marker], transactional=True, producer_id=5, producer_epoch=0)[:61]
    data[22] |= 0x20
    data[8:12] = (49).to_bytes(4, "big")
    data[57:61] = bytes(4)
    view = memoryview(bytearray(bytes(data) + behind))

    assert is_abort_marker(view, 0, read_header(view, 0)) is False
