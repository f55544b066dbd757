"""The request that commits offsets of one group from outside of it: no member, no generation, no leader epoch."""

import struct
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.wire.network.buffers import FrameBuffer
from replication.wire.network.encoding import INT32, NO_TAGS, ProtocolReader, compact_string, request_header, uvarint
from replication.wire.network.negotiation import NegotiatedRequest

API_KEY = 8
_FIRST_VERSION = 8  # Kafka 2.4
_NEWEST_VERSION = 9  # from 10 on topics have ids instead of names
_NO_MEMBER = INT32.pack(-1) + uvarint(1) + uvarint(0)  # generation, an empty member id, no instance id
_PLACE = struct.Struct(">iqi")  # partition, offset, leader epoch
_NO_EPOCH = -1


@dataclass(frozen=True, slots=True)
class OffsetCommitAnswer:
    """The codes by partition."""

    throttle_time_ms: int
    codes: dict[TopicPartition, int]


class OffsetCommitRequest(NegotiatedRequest):
    """Encodes itself, because metadata are bytes that need not be UTF-8."""

    API_KEY = API_KEY
    name = "OffsetCommit"
    min_version = _FIRST_VERSION

    def __init__(self, group: str, commits: Mapping[TopicPartition, Commit]) -> None:
        super().__init__(_NEWEST_VERSION)
        self._group = group
        self._commits = commits

    def expect_response(self) -> bool:
        return True

    def encode(self, correlation_id: int, client_id: str) -> list[bytes | memoryview]:
        by_topic: defaultdict[str, list[tuple[int, Commit]]] = defaultdict(list)
        for place, commit in self._commits.items():
            by_topic[place.topic].append((place.partition, commit))
        out = bytearray(4)
        out += request_header(API_KEY, self.version, correlation_id, client_id)
        out += compact_string(self._group) + _NO_MEMBER + uvarint(len(by_topic) + 1)
        for topic, commits in by_topic.items():
            out += compact_string(topic) + uvarint(len(commits) + 1)
            for number, commit in commits:
                metadata = commit.metadata.encode("utf-8", "surrogateescape")
                out += _PLACE.pack(number, commit.offset, _NO_EPOCH)
                out += uvarint(len(metadata) + 1) + metadata + NO_TAGS
            out += NO_TAGS
        out += NO_TAGS
        out[0:4] = INT32.pack(len(out) - 4)
        return [bytes(out)]

    def decode_answer(self, body: memoryview, _frame: FrameBuffer | None) -> OffsetCommitAnswer:
        reader = ProtocolReader(body, 4)
        reader.tags()
        throttle_time_ms = reader.int32()
        codes: dict[TopicPartition, int] = {}
        for _ in range(reader.array_length()):
            topic = reader.compact_string() or ""
            for _ in range(reader.array_length()):
                number = reader.int32()
                codes[TopicPartition(topic, number)] = reader.int16()
                reader.tags()
            reader.tags()
        return OffsetCommitAnswer(throttle_time_ms, codes)
