"""The whole capture of a real MirrorMaker 2, where it is at hand, and the vectors of its formats.

The capture is read in place: beside the project, or in the folder `SRM_FIXTURES`. The copies that the other tests read
are held against it, so that a clone without the capture tests the same bytes.
"""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from replication.codecs.connect_offsets import (
    SourceOffsetKey,
    decode_position,
    decode_source_key,
    encode_checkpoint_key,
    encode_heartbeat_key,
    encode_position,
    encode_source_key,
)
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
from replication.codecs.murmur2 import partition_for
from replication.domain.identifiers import TopicPartition

PROJECT = Path(__file__).resolve().parents[4]
COPIES = PROJECT / "tests/fixtures/mm2"
CAPTURE = Path(os.environ.get("SRM_FIXTURES") or PROJECT.parent / "shared/fixtures/mm2")
# What each file of the capture is for. A new file fails the test below until somebody decides.
USED = {"records.json", "topics.json", "offset_translation.json"}
NOT_OURS = {"README.md", "metrics.txt", "perf.md", "rest.json", "takeover.md"}  # prose, and interfaces we do not offer
# Connect's own books: we keep nothing in them, we only create their topics
CONNECTS_OWN = ("config:", "status-")


@pytest.fixture(scope="module")
def capture() -> Path:
    if not (CAPTURE / "records.json").exists():
        pytest.skip("the capture of MirrorMaker 2 is not here; SRM_FIXTURES names its folder")
    return CAPTURE


@pytest.fixture(scope="module")
def topics(capture: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((capture / "records.json").read_text())["topics"]
    return found


def raw(record: dict[str, Any]) -> tuple[bytes, bytes | None]:
    value = record["value_hex"]
    return bytes.fromhex(record["key_hex"]), None if value is None else bytes.fromhex(value)


def heartbeat(record: dict[str, Any]) -> None:
    told, (key, value) = record["decoded"], raw(record)
    expected = Heartbeat(source=told["source"], target=told["target"], timestamp_ms=told["timestamp"])
    assert decode_heartbeat(key, value) == expected
    assert encode_heartbeat(expected) == (key, value)
    assert record["timestamp"] == expected.timestamp_ms


def checkpoint(record: dict[str, Any]) -> None:
    told, (key, value) = record["decoded"], raw(record)
    expected = Checkpoint(
        group=told["group"],
        remote=TopicPartition(told["topic"], told["partition"]),
        upstream_offset=told["upstreamOffset"],
        downstream_offset=told["downstreamOffset"],
        metadata=told["metadata"],
    )
    assert decode_checkpoint(key, value) == expected
    assert encode_checkpoint(expected) == (key, value)


def offset_sync(record: dict[str, Any]) -> None:
    told, (key, value) = record["decoded"], raw(record)
    expected = OffsetSync(
        upstream=TopicPartition(told["topic"], told["partition"]),
        upstream_offset=told["upstreamOffset"],
        downstream_offset=told["downstreamOffset"],
    )
    assert decode_offset_sync(key, value) == expected
    assert encode_offset_sync(expected) == (key, value)


def connect_offset(record: dict[str, Any]) -> None:
    """Of all three connectors; those written by hand with other bytes are read, but not written like that."""
    key, value = raw(record)
    connector, place = json.loads(record["decoded"]["key"])
    if "cluster" in place:
        expected = SourceOffsetKey(
            connector=connector, cluster=place["cluster"], upstream=TopicPartition(place["topic"], place["partition"])
        )
        assert decode_source_key(key) == expected
        again = encode_source_key(expected)
    else:
        assert decode_source_key(key) is None
        again = (
            encode_checkpoint_key(place["group"], TopicPartition(place["topic"], place["partition"]))
            if "group" in place
            else encode_heartbeat_key(place["sourceClusterAlias"], place["targetClusterAlias"])
        )
        for ours in (
            "MirrorCheckpointConnector",
            "MirrorHeartbeatConnector",
        ):  # a worker of Connect may call it otherwise
            again = again.replace(ours.encode(), connector.encode())
    told = record["decoded"]["value"]
    assert decode_position(value) == (None if told is None else told["offset"] + 1)
    is_forged = bool(record["mismatch"])
    if not is_forged:
        assert again == key
        assert value is None or encode_position(told["offset"] + 1) == value
        assert partition_for(key, 25) == record["partition"]


CHECKS = {
    "heartbeat": heartbeat,
    "checkpoint": checkpoint,
    "offset-sync": offset_sync,
    "connect-offset": connect_offset,
}


def test_every_file_of_the_capture_is_used_or_known_not_to_be(capture: Path) -> None:
    assert {path.name for path in capture.iterdir()} == USED | NOT_OURS


def test_every_record_of_our_kinds_comes_out_as_it_went_in_and_says_what_others_read_in_it(
    topics: dict[str, dict[str, Any]],
) -> None:
    seen: Counter[str] = Counter()
    for topic in topics.values():
        for record in topic["records"]:
            kind = record["decoded"]["kind"]
            assert record["headers"] == []
            if not kind.startswith(CONNECTS_OWN):
                CHECKS[kind](record)
                seen[kind] += 1

    assert seen == {"heartbeat": 16, "checkpoint": 118, "offset-sync": 363, "connect-offset": 279}


def test_the_copies_hold_every_record_of_our_kinds(topics: dict[str, dict[str, Any]]) -> None:
    copies = json.loads((COPIES / "captured.json").read_text())
    held = {tuple(row[:2]) for kind, rows in copies.items() if kind != "note" for row in rows}
    wanted = {
        (record["key_hex"], record["value_hex"])
        for topic in topics.values()
        for record in topic["records"]
        if not record["decoded"]["kind"].startswith(CONNECTS_OWN)
    }

    assert wanted <= held


def test_the_copies_of_topics_and_syncs_are_those_of_the_capture(capture: Path) -> None:
    assert json.loads((COPIES / "topics.json").read_text()) == json.loads((capture / "topics.json").read_text())
    syncs = json.loads((COPIES / "syncs.json").read_text())
    for snapshot in json.loads((capture / "offset_translation.json").read_text())["snapshots"]:
        for partition, rows in snapshot["offset_syncs"].items():
            assert [row[2:] for row in rows] == syncs[partition][: len(rows)]


@pytest.mark.parametrize(
    ("written", "key", "value"),
    [
        pytest.param(
            encode_heartbeat(Heartbeat(source="A", target="B", timestamp_ms=1_700_000_000_000)),
            "000141 000142",
            "0000 0000018bcfe56800",
            id="heartbeat",
        ),
        pytest.param(
            encode_checkpoint(
                Checkpoint(
                    group="g1",
                    remote=TopicPartition("A.t", 3),
                    upstream_offset=10,
                    downstream_offset=5,
                    metadata="",
                )
            ),
            "0002 6731 0003 412e74 00000003",
            "0000 000000000000000a 0000000000000005 0000",
            id="checkpoint",
        ),
        pytest.param(
            encode_offset_sync(OffsetSync(upstream=TopicPartition("t", 3), upstream_offset=10, downstream_offset=5)),
            "0001 74 00000003",
            "000000000000000a 0000000000000005",
            id="offset sync",
        ),
    ],
)
def test_the_layouts_are_those_of_the_formats_description(written: tuple[bytes, bytes], key: str, value: str) -> None:
    assert written == (bytes.fromhex(key), bytes.fromhex(value))
