"""MirrorMaker 2's three record formats: heartbeat, checkpoint, offset sync.

Big-endian structs of `org.apache.kafka.connect.mirror.{Heartbeat,Checkpoint,OffsetSync}`: a string is an int16 length
and UTF-8 bytes; the version is in the value only, and offset syncs have none. Trailing bytes are ignored, as the
Java readers do. Never write a tombstone to these topics: the Java readers die of it.
"""

import struct
from dataclasses import dataclass
from functools import lru_cache

from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import TopicPartition

LONGEST_STRING = 32_767  # bytes
_VERSION = 0
_PARTITION = struct.Struct(">i")
_OFFSETS = struct.Struct(">hqq")  # version, upstream, downstream


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """Proof that a flow is alive, written to the target's `heartbeats`."""

    source: str
    target: str
    timestamp_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A group's position on both sides. The topic is the remote (downstream) one."""

    group: str
    remote: TopicPartition
    upstream_offset: int
    downstream_offset: int
    metadata: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetSync:
    """Upstream and downstream offset of one record. The topic is the upstream one."""

    upstream: TopicPartition
    upstream_offset: int
    downstream_offset: int


class _Reader:
    """Reads a struct field by field; a short buffer is a malformed record that names the missing field."""

    def __init__(self, data: bytes | None, what: str) -> None:
        if data is None:
            raise MalformedRecordError(f"{what} is null; these topics have no tombstones")
        self._data = data
        self._at = 0
        self._what = what

    def integer(self, code: str, field: str) -> int:
        width = struct.calcsize(code)
        if self._at + width > len(self._data):
            raise MalformedRecordError(f"{self._what} ends before {field} ({len(self._data)} bytes)")
        (value,) = struct.unpack_from(code, self._data, self._at)
        self._at += width
        return int(value)

    def string(self, field: str, errors: str = "strict") -> str:
        length = self.integer(">h", field)
        end = self._at + length
        if length < 0 or end > len(self._data):
            raise MalformedRecordError(f"{self._what} has a bad length {length} for {field}")
        try:
            text = self._data[self._at : end].decode(errors=errors)
        except UnicodeDecodeError as error:
            raise MalformedRecordError(f"{self._what} has no UTF-8 in {field}") from error
        self._at = end
        return text


def _string(text: str) -> bytes:
    data = text.encode(errors="surrogateescape")
    return struct.pack(">h", len(data)) + data


_name = lru_cache(maxsize=1_024)(_string)  # a round of checkpoints writes each name many times


def encode_heartbeat(heartbeat: Heartbeat) -> tuple[bytes, bytes]:
    """Key and value."""
    key = _string(heartbeat.source) + _string(heartbeat.target)
    return key, struct.pack(">hq", _VERSION, heartbeat.timestamp_ms)


def decode_heartbeat(key: bytes | None, value: bytes | None) -> Heartbeat:
    """Raises MalformedRecordError."""
    key_reader = _Reader(key, "heartbeat key")
    value_reader = _Reader(value, "heartbeat value")
    value_reader.integer(">h", "version")
    return Heartbeat(
        source=key_reader.string("source"),
        target=key_reader.string("target"),
        timestamp_ms=value_reader.integer(">q", "timestamp"),
    )


def encode_checkpoint(checkpoint: Checkpoint) -> tuple[bytes, bytes]:
    """Key and value."""
    remote = checkpoint.remote
    key = _name(checkpoint.group) + _name(remote.topic) + _PARTITION.pack(remote.partition)
    offsets = _OFFSETS.pack(_VERSION, checkpoint.upstream_offset, checkpoint.downstream_offset)
    return key, offsets + _string(checkpoint.metadata)


def decode_checkpoint(key: bytes | None, value: bytes | None) -> Checkpoint:
    """Raises MalformedRecordError. Metadata is kept as written, NUL bytes included."""
    key_reader = _Reader(key, "checkpoint key")
    value_reader = _Reader(value, "checkpoint value")
    value_reader.integer(">h", "version")
    return Checkpoint(
        group=key_reader.string("group"),
        remote=TopicPartition(key_reader.string("topic"), key_reader.integer(">i", "partition")),
        upstream_offset=value_reader.integer(">q", "upstream offset"),
        downstream_offset=value_reader.integer(">q", "downstream offset"),
        metadata=value_reader.string("metadata", "surrogateescape"),  # may be any bytes
    )


def encode_offset_sync(sync: OffsetSync) -> tuple[bytes, bytes]:
    """Key and value."""
    key = _string(sync.upstream.topic) + struct.pack(">i", sync.upstream.partition)
    return key, struct.pack(">qq", sync.upstream_offset, sync.downstream_offset)


def decode_offset_sync(key: bytes | None, value: bytes | None) -> OffsetSync:
    """Raises MalformedRecordError."""
    key_reader = _Reader(key, "offset sync key")
    value_reader = _Reader(value, "offset sync value")
    return OffsetSync(
        upstream=TopicPartition(key_reader.string("topic"), key_reader.integer(">i", "partition")),
        upstream_offset=value_reader.integer(">q", "upstream offset"),
        downstream_offset=value_reader.integer(">q", "downstream offset"),
    )
