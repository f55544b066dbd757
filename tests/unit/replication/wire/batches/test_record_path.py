"""The same records come out of every way through the record path."""

import random
from collections.abc import Sequence
from itertools import chain, pairwise

import pytest
from aiokafka.record.legacy_records import LegacyRecordBatchBuilder
from crc32c import crc32c

from replication.codecs.batch_rows import row_of, scan
from replication.codecs.record_batch import CorruptBatchError, read_header, rewrite, verify
from replication.domain.batches.batch_decision import CODEC_MASK, TargetRules
from replication.domain.batches.record import Record
from replication.domain.identifiers import TopicPartition
from replication.ports.batches.record_path import BuiltBatch, TooMuchPlainError
from replication.wire.batches.compression import pack
from replication.wire.batches.decompression import unpack
from replication.wire.batches.record_codec import build_batch, decode_records
from replication.wire.batches.record_path import WireRecordPath
from replication.wire.batches.splicing import SPLICER

CODECS = [pytest.param(number, id=name) for number, name in enumerate(["none", "gzip", "snappy", "lz4", "zstd"])]
ORDERS = TopicPartition("orders", 0)
RULES = TargetRules(max_message_bytes=1_048_588, timestamp_type="CreateTime")


@pytest.fixture(autouse=True, params=["spliced", "decoded"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every promise holds with the compiled splicer and without it."""
    if request.param == "decoded":
        monkeypatch.setattr("replication.wire.batches.splicing.SPLICER", None)
    elif SPLICER is None:
        pytest.skip("no C compiler was at hand when the packages were installed")


def some(first: int, count: int, *, size: int = 80) -> list[Record]:
    """Null keys, null and empty values, repeated and null headers, text beyond ASCII."""
    shapes = [
        (b"k", b"v" * size, [("a", b"1"), ("a", b"2"), ("null", None), ("ключ", b"")]),
        (None, random.Random(first).randbytes(size), []),
        (b"tombstone", None, []),
        (b"", b"", []),
    ]
    return [Record(first + number, 1_700_000_000_000 + number, *shapes[number % 4]) for number in range(count)]


def source(*groups: list[Record], codec: int = 0) -> memoryview:
    """An answer with one batch per group."""
    answer = bytearray()
    for group in groups:
        data = build_batch([record._replace(offset=0) for record in group], codec=codec)
        data[0:8] = group[0].offset.to_bytes(8, "big")
        answer += data
    return memoryview(answer)


def rebuild(view: memoryview, *, position: int = 0, rules: TargetRules = RULES) -> Sequence[BuiltBatch]:
    path = WireRecordPath()
    return path.rebuild(ORDERS, view, scan(view).rows, position=position, rules=rules).batches


def built_records(built: Sequence[BuiltBatch]) -> list[Record]:
    """Return the records that the target gets, by the upstream offsets of the runs."""
    found = []
    for batch in built:
        view = memoryview(batch.data)
        header = read_header(view, 0)
        rewrite(view, 0, producer_id=1, producer_epoch=0, base_sequence=0)
        verify(view, 0, read_header(view, 0))
        upstream = [offset + step for offset, _index, length in batch.runs for step in range(length)]
        records = list(decode_records(view))
        assert header.records == batch.records == len(records) == header.last_offset_delta + 1 == len(upstream)
        assert (batch.first_offset, batch.last_offset) == (upstream[0], upstream[-1])
        assert [index for _offset, index, _length in batch.runs] == [
            sum(length for *_rest, length in batch.runs[:number]) for number in range(len(batch.runs))
        ]
        found += [record._replace(offset=offset) for record, offset in zip(records, upstream, strict=True)]
    return found


def plain(records: list[Record]) -> list[Record]:
    return [record._replace(headers=list(record.headers)) for record in records]


@pytest.mark.parametrize("codec", CODECS)
def test_many_small_batches_become_one_with_the_same_records_and_codec(codec: int) -> None:
    groups = [some(number * 3, 3) for number in range(200)]

    rebuilt = rebuild(source(*groups, codec=codec))

    (batch,) = rebuilt
    assert read_header(memoryview(batch.data), 0).attributes & CODEC_MASK == codec
    assert built_records(rebuilt) == plain([*chain.from_iterable(groups)])
    assert batch.runs == ((0, 0, 600),)


def test_holes_between_and_before_batches_begin_new_runs() -> None:
    groups = [some(10, 4), some(14, 2), some(30, 3), some(40, 1)]

    rebuilt = rebuild(source(*groups), position=12)

    (batch,) = rebuilt
    assert batch.runs == ((12, 0, 4), (30, 4, 3), (40, 7, 1))
    assert built_records(rebuilt) == plain([*chain.from_iterable(groups)])[2:]
    assert batch.source_bytes == len(source(*groups))


@pytest.mark.parametrize("codec", CODECS)
def test_what_is_too_large_for_one_batch_becomes_several_that_fit(codec: int) -> None:
    groups = [some(number * 20, 20, size=900) for number in range(20)]
    view = source(*groups, codec=codec)

    rebuilt = rebuild(view, rules=TargetRules(max_message_bytes=10_000, timestamp_type="CreateTime"))

    assert len(rebuilt) > 1
    assert all(len(batch.data) <= 10_000 for batch in rebuilt)
    assert all(before.last_offset + 1 == after.first_offset for before, after in pairwise(rebuilt))
    assert built_records(rebuilt) == plain([*chain.from_iterable(groups)])
    assert sum(batch.source_bytes for batch in rebuilt) == len(view)


def test_a_topic_that_shrinks_little_is_packed_once_after_its_first_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    packed: list[int] = []

    def counted(payload: memoryview, codec: int) -> bytes:
        packed.append(len(payload))
        return pack(payload, codec)

    monkeypatch.setattr("replication.wire.batches.built_batches.pack", counted)
    half_noise = [random.Random(number).randbytes(450) + b"v" * 450 for number in range(400)]
    records = [Record(number, 1_700_000_000_000, None, value, []) for number, value in enumerate(half_noise)]
    view = source(*[records[first : first + 20] for first in range(0, 400, 20)], codec=3)
    rules = TargetRules(max_message_bytes=40_000, timestamp_type="CreateTime")
    path, rows = WireRecordPath(), scan(view).rows

    first = path.rebuild(ORDERS, view, rows, position=0, rules=rules).batches
    needed, packed[:] = sum(packed), []
    second = path.rebuild(ORDERS, view, rows, position=0, rules=rules).batches

    assert sum(packed) <= 0.7 * needed
    assert built_records(second) == built_records(first)
    assert all(len(batch.data) <= 40_000 for batch in second)


def test_a_record_larger_than_allowed_stays_alone_in_its_batch() -> None:
    records = [*some(0, 1), Record(1, 1_700_000_000_001, b"big", bytes(5_000), []), *some(2, 1)]

    rebuilt = rebuild(source(records), rules=TargetRules(max_message_bytes=2_000, timestamp_type="CreateTime"))

    assert [batch.records for batch in rebuilt] == [1, 1, 1]
    assert built_records(rebuilt) == plain(records)


@pytest.mark.parametrize("stamps", [(-1, -1, 5, -1, 7), (5, -1, 7), (-1,), (-1, 5), (9, -1)], ids=str)
def test_records_without_a_timestamp_stay_without(stamps: tuple[int, ...]) -> None:
    groups = [[Record(offset, stamp, None, b"v", [])] for offset, stamp in enumerate(stamps)]

    rebuilt = rebuild(source(*groups))

    assert [record.timestamp for record in built_records(rebuilt)] == list(stamps)


def test_append_time_becomes_the_create_time_of_each_record() -> None:
    view = source(some(0, 5))
    view[22] |= 0x08
    view[35:43] = (1_800_000_000_000).to_bytes(8, "big")
    view[17:21] = crc32c(view[21:]).to_bytes(4, "big")

    rebuilt = rebuild(view)

    assert {record.timestamp for record in built_records(rebuilt)} == {1_800_000_000_000}
    assert read_header(memoryview(rebuilt[0].data), 0).attributes == 0


@pytest.mark.parametrize("size", [20, 5_000], ids=["small", "large"])
def test_a_flipped_bit_is_found_before_records_are_rebuilt(size: int) -> None:
    view = source(some(0, 4, size=size), some(4, 4, size=size))
    view[-size] ^= 1

    with pytest.raises(CorruptBatchError, match="offset 4"):
        rebuild(view)


@pytest.mark.parametrize(
    ("magic", "codec"),
    [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (1, 3)],  # format 0 never had a readable lz4
)
def test_sets_of_the_old_message_formats_become_batches(magic: int, codec: int) -> None:
    builder = LegacyRecordBatchBuilder(magic, codec, 100_000)
    for number in range(40):
        builder.append(number, 1_000 + number, b"k%d" % number, None if number % 7 == 0 else b"v" * number)
    view = memoryview(bytearray(builder.build()))

    rebuilt = rebuild(view, position=3)

    assert built_records(rebuilt) == [
        Record(number, 1_000 + number if magic else -1, b"k%d" % number, None if number % 7 == 0 else b"v" * number, [])
        for number in range(3, 40)
    ]


@pytest.mark.parametrize("wanted", CODECS)
@pytest.mark.parametrize("codec", CODECS)
def test_another_codec_changes_nothing_but_the_codec(codec: int, wanted: int) -> None:
    view = source(some(0, 100), codec=codec)

    data = WireRecordPath().recompress(view, row_of(0, read_header(view, 0)), wanted).data

    header = read_header(memoryview(data), 0)
    assert header.attributes & CODEC_MASK == wanted
    assert header.size_bytes == len(data)
    assert list(decode_records(data)) == plain(some(0, 100))


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("size", [0, 1, 32 * 1024, 200_000])
def test_what_was_packed_unpacks_to_the_same(codec: int, size: int) -> None:
    payload = random.Random(7).randbytes(size // 2) + bytes(size - size // 2)

    assert unpack(pack(payload, codec), codec) == payload


def test_a_forced_codec_holds_for_rebuilt_batches_too() -> None:
    rules = TargetRules(max_message_bytes=1_000_000, timestamp_type="CreateTime", codec=4)

    rebuilt = rebuild(source(some(0, 3), some(5, 3), codec=1), rules=rules)

    assert read_header(memoryview(rebuilt[0].data), 0).attributes & CODEC_MASK == 4


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [1, 2], ids=["gzip", "snappy"])
def test_a_set_of_an_old_format_is_opened_up_to_the_bound(magic: int, codec: int) -> None:
    builder = LegacyRecordBatchBuilder(magic=magic, compression_type=codec, batch_size=2**30)
    builder.append(0, timestamp=1, key=None, value=bytes(3_000_000))
    view = memoryview(bytearray(builder.build()))
    rows = scan(view).rows

    with pytest.raises(TooMuchPlainError):
        WireRecordPath().rebuild(ORDERS, view, rows, position=0, rules=RULES, most_plain_bytes=2_000_000)
    rebuilt = WireRecordPath().rebuild(ORDERS, view, rows, position=0, rules=RULES, most_plain_bytes=4_000_000)
    assert (len(rebuilt.batches), rebuilt.end) == (1, len(view))
    assert rebuilt.plain_bytes > 3_000_000
