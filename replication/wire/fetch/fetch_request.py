"""The raw Fetch request (v12 by topic name, v13 by topic id) and its answer as slices of the frame."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from replication.domain.offsets.leader_epochs import EpochEnd
from replication.ports.fetch.batch_fetcher import FetchedPartition, FetchPosition
from replication.wire.network.buffers import FrameBuffer
from replication.wire.network.encoding import (
    INT8,
    INT32,
    INT64,
    NO_TAGS,
    ProtocolReader,
    compact_string,
    request_header,
    uvarint,
)
from replication.wire.network.negotiation import NegotiatedRequest

API_KEY = 1
BY_NAME_VERSION = 12
BY_ID_VERSION = 13
_DIVERGING_EPOCH_TAG = 0

TopicKey = tuple[str, bytes]  # name and topic id; the version decides which one is sent


@dataclass(frozen=True, slots=True)
class FetchAnswer:
    """One answer; `frame` is held once for the reader and must be released when `partitions` is done with."""

    throttle_time_ms: int
    error_code: int
    session_id: int
    partitions: list[FetchedPartition]
    frame: FrameBuffer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchCall:
    """The content of one Fetch request; `forgotten` leaves the session."""

    by_id: bool  # every topic of the session has an id; used where the broker can (Kafka 3.1)
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    isolation: int
    session_id: int
    session_epoch: int
    wanted: Iterable[FetchPosition]
    forgotten: Iterable[FetchPosition]
    partition_max_bytes: int
    rack: str = ""


class FetchRequest(NegotiatedRequest):
    """A request for kafka-python's connection that needs no schema and copies no payload."""

    API_KEY = API_KEY
    name = "Fetch"
    min_version = BY_NAME_VERSION

    def __init__(self, call: FetchCall, names: dict[bytes, str]) -> None:
        """`names` by topic id, for the topics of the session."""
        super().__init__(BY_ID_VERSION if call.by_id else BY_NAME_VERSION)
        self._call = call
        self._names = names

    def __str__(self) -> str:
        return f"FetchRequest(version={self.API_VERSION}, session={self._call.session_id})"

    def expect_response(self) -> bool:
        return True

    def encode(self, correlation_id: int, client_id: str) -> list[bytes | memoryview]:
        call = self._call
        out = bytearray(4)
        out += request_header(API_KEY, self.version, correlation_id, client_id)
        out += INT32.pack(-1) + INT32.pack(call.max_wait_ms) + INT32.pack(call.min_bytes) + INT32.pack(call.max_bytes)
        out += INT8.pack(call.isolation) + INT32.pack(call.session_id) + INT32.pack(call.session_epoch)
        self._append_wanted(out)
        self._append_forgotten(out)
        out += compact_string(call.rack) + NO_TAGS
        out[0:4] = INT32.pack(len(out) - 4)
        return [bytes(out)]

    def _append_wanted(self, out: bytearray) -> None:
        by_topic = _by_topic(self._call.wanted)
        out += uvarint(len(by_topic) + 1)
        for topic, positions in by_topic:
            out += self._topic(topic) + uvarint(len(positions) + 1)
            for position in positions:
                out += INT32.pack(position.partition) + INT32.pack(-1) + INT64.pack(position.offset)
                out += INT32.pack(position.last_epoch) + INT64.pack(-1)
                out += INT32.pack(_least(self._call.partition_max_bytes, position.most_bytes)) + NO_TAGS
            out += NO_TAGS

    def _append_forgotten(self, out: bytearray) -> None:
        by_topic = _by_topic(self._call.forgotten)
        out += uvarint(len(by_topic) + 1)
        for topic, positions in by_topic:
            out += self._topic(topic) + uvarint(len(positions) + 1)
            for position in positions:
                out += INT32.pack(position.partition)
            out += NO_TAGS

    def _topic(self, topic: TopicKey) -> bytes:
        return topic[1] if self.version >= BY_ID_VERSION else compact_string(topic[0])

    def decode_answer(self, body: memoryview, frame: FrameBuffer | None) -> FetchAnswer:
        reader = ProtocolReader(body, 4)
        reader.tags()
        throttle_time_ms, error_code, session_id = reader.int32(), reader.int16(), reader.int32()
        partitions: list[FetchedPartition] = []
        for _ in range(reader.array_length()):
            if self.version >= BY_ID_VERSION:
                topic_id = reader.bytes16()
                name = self._names.get(topic_id, "")
            else:
                name, topic_id = reader.compact_string() or "", b""
            for _ in range(reader.array_length()):
                partitions.append(_partition(reader, name, topic_id))
            reader.tags()
        if frame is not None:
            frame.retain()
        return FetchAnswer(throttle_time_ms, error_code, session_id, partitions, frame)


def _partition(reader: ProtocolReader, topic: str, topic_id: bytes) -> FetchedPartition:
    partition, error_code = reader.int32(), reader.int16()
    high_watermark, last_stable_offset, log_start_offset = reader.int64(), reader.int64(), reader.int64()
    aborted: list[tuple[int, int]] = []
    for _ in range(reader.array_length()):
        aborted.append((reader.int64(), reader.int64()))
        reader.tags()
    preferred_replica = reader.int32()
    records = reader.compact_view()
    tags = reader.tags()
    diverging = tags.get(_DIVERGING_EPOCH_TAG)
    return FetchedPartition(
        topic=topic,
        topic_id=topic_id,
        partition=partition,
        error_code=error_code,
        high_watermark=high_watermark,
        last_stable_offset=last_stable_offset,
        log_start_offset=log_start_offset,
        aborted=tuple(aborted),
        preferred_replica=preferred_replica,
        diverging=_epoch_end(diverging) if diverging is not None else None,
        records=records,
    )


def _epoch_end(tag: bytes | memoryview) -> EpochEnd:
    return EpochEnd(INT32.unpack_from(tag, 0)[0], INT64.unpack_from(tag, 4)[0])


def _least(ceiling: int, most_bytes: int | None) -> int:
    return ceiling if most_bytes is None else min(ceiling, most_bytes)


def _by_topic(positions: Iterable[FetchPosition]) -> list[tuple[TopicKey, list[FetchPosition]]]:
    ordered = sorted(positions, key=lambda position: (position.topic, position.topic_id, position.partition))
    grouped = groupby(ordered, key=lambda position: (position.topic, position.topic_id))
    return [(topic, list(members)) for topic, members in grouped]


PartitionKey = tuple[str, bytes, int]


class FetchSession:
    """An incremental fetch session with one broker (KIP-227): each request says only what changed.

    A thousand quiet partitions cost nothing while one busy one is fetched a thousand times a second.
    """

    def __init__(self) -> None:
        self._id = 0
        self._epoch = 0
        self._wanted: dict[PartitionKey, FetchPosition] = {}
        self._changed: dict[PartitionKey, FetchPosition] = {}
        self._forgotten: dict[PartitionKey, FetchPosition] = {}

    def __len__(self) -> int:
        return len(self._wanted)

    @property
    def topic_ids(self) -> frozenset[bytes]:
        """The topics of which partitions are wanted."""
        return frozenset(topic_id for _, topic_id, _ in self._wanted)

    def want(self, position: FetchPosition) -> None:
        """Fetch this partition from this offset on."""
        key = (position.topic, position.topic_id, position.partition)
        if self._wanted.get(key) != position:
            self._wanted[key] = self._changed[key] = position
            self._forgotten.pop(key, None)

    def forget(self, topic: str, topic_id: bytes, partition: int) -> None:
        """Fetch this partition no more."""
        key = (topic, topic_id, partition)
        position = self._wanted.pop(key, None)
        self._changed.pop(key, None)
        if position is not None:
            self._forgotten[key] = position

    def request(self) -> tuple[int, int, list[FetchPosition], list[FetchPosition]]:
        """(session id, session epoch, positions to send, positions to forget); what is sent counts as known."""
        if self._epoch == 0:
            changed, forgotten = list(self._wanted.values()), []
        else:
            changed, forgotten = list(self._changed.values()), list(self._forgotten.values())
        self._changed.clear()
        self._forgotten.clear()
        return self._id, self._epoch, changed, forgotten

    def answered(self, session_id: int) -> None:
        """The broker took the request; id 0 means it keeps no session for us."""
        if session_id == 0:
            self.lost()
            return
        self._id = session_id
        self._epoch = self._epoch + 1 if self._epoch < 2**31 - 1 else 1

    def lost(self) -> None:
        """The session is gone or its state unknown: the next request starts a new one with everything."""
        self._id = 0
        self._epoch = 0
