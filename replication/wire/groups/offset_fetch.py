"""The request for the committed offsets of groups: many at a time (KIP-709), one on brokers before Kafka 3.0.

It decodes its own answer: kafka-python's decoder fails on metadata that is not UTF-8, and makes an object per field.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from replication.domain.groups.consumer_group import Commit
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.wire.network.buffers import FrameBuffer
from replication.wire.network.encoding import INT32, NO_TAGS, ProtocolReader, compact_string, request_header, uvarint
from replication.wire.network.negotiation import NegotiatedRequest

API_KEY = 9
ONE_GROUP_VERSION = 7  # Kafka 2.5
MANY_GROUPS_VERSION = 9  # 8 came with Kafka 3.0; from 10 on topics have ids instead of names
_ALL_TOPICS = uvarint(0)  # null
_NO_MEMBER = uvarint(0) + INT32.pack(-1)  # KIP-848: no member id, no epoch
_PLACE = struct.Struct(">iqi")  # partition, offset, leader epoch


@dataclass(slots=True)
class FetchedCommits:
    """The answer for one group. `refused` has the codes of partitions without a stable offset."""

    code: int = KafkaErrorCode.NONE
    commits: dict[TopicPartition, Commit] = field(default_factory=dict)
    refused: dict[TopicPartition, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OffsetFetchAnswer:
    """The answers by group."""

    throttle_time_ms: int
    groups: dict[str, FetchedCommits]


class OffsetFetchRequest(NegotiatedRequest):
    """Asks for all committed offsets of each group; brokers before Kafka 3.0 are incompatible."""

    API_KEY = API_KEY
    name = "OffsetFetch"
    min_version = ONE_GROUP_VERSION + 1
    newest_version = MANY_GROUPS_VERSION

    def __init__(self, groups: Sequence[str], *, stable: bool) -> None:
        super().__init__(self.newest_version)
        self._groups = tuple(groups)
        self._stable = stable

    def expect_response(self) -> bool:
        return True

    def encode(self, correlation_id: int, client_id: str) -> list[bytes | memoryview]:
        out = bytearray(4)
        out += request_header(API_KEY, self.version, correlation_id, client_id)
        if self.version <= ONE_GROUP_VERSION:
            out += compact_string(self._groups[0]) + _ALL_TOPICS
        else:
            member = _NO_MEMBER if self.version >= MANY_GROUPS_VERSION else b""
            out += uvarint(len(self._groups) + 1)
            for name in self._groups:
                out += compact_string(name) + member + _ALL_TOPICS + NO_TAGS
        out += bytes((self._stable,)) + NO_TAGS
        out[0:4] = INT32.pack(len(out) - 4)
        return [bytes(out)]

    def decode_answer(self, body: memoryview, _frame: FrameBuffer | None) -> OffsetFetchAnswer:
        reader = ProtocolReader(body, 4)
        reader.tags()
        throttle_time_ms = reader.int32()
        places: dict[tuple[str, int], TopicPartition] = {}  # groups share their topics
        if self.version <= ONE_GROUP_VERSION:
            found = _topics(reader, places)
            found.code = reader.int16()
            return OffsetFetchAnswer(throttle_time_ms, {self._groups[0]: found})
        groups: dict[str, FetchedCommits] = {}
        for _ in range(reader.array_length()):
            name = reader.compact_string() or ""
            groups[name] = found = _topics(reader, places)
            found.code = reader.int16()
            reader.tags()
        return OffsetFetchAnswer(throttle_time_ms, groups)


class OneGroupOffsetFetchRequest(OffsetFetchRequest):
    """Asks for the committed offsets of one group."""

    min_version = newest_version = ONE_GROUP_VERSION


def _topics(reader: ProtocolReader, places: dict[tuple[str, int], TopicPartition]) -> FetchedCommits:
    found = FetchedCommits()
    view = reader.view
    for _ in range(reader.array_length()):
        topic = reader.compact_string() or ""
        for _ in range(reader.array_length()):
            number, offset, _epoch = _PLACE.unpack_from(view, reader.at)
            reader.at += _PLACE.size
            metadata = text_of(reader)
            code = reader.int16()
            reader.tags()
            place = places.get((topic, number))
            if place is None:
                place = places[topic, number] = TopicPartition(topic, number)
            if code != KafkaErrorCode.NONE:
                found.refused[place] = code
            elif offset >= 0:
                found.commits[place] = Commit(offset, metadata)
        reader.tags()
    return found


def text_of(reader: ProtocolReader) -> str:
    """Read a text byte for byte: what is not UTF-8 becomes surrogate escapes. A null reads as empty."""
    data = reader.compact_view()
    return str(data, "utf-8", "surrogateescape") if data else ""
