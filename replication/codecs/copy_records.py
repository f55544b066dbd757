"""Records of the topics in which a flow writes how it copies, read one by one; what is unreadable says nothing."""

from typing import Protocol

from replication.codecs import offset_runs
from replication.codecs.gap_records import decode_gap
from replication.codecs.mm2_records import decode_offset_sync
from replication.codecs.position_records import read_position
from replication.domain.batches.record import Record
from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import RunSegment
from replication.domain.offsets.positions import Position


class RunNotes(Protocol):
    """Takes notes of offset runs."""

    def add_segment(self, key: bytes, segment: RunSegment | None) -> None: ...


class PositionNotes(Protocol):
    """Takes notes of positions."""

    def add_position(self, upstream: TopicPartition, position: Position | None) -> None: ...


class SyncNotes(Protocol):
    """Takes notes of offset syncs."""

    def add_sync(self, upstream: TopicPartition, upstream_offset: int, downstream_offset: int) -> None: ...


class GapNotes(Protocol):
    """Takes notes of gaps."""

    def add_gap(self, gap: Gap) -> None: ...


def note_run(record: Record, notes: RunNotes) -> None:
    """Note a record of the runs topic: a segment, or the removal of one."""
    if record.key is None:
        return
    if record.value is None:
        notes.add_segment(record.key, None)
        return
    try:
        segment = offset_runs.decode(record.key, record.value)
    except ValueError:
        return  # of a later version, or not ours
    notes.add_segment(record.key, segment)


def note_position(record: Record, source: str, notes: PositionNotes) -> None:
    """Note a record of the positions topic, which other flows and Connect use as well."""
    found = read_position(record, source)
    if found is not None:
        notes.add_position(*found)


def note_sync(record: Record, notes: SyncNotes) -> None:
    """Note a record of the offset syncs topic."""
    try:
        sync = decode_offset_sync(record.key, record.value)
    except MalformedRecordError:
        return
    notes.add_sync(sync.upstream, sync.upstream_offset, sync.downstream_offset)


def note_gap(record: Record, notes: GapNotes) -> None:
    """Note a record of the gaps topic."""
    if record.value is None:
        return
    try:
        gap = decode_gap(record.value)
    except ValueError:
        return
    notes.add_gap(gap)
