"""Every record a real MirrorMaker 2 wrote for our kinds, read and written again byte for byte."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from replication.codecs.connect_offsets import (
    decode_position,
    decode_source_key,
    encode_position,
    encode_source_key,
)
from replication.codecs.mm2_records import (
    decode_checkpoint,
    decode_heartbeat,
    decode_offset_sync,
    encode_checkpoint,
    encode_heartbeat,
    encode_offset_sync,
)
from replication.codecs.murmur2 import partition_for

CAPTURED = json.loads((Path(__file__).parents[3] / "fixtures/mm2/captured.json").read_text())
KeyAndValue = tuple[bytes, bytes]


def both(row: list[str]) -> KeyAndValue:
    return bytes.fromhex(row[0]), bytes.fromhex(row[1])


@pytest.mark.parametrize(
    ("kind", "again"),
    [
        ("heartbeats", lambda key, value: encode_heartbeat(decode_heartbeat(key, value))),
        ("checkpoints", lambda key, value: encode_checkpoint(decode_checkpoint(key, value))),
        ("offset_syncs", lambda key, value: encode_offset_sync(decode_offset_sync(key, value))),
    ],
)
def test_records_come_out_as_they_went_in(kind: str, again: Callable[[bytes, bytes], KeyAndValue]) -> None:
    rows = [both(row) for row in CAPTURED[kind]]

    assert [again(*row) for row in rows] == rows


def test_positions_come_out_as_they_went_in_and_where_connect_puts_them() -> None:
    sources = 0
    for key_hex, value_hex, partition, partitions in CAPTURED["offsets"]:
        key, value = bytes.fromhex(key_hex), None if value_hex is None else bytes.fromhex(value_hex)
        found, position = decode_source_key(key), decode_position(value)
        if found is None:
            continue  # of a checkpoint or heartbeat connector
        sources += 1
        assert encode_source_key(found) == key
        assert (None if position is None else encode_position(position)) == value
        assert partition_for(key, partitions) == partition
    assert sources > 100


def test_forged_positions_are_read_all_the_same() -> None:
    """Other spacing, another partition, no value: what people write by hand."""
    for row in CAPTURED["forged"]:
        found = decode_source_key(bytes.fromhex(row[0]))
        assert found is not None
        assert row[1] is None or decode_position(bytes.fromhex(row[1])) is not None
