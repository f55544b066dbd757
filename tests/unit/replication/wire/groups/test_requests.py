"""Our requests for committed offsets say what kafka-python's say, and read what it writes."""

from typing import Any

import pytest
from kafka.protocol.consumer import (
    OffsetCommitRequest as LibraryCommitRequest,
)
from kafka.protocol.consumer import (
    OffsetCommitResponse,
    OffsetFetchResponse,
)
from kafka.protocol.consumer import (
    OffsetFetchRequest as LibraryFetchRequest,
)

from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.wire.groups.offset_commit import OffsetCommitRequest
from replication.wire.groups.offset_fetch import OffsetFetchRequest, OneGroupOffsetFetchRequest

PLACE, OTHER = TopicPartition("orders", 0), TopicPartition("orders", 7)
HEADER_BYTES = 4 + 2 + 2 + 4 + 2 + len("srm") + 1


def body_of(request: Any, version: int) -> bytes:
    request.API_VERSION = version
    frame = b"".join(request.encode(1, "srm"))
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
    return frame[HEADER_BYTES:]


def answer_to(request: Any, response: Any, version: int) -> Any:
    request.API_VERSION = version
    return request.decode_answer(memoryview(b"\0\0\0\1\0" + response.encode(version=version)), None)


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("stable", [True, False])
def test_many_groups_are_asked_for_with_all_topics(version: int, stable: bool) -> None:
    names = ["app", "größe"]

    found = LibraryFetchRequest.decode(body_of(OffsetFetchRequest(names, stable=stable), version), version=version)

    assert [(group.group_id, group.topics) for group in found.groups] == [("app", None), ("größe", None)]
    assert found.require_stable is stable


def test_one_group_is_asked_for_on_older_brokers() -> None:
    found = LibraryFetchRequest.decode(body_of(OneGroupOffsetFetchRequest(["app"], stable=True), 7), version=7)

    assert (found.group_id, found.topics, found.require_stable) == ("app", None, True)


@pytest.mark.parametrize("version", [8, 9])
def test_committed_offsets_are_read_by_group(version: int) -> None:
    group = OffsetFetchResponse.OffsetFetchResponseGroup
    topic = group.OffsetFetchResponseTopics
    partition = topic.OffsetFetchResponsePartitions
    entries = [
        partition(partition_index=0, committed_offset=5, committed_leader_epoch=3, metadata="a\0b", error_code=0),
        partition(partition_index=7, committed_offset=-1, committed_leader_epoch=-1, metadata=None, error_code=88),
        partition(partition_index=8, committed_offset=-1, committed_leader_epoch=-1, metadata="", error_code=0),
    ]
    response = OffsetFetchResponse(
        throttle_time_ms=12,
        groups=[
            group(group_id="app", topics=[topic(name="orders", partitions=entries)], error_code=0),
            group(group_id="denied", topics=[], error_code=30),
        ],
    )

    found = answer_to(OffsetFetchRequest(["app", "denied"], stable=True), response, version)

    assert found.throttle_time_ms == 12
    assert found.groups["app"].commits == {PLACE: Commit(5, "a\0b")}
    assert found.groups["app"].refused == {OTHER: 88}
    assert (found.groups["denied"].code, found.groups["denied"].commits) == (30, {})


def test_committed_offsets_are_read_from_older_brokers() -> None:
    topic = OffsetFetchResponse.OffsetFetchResponseTopic
    entry = topic.OffsetFetchResponsePartition(
        partition_index=0, committed_offset=5, committed_leader_epoch=3, metadata="m", error_code=0
    )
    response = OffsetFetchResponse(throttle_time_ms=0, topics=[topic(name="orders", partitions=[entry])], error_code=0)

    found = answer_to(OneGroupOffsetFetchRequest(["app"], stable=True), response, 7)

    assert found.groups["app"].commits == {PLACE: Commit(5, "m")}


@pytest.mark.parametrize("version", [8, 9])
def test_a_commit_names_no_member_and_no_leader_epoch(version: int) -> None:
    request = OffsetCommitRequest("app", {PLACE: Commit(5, "a\0b"), OTHER: Commit(6)})

    found = LibraryCommitRequest.decode(body_of(request, version), version=version)

    assert (found.group_id, found.generation_id_or_member_epoch, found.member_id) == ("app", -1, "")
    assert found.group_instance_id is None
    (topic,) = found.topics
    told = [
        (each.partition_index, each.committed_offset, each.committed_leader_epoch, each.committed_metadata)
        for each in topic.partitions
    ]
    assert (topic.name, told) == ("orders", [(0, 5, -1, "a\0b"), (7, 6, -1, "")])


def test_the_code_of_each_partition_is_read() -> None:
    topic = OffsetCommitResponse.OffsetCommitResponseTopic
    entry = topic.OffsetCommitResponsePartition
    entries = [entry(partition_index=0, error_code=0), entry(partition_index=7, error_code=3)]
    response = OffsetCommitResponse(throttle_time_ms=5, topics=[topic(name="orders", partitions=entries)])

    found = answer_to(OffsetCommitRequest("app", {}), response, 9)

    assert (found.throttle_time_ms, found.codes) == (5, {PLACE: 0, OTHER: 3})


def test_metadata_that_is_not_utf8_goes_through_byte_for_byte() -> None:
    raw = b"\xff\x00\xfe metadata"
    answer = bytearray()
    answer += b"\0\0\0\1\0" + bytes(4) + b"\x02\x04app" + b"\x02\x07orders" + b"\x02"
    answer += bytes(4) + (5).to_bytes(8, "big") + b"\xff" * 4 + bytes((len(raw) + 1,)) + raw + bytes(2)
    answer += b"\0" + b"\0" + bytes(2) + b"\0" + b"\0"
    request = OffsetFetchRequest(["app"], stable=True)
    request.API_VERSION = 9

    commit = request.decode_answer(memoryview(bytes(answer)), None).groups["app"].commits[PLACE]

    assert commit.metadata.encode("utf-8", "surrogateescape") == raw
    assert raw in body_of(OffsetCommitRequest("app", {PLACE: commit}), 9)
