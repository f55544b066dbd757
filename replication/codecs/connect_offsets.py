"""Keys and values of `mm2-offsets.<source>.internal`, byte for byte as Kafka Connect writes them.

Connect looks a position up by the raw bytes of its key, so the order of the members is Java's HashMap order for these
names: `cluster, partition, topic`. A value holds the offset of the last copied record: the next fetch offset minus 1.
"""

import json
from dataclasses import dataclass

from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import TopicPartition
from replication.domain.json_documents import read_json

SOURCE_CONNECTOR = "MirrorSourceConnector"
CHECKPOINT_CONNECTOR = "MirrorCheckpointConnector"
HEARTBEAT_CONNECTOR = "MirrorHeartbeatConnector"
_BEYOND_ALL_LOGS = 2**63 - 1  # the next offset would not fit into a request


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOffsetKey:
    """The key of a source position: a partition of the source cluster `cluster`, kept by a connector."""

    cluster: str
    upstream: TopicPartition
    connector: str = SOURCE_CONNECTOR


def encode_source_key(key: SourceOffsetKey) -> bytes:
    """The key of a source position."""
    partition = {"cluster": key.cluster, "partition": key.upstream.partition, "topic": key.upstream.topic}
    return _compact([key.connector, partition])


def decode_source_key(data: bytes | None) -> SourceOffsetKey | None:
    """Read a source position's key with any spacing and order; None for keys of other connectors' kinds."""
    try:
        parsed = read_json(data or b"")
    except ValueError as error:
        raise MalformedRecordError(f"offsets topic key is not JSON: {data!r}") from error
    if not (isinstance(parsed, list) and len(parsed) == 2 and isinstance(parsed[1], dict)):
        raise MalformedRecordError(f"offsets topic key is not [connector, partition]: {data!r}")
    connector, partition = parsed
    cluster, topic, number = (partition.get(name) for name in ("cluster", "topic", "partition"))
    if not (isinstance(cluster, str) and isinstance(topic, str) and isinstance(number, int)):
        return None
    return SourceOffsetKey(connector=str(connector), cluster=cluster, upstream=TopicPartition(topic, number))


def encode_checkpoint_key(group: str, remote: TopicPartition) -> bytes:
    """The key MM2's checkpoint connector uses (member order `partition, topic, group`)."""
    return _compact([CHECKPOINT_CONNECTOR, {"partition": remote.partition, "topic": remote.topic, "group": group}])


def encode_heartbeat_key(source: str, target: str) -> bytes:
    """The key MM2's heartbeat connector uses."""
    return _compact([HEARTBEAT_CONNECTOR, {"sourceClusterAlias": source, "targetClusterAlias": target}])


def encode_position(next_fetch_offset: int) -> bytes:
    """Return the value that makes MM2, or us, continue at `next_fetch_offset`."""
    return _compact({"offset": next_fetch_offset - 1})


def decode_position(value: bytes | None) -> int | None:
    """The next fetch offset; None where the position was removed, which means copy from the start."""
    if value is None:
        return None
    try:
        parsed = read_json(value)
        offset = parsed["offset"]
    except (ValueError, KeyError, TypeError) as error:
        raise MalformedRecordError(f"offsets topic value has no offset: {value!r}") from error
    if isinstance(offset, bool) or not isinstance(offset, int) or offset >= _BEYOND_ALL_LOGS:
        raise MalformedRecordError(f"offsets topic value has a strange offset: {value!r}")
    return offset + 1 if offset >= 0 else None


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
