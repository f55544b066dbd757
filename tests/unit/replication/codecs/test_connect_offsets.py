"""The offsets topic, byte for byte: Connect finds a position by its key's bytes only."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.codecs.connect_offsets import (
    SourceOffsetKey,
    decode_position,
    decode_source_key,
    encode_checkpoint_key,
    encode_heartbeat_key,
    encode_position,
    encode_source_key,
)
from replication.codecs.murmur2 import murmur2, partition_for
from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import TopicPartition

CAPTURED = json.loads((Path(__file__).parents[3] / "fixtures/mm2/records.json").read_text())
OFFSETS_PARTITIONS = 25


@pytest.mark.parametrize("sample", CAPTURED["source_offset"])
def test_source_positions_have_mirrormakers_bytes_and_partition(sample: dict[str, Any]) -> None:
    key = SourceOffsetKey(cluster=sample["cluster"], upstream=TopicPartition(sample["topic"], sample["partition"]))
    stored = bytes.fromhex(sample["key"])

    assert encode_source_key(key) == stored
    assert decode_source_key(stored) == key
    assert partition_for(stored, OFFSETS_PARTITIONS) == sample["stored_in"]
    assert encode_position(sample["offset"] + 1) == bytes.fromhex(sample["value"])


@pytest.mark.parametrize("sample", CAPTURED["checkpoint_offset"])
def test_checkpoint_positions_have_mirrormakers_bytes(sample: dict[str, Any]) -> None:
    key = encode_checkpoint_key(sample["group"], TopicPartition(sample["topic"], sample["partition"]))

    assert key == bytes.fromhex(sample["key"])
    assert decode_source_key(key) is None


@pytest.mark.parametrize("sample", CAPTURED["heartbeat_offset"])
def test_heartbeat_positions_have_mirrormakers_bytes(sample: dict[str, Any]) -> None:
    assert encode_heartbeat_key(sample["source"], sample["target"]) == bytes.fromhex(sample["key"])


def test_the_position_read_is_the_next_offset_to_fetch() -> None:
    assert decode_position(b'{"offset":41}') == 42
    assert decode_position(b'{ "offset" : 41 }') == 42


def test_a_removed_or_negative_position_means_none() -> None:
    assert decode_position(None) is None
    assert decode_position(b'{"offset":-1}') is None


@pytest.mark.parametrize("value", [b"", b"[]", b"{}", b'{"offset":"x"}', b'{"offset":true}', b"\xff"])
def test_a_value_without_offset_is_a_malformed_record(value: bytes) -> None:
    with pytest.raises(MalformedRecordError):
        decode_position(value)


@pytest.mark.parametrize("key", [None, b"", b"x", b"{}", b'["a"]', b'["a", 1]'])
def test_a_key_of_another_shape_is_a_malformed_record(key: bytes | None) -> None:
    with pytest.raises(MalformedRecordError):
        decode_source_key(key)


@given(st.text(min_size=1), st.integers(min_value=0, max_value=2**31 - 1), st.text(min_size=1))
def test_any_key_survives_the_round_trip(topic: str, partition: int, cluster: str) -> None:
    encodable = all(not 0xD800 <= ord(character) <= 0xDFFF for character in topic + cluster)
    if encodable:
        key = SourceOffsetKey(cluster=cluster, upstream=TopicPartition(topic, partition))
        assert decode_source_key(encode_source_key(key)) == key


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536), (b"abc", 479470107)],
)
def test_murmur2_equals_kafkas_own_test_vectors(data: bytes, expected: int) -> None:
    assert murmur2(data) == expected & 0xFFFFFFFF
