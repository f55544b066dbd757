"""Positions as records in `mm2-offsets.<source>.internal`, with our proofs in the record headers."""

import re
import struct
from collections import defaultdict
from collections.abc import Mapping

from replication.codecs.connect_offsets import (
    SourceOffsetKey,
    decode_position,
    decode_source_key,
    encode_position,
    encode_source_key,
)
from replication.codecs.murmur2 import partition_for
from replication.codecs.offset_runs import decode_runs, encode_runs
from replication.domain.batches.record import Record
from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.leader_epochs import Epochs, EpochStart
from replication.domain.offsets.offset_run import Runs
from replication.domain.offsets.positions import NO_TOPIC_ID, Position

_INT32 = struct.Struct(">i")
_INT64 = struct.Struct(">q")
TOPIC_ID = "srm.topic_id"
LEADER_EPOCH = "srm.leader_epoch"
DOWNSTREAM_NEXT = "srm.downstream_next"
GENERATION = "srm.generation"
REMOTE_TOPIC = "srm.remote_topic"
REMOTE_TOPIC_ID = "srm.remote_topic_id"
TRUNCATED_AT = "srm.truncated_at"
RESETS = "srm.resets"
EPOCHS = "srm.epochs"
RUNS = "srm.runs"
_BETWEEN_IDS = "\n"
_EPOCHS = re.compile(r"[0-9]{1,10}:[0-9]{1,19}(,[0-9]{1,10}:[0-9]{1,19})*")


def position_records(
    source: str, positions: Mapping[TopicPartition, Position], partitions: int, now_ms: int
) -> dict[int, list[Record]]:
    """The records to write, by partition of the positions topic."""
    by_partition: dict[int, list[Record]] = defaultdict(list)
    for upstream, position in positions.items():
        key = encode_source_key(SourceOffsetKey(cluster=source, upstream=upstream))
        records = by_partition[partition_for(key, partitions)]
        value = encode_position(position.next_offset)
        records.append(Record(len(records), now_ms, key, value, _headers(position)))
    return by_partition


def _headers(position: Position) -> list[tuple[str, bytes | None]]:
    headers: list[tuple[str, bytes | None]] = [
        (TOPIC_ID, position.topic_id),
        (LEADER_EPOCH, _INT32.pack(position.leader_epoch)),
        (GENERATION, _INT32.pack(position.generation)),
    ]
    if position.downstream_next is not None:
        headers.append((DOWNSTREAM_NEXT, _INT64.pack(position.downstream_next)))
    if position.remote_topic:
        headers.append((REMOTE_TOPIC, position.remote_topic.encode()))
        headers.append((REMOTE_TOPIC_ID, position.remote_topic_id))
    if position.truncated_at is not None:
        headers.append((TRUNCATED_AT, _INT64.pack(position.truncated_at)))
    if position.reset_ids:
        headers.append((RESETS, _BETWEEN_IDS.join(position.reset_ids).encode()))
    if position.epochs:
        headers.append((EPOCHS, ",".join(f"{each.epoch}:{each.first_offset}" for each in position.epochs).encode()))
    if position.runs:
        headers.append((RUNS, encode_runs(position.runs)))
    return headers


def read_position(record: Record, source: str) -> tuple[TopicPartition, Position | None] | None:
    """Partition and position of one record: None for other flows or unreadable keys, no position for a removed one."""
    try:
        key = decode_source_key(record.key)
        if key is None or key.cluster != source:
            return None
        next_offset = decode_position(record.value)
    except MalformedRecordError:
        return None
    headers = dict(record.headers)
    if next_offset is None and record.value is not None and TOPIC_ID in headers:
        next_offset = 0  # ours, at the very start; Connect has no way to write that
    if next_offset is None:
        return key.upstream, None
    return key.upstream, Position(
        next_offset=next_offset,
        topic_id=_sized(headers.get(TOPIC_ID), 16) or NO_TOPIC_ID,
        leader_epoch=_number(headers.get(LEADER_EPOCH), _INT32, -1),
        downstream_next=_number(headers[DOWNSTREAM_NEXT], _INT64, 0) if DOWNSTREAM_NEXT in headers else None,
        generation=_number(headers.get(GENERATION), _INT32, 0),
        remote_topic=(headers.get(REMOTE_TOPIC) or b"").decode(errors="replace"),
        remote_topic_id=_sized(headers.get(REMOTE_TOPIC_ID), 16) or NO_TOPIC_ID,
        truncated_at=_number(headers[TRUNCATED_AT], _INT64, 0) if TRUNCATED_AT in headers else None,
        reset_ids=_ids(headers.get(RESETS)),
        epochs=_epochs(headers.get(EPOCHS)),
        runs=_runs(headers.get(RUNS)),
    )


def _ids(data: bytes | None) -> tuple[str, ...]:
    return tuple(data.decode(errors="replace").split(_BETWEEN_IDS)) if data else ()


def _runs(data: bytes | None) -> Runs:
    """Unreadable runs are unknown ones."""
    try:
        return decode_runs(data or b"")
    except ValueError:
        return ()


def _epochs(data: bytes | None) -> Epochs:
    """Unreadable epochs are unknown ones."""
    text = data.decode("ascii", errors="replace") if data else ""
    if not _EPOCHS.fullmatch(text):
        return ()
    pairs = (pair.split(":") for pair in text.split(","))
    return tuple(EpochStart(int(epoch), int(first)) for epoch, first in pairs)


def _sized(data: bytes | None, size: int) -> bytes | None:
    return bytes(data) if data is not None and len(data) == size else None


def _number(data: bytes | None, form: struct.Struct, missing: int) -> int:
    sized = _sized(data, form.size)
    return int(form.unpack(sized)[0]) if sized is not None else missing
