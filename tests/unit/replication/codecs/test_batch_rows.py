"""An answer cut into rows in any way holds the same batches."""

import random
import struct

import pytest

from replication.codecs.batch_rows import ALIKE_RUN, alike_run, last_header, row_of, scan, singly
from replication.codecs.record_batch import CorruptBatchError, batches
from replication.domain.batches.batch_decision import CONTROL_BIT, BatchRow
from replication.domain.batches.record import Record
from replication.wire.batches.record_codec import build_batch

SMALL = 1_000


RUNS = [pytest.param(alike_run, id="python")]
if ALIKE_RUN is not alike_run:
    RUNS.append(pytest.param(ALIKE_RUN, id="compiled"))


@pytest.fixture(autouse=True, params=RUNS)
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every promise holds for both."""
    monkeypatch.setattr("replication.codecs.batch_rows.ALIKE_RUN", request.param)


def batch(
    offset: int, *, records: int = 1, size: int = 10, producer_id: int = -1, codec: int = 0, control: bool = False
) -> bytes:
    made = build_batch(
        [Record(number, 1_000 + number, None, b"v" * size, []) for number in range(records)],
        codec=codec,
        producer_id=producer_id,
    )
    struct.pack_into(">q", made, 0, offset)
    if control:
        made[22] |= CONTROL_BIT
    return bytes(made)


def singles(view: memoryview, rows: list[BatchRow]) -> list[BatchRow]:
    return [single for row in rows for single in singly(view, row)]


def test_alike_neighbours_make_one_row_with_what_is_in_them() -> None:
    view = memoryview(b"".join(batch(offset, records=2) for offset in (0, 2, 7)))

    (row,) = scan(view, alike_bytes=SMALL).rows

    assert (row.at, row.end, row.batches, row.records) == (0, len(view), 3, 6)
    assert row.first.base_offset == 0
    assert last_header(view, row).base_offset == 7


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(batch(1, producer_id=9), id="producer"),
        pytest.param(batch(1, codec=3), id="codec"),
        pytest.param(batch(1, control=True), id="control"),
        pytest.param(batch(1, size=SMALL), id="large"),
    ],
)
def test_another_kind_of_batch_stands_by_itself(other: bytes) -> None:
    view = memoryview(batch(0) + other + batch(2) + batch(3))

    rows = scan(view, alike_bytes=SMALL).rows

    assert [(row.first.base_offset, row.batches) for row in rows] == [(0, 1), (1, 1), (2, 2)]


def test_without_a_size_every_batch_is_a_row() -> None:
    view = memoryview(batch(0) + batch(1))

    assert scan(view).rows == [row_of(at, header) for at, header in batches(view)]


def test_counts_leave_control_batches_out() -> None:
    view = memoryview(batch(0, records=3) + batch(3, control=True) + batch(4))

    for answer in (scan(view), scan(view, alike_bytes=SMALL)):
        assert (answer.data_batches, answer.records) == (2, 4)
        assert answer.size_bytes == sum(header.length for _at, header in batches(view) if not header.is_control)


def test_a_last_batch_cut_off_is_skipped() -> None:
    whole = batch(0) + batch(1)

    for cut in (1, 12, 60, 65):
        view = memoryview(whole + batch(2)[:cut])
        assert [row.batches for row in scan(view, alike_bytes=SMALL).rows] == [2]


@pytest.mark.parametrize("length", [0, -5, 20], ids=["none", "negative", "below a header"])
def test_an_invalid_length_ends_the_answer_there(length: int) -> None:
    bad = bytearray(batch(5))
    struct.pack_into(">i", bad, 8, length)
    view = memoryview(batch(0) + bytes(bad) + batch(6))

    for alike_bytes in (0, SMALL):
        answer = scan(view, alike_bytes=alike_bytes)
        assert [row.first.base_offset for row in answer.rows] == [0]
        assert isinstance(answer.broken, CorruptBatchError)


@pytest.mark.parametrize("seed", range(20))
def test_any_mixture_holds_the_same_batches_in_rows_and_singly(seed: int) -> None:
    chance = random.Random(seed)
    offset, made = 0, bytearray()
    for _ in range(chance.randrange(1, 60)):
        records = chance.randrange(1, 4)
        made += batch(
            offset,
            records=records,
            size=chance.choice([5, 5, 5, 2_000]),
            producer_id=chance.choice([-1, -1, 4]),
            codec=chance.choice([0, 0, 3]),
            control=chance.random() < 0.1,
        )
        offset += records + chance.randrange(3)
    view = memoryview(bytes(made[: len(made) - chance.choice([0, 0, 7])]))

    together, alone = scan(view, alike_bytes=SMALL), scan(view)

    assert singles(view, together.rows) == alone.rows
    assert together[1:] == alone[1:]


@pytest.mark.parametrize("seed", range(200))
def test_both_ways_say_the_same_of_any_bytes(seed: int) -> None:
    chance = random.Random(seed)
    made = bytearray(b"".join(batch(offset, size=chance.choice([5, 900])) for offset in range(chance.randrange(1, 6))))
    for _ in range(chance.randrange(4)):
        made[chance.randrange(len(made))] = chance.choice([0, 1, 2, 0x7F, 0x80, 0xFF])
    view = memoryview(bytes(made))

    for largest in (-1, 0, 48, 49, SMALL, 2**31 - 1):
        for at in (0, 1, len(view) - 61, len(view)):
            assert ALIKE_RUN(view, at, largest) == alike_run(view, at, largest)
