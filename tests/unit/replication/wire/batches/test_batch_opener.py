"""Halves of a refused batch hold the records as they were."""

import pytest

from replication.codecs.record_batch import read_header, verify
from replication.domain.batches.record import NO_TIMESTAMP, Record
from replication.ports.batches.record_path import TooMuchPlainError
from replication.wire.batches.batch_opener import WireBatchOpener
from replication.wire.batches.record_codec import build_batch, decode_records


@pytest.mark.parametrize("codec", [0, 1])
@pytest.mark.parametrize(
    "timestamps",
    [
        pytest.param([500, 510, 520, 530], id="all have one"),
        pytest.param([500, NO_TIMESTAMP, NO_TIMESTAMP, 600], id="the second half begins without one"),
        pytest.param([500, 510, NO_TIMESTAMP, NO_TIMESTAMP], id="the second half has none"),
        pytest.param([NO_TIMESTAMP] * 4, id="none has one"),
    ],
)
def test_halves_keep_the_timestamps_and_what_has_none_gets_none(timestamps: list[int], codec: int) -> None:
    records = [Record(number, at, b"k", b"v", []) for number, at in enumerate(timestamps)]
    batch = build_batch(records, codec=codec)
    halves = WireBatchOpener().halve(memoryview(batch))
    found = [record.timestamp for half in halves for record in decode_records(half.data)]
    assert found == timestamps
    assert [half.max_timestamp for half in halves] == [max(timestamps[:2]), max(timestamps[2:])]
    for half in halves:
        header = read_header(memoryview(half.data), 0)
        verify(memoryview(half.data), 0, header)
        assert header.max_timestamp == half.max_timestamp


def test_an_only_record_keeps_headers_without_a_value() -> None:
    record = Record(0, 1, b"k", None, [("null", None), ("empty", b""), ("text", b"t")])

    found = WireBatchOpener().only_record(memoryview(build_batch([record], codec=1)))

    assert (found.key, found.value, list(found.headers)) == (b"k", None, record.headers)


def test_a_batch_that_holds_more_than_a_step_may_open_is_not_halved_in_it() -> None:
    batch = memoryview(build_batch([Record(number, 1, None, bytes(50_000), []) for number in range(4)], codec=1))

    with pytest.raises(TooMuchPlainError):
        WireBatchOpener().halve(batch, 100_000)
    assert [half.records for half in WireBatchOpener().halve(batch, 300_000)] == [2, 2]
