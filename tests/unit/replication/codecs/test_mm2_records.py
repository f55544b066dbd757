"""MM2's records against bytes captured from a real MirrorMaker 2."""

import json
from pathlib import Path
from typing import Any

import pytest

from replication.codecs.mm2_records import (
    Checkpoint,
    Heartbeat,
    OffsetSync,
    decode_checkpoint,
    decode_heartbeat,
    decode_offset_sync,
    encode_checkpoint,
    encode_heartbeat,
    encode_offset_sync,
)
from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import TopicPartition

CAPTURED = json.loads((Path(__file__).parents[3] / "fixtures/mm2/records.json").read_text())


def raw(sample: dict[str, Any]) -> tuple[bytes, bytes]:
    return bytes.fromhex(sample["key"]), bytes.fromhex(sample["value"])


@pytest.mark.parametrize("sample", CAPTURED["heartbeat"])
def test_heartbeats_are_read_and_written_as_mirrormaker_does(sample: dict[str, Any]) -> None:
    heartbeat = Heartbeat(source=sample["source"], target=sample["target"], timestamp_ms=sample["timestamp_ms"])

    assert decode_heartbeat(*raw(sample)) == heartbeat
    assert encode_heartbeat(heartbeat) == raw(sample)


@pytest.mark.parametrize("sample", CAPTURED["checkpoint"])
def test_checkpoints_are_read_and_written_as_mirrormaker_does(sample: dict[str, Any]) -> None:
    checkpoint = Checkpoint(
        group=sample["group"],
        remote=TopicPartition(sample["topic"], sample["partition"]),
        upstream_offset=sample["upstream"],
        downstream_offset=sample["downstream"],
        metadata=sample["metadata"],
    )

    assert decode_checkpoint(*raw(sample)) == checkpoint
    assert encode_checkpoint(checkpoint) == raw(sample)


@pytest.mark.parametrize("sample", CAPTURED["offset_sync"])
def test_offset_syncs_are_read_and_written_as_mirrormaker_does(sample: dict[str, Any]) -> None:
    sync = OffsetSync(
        upstream=TopicPartition(sample["topic"], sample["partition"]),
        upstream_offset=sample["upstream"],
        downstream_offset=sample["downstream"],
    )

    assert decode_offset_sync(*raw(sample)) == sync
    assert encode_offset_sync(sync) == raw(sample)


def test_bytes_after_the_last_field_are_ignored() -> None:
    key, value = encode_heartbeat(Heartbeat(source="a", target="b", timestamp_ms=5))

    assert decode_heartbeat(key + b"x", value + b"x").timestamp_ms == 5


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param(b"\x00\x01", bytes(16), id="key cut off"),
        pytest.param(b"\x00\x01t\x00\x00\x00\x00", bytes(15), id="value cut off"),
        pytest.param(b"\x00\x01t\x00\x00\x00\x00", None, id="tombstone"),
        pytest.param(b"\xff\xff\x00\x00\x00\x00", bytes(16), id="negative length"),
        pytest.param(b"\x00\x01\xff\x00\x00\x00\x00", bytes(16), id="no UTF-8"),
    ],
)
def test_broken_bytes_are_a_malformed_record(key: bytes, value: bytes | None) -> None:
    with pytest.raises(MalformedRecordError):
        decode_offset_sync(key, value)
