"""Follows the records that a flow writes about its copying: offset runs and committed positions."""

import struct
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from confluent_kafka import Message

from replication.codecs import offset_runs
from replication.codecs.connect_offsets import decode_position, decode_source_key
from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import OFFSET_RUNS, POSITIONS
from replication.domain.offsets.offset_run import OffsetRun
from replication.domain.offsets.positions import NO_TOPIC_ID, Position
from replication.domain.plan.slot import ClusterClient
from replication.kafka.topic_tail import TopicTail

_INT64 = struct.Struct(">q")
_TOPIC_ID, _DOWNSTREAM_NEXT = "srm.topic_id", "srm.downstream_next"


@dataclass(slots=True)
class CopyHistory:
    """The history of one partition's copy, in the order it was written."""

    runs: dict[bytes, list[OffsetRun]] = field(default_factory=dict)  # by topic id of the source topic
    positions: list[Position] = field(default_factory=list)

    @property
    def position(self) -> Position | None:
        """The committed one."""
        return self.positions[-1] if self.positions else None


class FlowLogs:
    """Blocking; for one thread. Raises `replication.domain.errors` as ClusterAdmin does."""

    def __init__(self, target: ClusterClient, source: str, topics: Collection[str]) -> None:
        self._source = source
        self._topics = frozenset(topics)
        self._runs = TopicTail(target, OFFSET_RUNS.name(source))
        self._positions = TopicTail(target, POSITIONS.name(source))
        self.histories: defaultdict[TopicPartition, CopyHistory] = defaultdict(CopyHistory)

    def read_runs(self) -> None:
        """Take over the runs written since the last call."""
        for message in self._runs.new_records():
            self._note_run(message)

    def read_positions(self) -> None:
        """Take over the positions committed since the last call."""
        for message in self._positions.new_records():
            self._note_position(message)

    def close(self) -> None:
        self._runs.close()
        self._positions.close()

    def _note_run(self, message: Message) -> None:
        key, value = message.key(), message.value()
        if not isinstance(key, bytes) or not isinstance(value, bytes):
            return
        try:
            segment = offset_runs.decode(key, value)
        except ValueError:
            return  # of a later version, or not ours: it cannot align anything
        if segment.topic in self._topics:
            history = self.histories[TopicPartition(segment.topic, segment.partition)]
            history.runs.setdefault(segment.topic_id, []).extend(segment.runs)

    def _note_position(self, message: Message) -> None:
        try:
            key = decode_source_key(_bytes(message.key()))
            next_offset = decode_position(_bytes(message.value()))
        except MalformedRecordError:
            return
        if key is None or key.cluster != self._source or key.upstream.topic not in self._topics:
            return
        headers = message.headers()
        found = {name: _bytes(value) for name, value in headers} if isinstance(headers, list) else {}
        topic_id, downstream = found.get(_TOPIC_ID), found.get(_DOWNSTREAM_NEXT)
        if next_offset is None and topic_id is None:
            return
        position = Position(
            next_offset=next_offset or 0,
            topic_id=topic_id or NO_TOPIC_ID,
            downstream_next=_INT64.unpack(downstream)[0] if downstream and len(downstream) == _INT64.size else None,
        )
        positions = self.histories[key.upstream].positions
        if not positions or positions[-1] != position:  # a clean stop writes each once more
            positions.append(position)


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
