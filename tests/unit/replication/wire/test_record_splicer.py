"""The compiled splicer against the decoder: the same records, and never more than an error for senseless bytes."""

from itertools import chain

import pytest
from crc32c import crc32c
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.codecs.record_batch import CorruptBatchError, read_header
from replication.domain.batch import HEADER_BYTES
from replication.domain.record import Record
from replication.wire.batch_merger import BatchMerger
from replication.wire.built_batches import BuiltBatches
from replication.wire.compression import unpack
from replication.wire.record_codec import build_batch, decode_records
from replication.wire.record_path import SPLICER

pytestmark = pytest.mark.skipif(SPLICER is None, reason="no C compiler was at hand when the packages were installed")

NONE = 0
TIMES = st.integers(1, 2**44)
TEXTS = st.none() | st.binary(max_size=70) | st.just(bytes(9_000))
HEADERS = st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=5)), max_size=3)
RECORDS = st.lists(st.tuples(TIMES, TEXTS, TEXTS, HEADERS), min_size=1, max_size=70)
Members = list[tuple[int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]]
Groups = list[tuple[int, Members]]
BATCHES = st.lists(st.tuples(st.integers(0, 3), RECORDS), min_size=1, max_size=6)  # hole before it, records


def log(groups: Groups) -> bytes:
    """Batches at ascending offsets, each with its checksum."""
    data, offset = bytearray(), 0
    for hole, members in groups:
        offset += hole
        batch = build_batch([Record(number, *fields) for number, fields in enumerate(members)])
        batch[:8] = offset.to_bytes(8, "big")
        data += batch
        offset += len(members)
    return bytes(data)


def spliced(data: bytes, position: int = 0, limit_bytes: int = 20_000) -> BuiltBatches:
    assert SPLICER is not None
    built = BuiltBatches(limit_bytes, NONE)
    splicer = SPLICER(built.limit_bytes, unpack, built.add)
    splicer.take(data, position)
    splicer.close()
    return built


def merged(data: bytes, position: int, limit_bytes: int) -> BuiltBatches:
    built = BuiltBatches(limit_bytes, NONE)
    merger = BatchMerger(built)
    for record in decode_records(data):
        if record.offset >= position:
            merger.add(record)
    merger.close()
    return built


def signed(batch: bytearray) -> bytes:
    batch[17:21] = crc32c(memoryview(batch)[21:]).to_bytes(4, "big")
    return bytes(batch)


@settings(max_examples=150)
@given(groups=BATCHES, position=st.integers(0, 12), limit_bytes=st.integers(200, 30_000))
def test_it_builds_what_the_decoder_builds(groups: Groups, position: int, limit_bytes: int) -> None:
    data = log(groups)

    ours, theirs = (build(data, position, limit_bytes).finish(len(data)) for build in (spliced, merged))

    by_ours, by_theirs = ([list(decode_records(batch.data)) for batch in built] for built in (ours, theirs))
    assert list(chain(*by_ours)) == list(chain(*([r._replace(offset=r.offset) for r in each] for each in by_theirs)))
    assert [batch[1:] for batch in ours] == [batch[1:] for batch in theirs]
    for batch in ours:
        header = read_header(memoryview(batch.data), 0)
        assert (header.size_bytes, header.records) == (len(batch.data), batch.records)


@settings(max_examples=400)
@given(groups=BATCHES, where=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), data=st.data())
def test_bytes_that_make_no_sense_are_refused_or_taken_and_nothing_else(
    groups: Groups, where: float, byte: int, data: st.DataObject
) -> None:
    batch = bytearray(log([(0, list(chain.from_iterable(members for _hole, members in groups)))]))
    for _ in range(data.draw(st.integers(1, 3))):
        batch[21 + int(where * (len(batch) - 21))] = byte
        where = (where * 7.3 + 0.1) % 1
    hurt = signed(batch)
    try:
        built = spliced(hurt).finish(0)
    except (CorruptBatchError, ValueError):  # no sense, or a codec's name that nobody knows
        return
    except Exception as error:
        assert type(error).__module__ in {"cramjam", "builtins"}  # noqa: PT017 - whatever it raises
        return
    for each in built:
        assert read_header(memoryview(each.data), 0).records == each.records
        (again,) = spliced(signed(each.data), limit_bytes=2**24).finish(0)
        assert again.data[HEADER_BYTES:] == each.data[HEADER_BYTES:]


@pytest.mark.parametrize("cut", [1, 5, 12, 30, 60, 61, 70])
def test_a_batch_that_is_not_all_there_is_refused(cut: int) -> None:
    data = log([(0, [(5, b"k", b"v" * 20, [])])])

    with pytest.raises(CorruptBatchError, match="no whole batch"):
        spliced(data[:cut])


@pytest.mark.parametrize("count", [0, 1, 3, -1, 2**31 - 1])
def test_a_count_that_does_not_fit_the_records_is_refused(count: int) -> None:
    batch = bytearray(log([(0, [(5, b"k", b"v", []), (6, b"k", b"v", [])])]))
    batch[57:61] = count.to_bytes(4, "big", signed=True)

    with pytest.raises(CorruptBatchError, match="records of the batch at offset 0 make no sense"):
        spliced(signed(batch))


def test_control_batches_are_left_out() -> None:
    marker = bytearray(log([(0, [(5, b"k", b"v", [])])]))
    marker[22] |= 0x20
    after = bytearray(log([(1, [(6, b"k", b"w", [])])]))

    (built,) = spliced(signed(marker) + signed(after)).finish(0)

    assert (built.first_offset, built.records) == (1, 1)
