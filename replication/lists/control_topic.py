"""Reads and writes the control topics of a target cluster."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass

from replication.codecs.control_records import decode_author, decode_place, encode_listed, encode_place
from replication.domain.desired.name_lists import (
    ListChange,
    ListEntry,
    ListPlace,
    NameLists,
    UnreadableRecord,
    pattern_problem,
)
from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import CONTROL
from replication.lists.topic_creation import create_if_missing
from replication.ports.admin import ClusterAdmin
from replication.ports.producer import RecordProducer
from replication.ports.record_log import LogRecord, RecordLog

_PARTITION = 0
_MOST_UNREADABLE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlTopicState:
    """The id of a control topic and the end of its log; a change of the topic changes them."""

    topic_id: str
    end_offset: int


class ControlTopics:
    """The control topics of one target cluster, one per source. Blocking; one thread at a time.

    Raises `replication.domain.errors` as the ports do.
    """

    def __init__(self, admin: ClusterAdmin, log: RecordLog, producer: RecordProducer) -> None:
        self._admin = admin
        self._log = log
        self._producer = producer

    def states(self, sources: Collection[str]) -> dict[str, ControlTopicState]:
        """Return the state of each control topic that exists, in two small requests."""
        names = {source: CONTROL.name(source) for source in sources}
        found = self._admin.describe_topics(tuple(names.values()))
        partitions = [TopicPartition(name, _PARTITION) for name in names.values() if name in found]
        ends = self._admin.list_offsets(partitions, "latest") if partitions else {}
        return {
            source: ControlTopicState(
                topic_id=found[name].topic_id.hex(), end_offset=ends[TopicPartition(name, _PARTITION)]
            )
            for source, name in names.items()
            if TopicPartition(name, _PARTITION) in ends
        }

    def read(self, source: str) -> NameLists:
        """Return the lists of the flow from `source`; they are empty while the topic does not exist."""
        return folded(self._log.read_to_end(CONTROL.name(source)))

    def write(self, source: str, changes: Iterable[ListChange], *, by: str, replication_factor: int) -> None:
        """Write the changes and wait until the cluster has them; creates the topic if it is missing."""
        topic = CONTROL.name(source)
        create_if_missing(self._admin, CONTROL, topic, replication_factor)
        for change in changes:
            key, value = encode_listed(change.place, by=by) if change.is_listed else (encode_place(change.place), None)
            self._producer.send(topic, key=key, value=value, partition=_PARTITION)
        self._producer.flush()

    def close(self) -> None:
        self._producer.close()
        self._log.close()
        self._admin.close()


def folded(records: Iterable[LogRecord]) -> NameLists:
    """Return the lists that the records of a control topic leave; the newest record of a key counts.

    An invalid pattern and a record that cannot be read are kept with the reason, and stop no other.
    """
    entries: dict[ListPlace, ListEntry] = {}
    unreadable: dict[bytes | None, UnreadableRecord] = {}
    last: int | None = None
    for record in records:
        last = record.offset
        unreadable.pop(record.key, None)
        try:
            _apply(record, entries)
        except MalformedRecordError as error:
            if record.value is not None:
                unreadable[record.key] = UnreadableRecord(offset=record.offset, error=error.text)
            with suppress(MalformedRecordError):
                entries.pop(decode_place(record.key), None)
    newest = tuple(unreadable.values())[-_MOST_UNREADABLE:]
    return NameLists(offset=last, entries=tuple(entries.values()), unreadable=newest)


def _apply(record: LogRecord, entries: dict[ListPlace, ListEntry]) -> None:
    place = decode_place(record.key)
    if record.value is None:
        entries.pop(place, None)
        return
    entries[place] = ListEntry(
        place=place,
        offset=record.offset,
        written_ms=record.timestamp_ms,
        by=decode_author(record.value),
        problem=pattern_problem(place.pattern),
    )
