"""Follows the records that a flow writes about its copying: offset runs and committed positions."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from replication.codecs.copy_records import note_position, note_run
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import OFFSET_RUNS, POSITIONS
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import ClusterClient
from replication.kafka.messages import record_of
from replication.kafka.topic_tail import TopicTail


@dataclass(slots=True)
class CopyHistory:
    """The history of one partition's copy, in the order it was written."""

    segments: dict[bytes, RunSegment] = field(default_factory=dict)  # by key, in the order of the newest versions
    positions: list[Position] = field(default_factory=list)

    @property
    def position(self) -> Position | None:
        """The committed one."""
        return self.positions[-1] if self.positions else None

    @property
    def runs(self) -> Mapping[bytes, Sequence[OffsetRun]]:
        """The runs by topic id of the source topic."""
        found: dict[bytes, list[OffsetRun]] = {}
        for segment in self.segments.values():
            found.setdefault(segment.topic_id, []).extend(segment.runs)
        return found


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
            note_run(record_of(message), self)

    def read_positions(self) -> None:
        """Take over the positions committed since the last call."""
        for message in self._positions.new_records():
            note_position(record_of(message), self._source, self)

    def close(self) -> None:
        self._runs.close()
        self._positions.close()

    def add_segment(self, key: bytes, segment: RunSegment | None) -> None:
        """Removed segments are kept: what they say remains true."""
        if segment is not None and segment.topic in self._topics:
            history = self.histories[TopicPartition(segment.topic, segment.partition)]
            history.segments.pop(key, None)  # an open segment is written again, longer
            history.segments[key] = segment

    def add_position(self, upstream: TopicPartition, position: Position | None) -> None:
        """Take over the place; a removed position changes nothing."""
        if position is None or upstream.topic not in self._topics:
            return
        positions = self.histories[upstream].positions
        short = Position(
            next_offset=position.next_offset, topic_id=position.topic_id, downstream_next=position.downstream_next
        )
        if not positions or positions[-1] != short:  # a clean stop writes each once more
            positions.append(short)
