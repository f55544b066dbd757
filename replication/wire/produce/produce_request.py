"""The raw Produce request (v9 to v11, by topic name) that sends batches as they lie in memory, and its answer."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from replication.ports.produce.batch_producer import OutgoingBatch, ProduceResult
from replication.wire.network.buffers import FrameBuffer
from replication.wire.network.encoding import (
    INT16,
    INT32,
    NO_TAGS,
    ProtocolReader,
    compact_string,
    request_header,
    uvarint,
)
from replication.wire.network.negotiation import NegotiatedRequest

API_KEY = 0
OLDEST_VERSION = 9  # Kafka 2.8; 9 to 11 have the same bytes but for tagged fields in the answer
NEWEST_VERSION = 11  # 12 belongs to EndTxn 5 (KIP-890): versions are paired
ACKS_ALL = -1
PRODUCE_TIMEOUT_MS = 15_000
_RESULT = struct.Struct(">ihqqq")  # partition, error, base offset, log append time, log start offset
_NO_DETAILS = b"\x01\x00\x00"  # no record errors, no message, no tags


@dataclass(frozen=True, slots=True)
class ProduceAnswer:
    """One answer, partition by partition."""

    throttle_time_ms: int
    results: tuple[ProduceResult, ...]


class ProduceRequest(NegotiatedRequest):
    """A request for kafka-python's connection; the batches are sent from where they are."""

    API_KEY = API_KEY
    name = "Produce"
    min_version = OLDEST_VERSION

    def __init__(
        self, version: int, batches: Sequence[OutgoingBatch], *, timeout_ms: int, transactional_id: str | None = None
    ) -> None:
        super().__init__(version)
        self._batches = batches
        self._timeout_ms = timeout_ms
        self._transactional_id = transactional_id

    def __str__(self) -> str:
        return f"ProduceRequest(version={self.API_VERSION}, partitions={len(self._batches)})"

    def expect_response(self) -> bool:
        return True

    def encode(self, correlation_id: int, client_id: str) -> list[bytes | memoryview]:
        head = request_header(API_KEY, self.version, correlation_id, client_id)
        head += NO_TAGS if self._transactional_id is None else compact_string(self._transactional_id)
        head += INT16.pack(ACKS_ALL) + INT32.pack(self._timeout_ms)
        by_topic: dict[str, list[OutgoingBatch]] = {}
        for batch in self._batches:
            by_topic.setdefault(batch.topic, []).append(batch)
        pending = head + uvarint(len(by_topic) + 1)
        buffers: list[bytes | memoryview] = [b""]
        for topic, batches in by_topic.items():
            pending += compact_string(topic) + uvarint(len(batches) + 1)
            for batch in batches:
                pending += INT32.pack(batch.partition) + uvarint(len(batch.data) + 1)
                buffers += (pending, batch.data)
                pending = NO_TAGS
            pending += NO_TAGS
        buffers.append(pending + NO_TAGS)
        buffers[0] = INT32.pack(sum(map(len, buffers)))
        return buffers

    def decode_answer(self, body: memoryview, frame: FrameBuffer | None) -> ProduceAnswer:
        reader = ProtocolReader(body, 4)
        reader.tags()
        results: list[ProduceResult] = []
        for _ in range(reader.array_length()):
            topic = reader.compact_string() or ""
            for _ in range(reader.array_length()):
                results.append(_result(reader, topic))
            reader.tags()
        return ProduceAnswer(reader.int32(), tuple(results))


def _result(reader: ProtocolReader, topic: str) -> ProduceResult:
    view, at = reader.view, reader.at
    partition, error_code, base_offset, _append_ms, _log_start = _RESULT.unpack_from(view, at)
    reader.at = at + _RESULT.size
    if view[reader.at : reader.at + 3] == _NO_DETAILS:
        reader.at += 3
        return ProduceResult(topic, partition, error_code, base_offset, None)
    details: list[str] = []
    for _ in range(reader.array_length()):
        reader.int32()
        detail = reader.compact_string()
        if detail:
            details.append(detail)
        reader.tags()
    message = reader.compact_string()
    reader.tags()
    text = "; ".join(filter(None, [message, *details[:1]])) or None
    return ProduceResult(topic, partition, error_code, base_offset, text)
