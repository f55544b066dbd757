"""Halves of a refused batch hold the records as they were."""

import pytest

from replication.codecs.record_batch import read_header, verify
from replication.domain.batches.record import NO_TIMESTAMP, Record
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
