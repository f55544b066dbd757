"""An auditor of copies that shares no code with the engine: it reads both sides with librdkafka and compares.

It knows nothing of plans, positions or runs. Two records are the same when key, value, headers and timestamp are; the
records of a source partition must be in the same partition of the remote topic, once, in the same order. What the
source held before it was cut off or deleted is captured beforehand with `read_partitions`.
"""

import json
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaError, TopicPartition

from tests.support.kafka.kafka_records import admin

READ_S = 120.0
_POLL_S = 0.5
_SHOWN = 5

Content = tuple[Any, ...]
Place = tuple[int, int]  # partition, offset on the side where the record was seen


class Record(NamedTuple):
    """One record as any consumer sees it."""

    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    timestamp_ms: int

    @property
    def content(self) -> Content:
        return self[1:]


Partitions = dict[int, list[Record]]


@dataclass(slots=True, kw_only=True)
class Findings:
    """The errors of a copy, by place: lost records at the source, all others at the target."""

    source_records: int = 0
    target_records: int = 0
    lost: list[Place] = field(default_factory=list)
    excused: list[Place] = field(default_factory=list)  # missing, and a gap record says so
    duplicated: list[Place] = field(default_factory=list)
    reordered: list[Place] = field(default_factory=list)
    foreign: list[Place] = field(default_factory=list)  # nowhere in the source partition, or changed on the way
    aborted: list[Place] = field(default_factory=list)  # of a transaction that was not committed
    untrue: list[Place] = field(default_factory=list)  # a gap record names what the source still holds

    def __str__(self) -> str:
        counts = [f"{self.source_records} source records, {self.target_records} on the target"]
        for name in ("lost", "excused", "duplicated", "reordered", "foreign", "aborted", "untrue"):
            places: list[Place] = getattr(self, name)
            if places:
                counts.append(f"{len(places)} {name}, first {places[:_SHOWN]}")
        return "; ".join(counts)

    def check(self, *, duplicates_at_most: int = 0) -> "Findings":
        """AssertionError unless nothing is lost, reordered, foreign, aborted or untrue; duplicates have a bound."""
        wrong = [*self.lost, *self.reordered, *self.foreign, *self.aborted, *self.untrue]
        assert not wrong, str(self)
        assert len(self.duplicated) <= duplicates_at_most, f"{self}; at most {duplicates_at_most} may come twice"
        return self


def audit(
    source: Mapping[int, Sequence[Record]],
    target: Mapping[int, Sequence[Record]],
    *,
    uncommitted: Mapping[int, Sequence[Record]] | None = None,
    until: Mapping[int, int] | None = None,
    excused: Mapping[int, Collection[range]] | None = None,
) -> Findings:
    """Compare by partition.

    Args:
        uncommitted: the source read with `read_uncommitted`, to tell aborted records from foreign ones.
        until: source offsets by partition from which on a record need not be there yet; all are needed without it.
        excused: source offsets by partition that a gap record names.
    """
    findings = Findings()
    for number in sorted({*source, *target}):
        tally = _Tally(number, source.get(number, ()), (uncommitted or {}).get(number, ()), findings)
        tally.see(target.get(number, ()))
        tally.close((until or {}).get(number), (excused or {}).get(number, ()))
    return findings


class _Tally:
    """One partition's books: every source record is crossed off by the first target record that equals it."""

    def __init__(
        self, number: int, source: Sequence[Record], uncommitted: Sequence[Record], findings: Findings
    ) -> None:
        self._number = number
        self._source = source
        self._findings = findings
        self._expected: dict[Content, list[int]] = defaultdict(list)  # content -> places in the source, first last
        for index in range(len(source) - 1, -1, -1):
            self._expected[source[index].content].append(index)
        self._aborted = {record.content for record in uncommitted} - self._expected.keys()
        self._crossed_off: set[int] = set()

    def see(self, target: Sequence[Record]) -> None:
        furthest = -1
        for record in target:
            places = self._expected.get(record.content)
            where = (self._number, record.offset)
            if places is None:
                known = self._findings.aborted if record.content in self._aborted else self._findings.foreign
                known.append(where)
            elif not places:
                self._findings.duplicated.append(where)
            else:
                index = places.pop()
                self._crossed_off.add(index)
                if index < furthest:
                    self._findings.reordered.append(where)
                furthest = max(furthest, index)
        self._findings.source_records += len(self._source)
        self._findings.target_records += len(target)

    def close(self, until: int | None, excused: Collection[range]) -> None:
        for index, record in enumerate(self._source):
            if index in self._crossed_off or (until is not None and record.offset >= until):
                continue
            is_excused = any(record.offset in gap for gap in excused)
            missing = self._findings.excused if is_excused else self._findings.lost
            missing.append((self._number, record.offset))


def audit_topic(
    source_bootstrap: str,
    target_bootstrap: str,
    topic: str,
    remote_topic: str,
    partitions: int,
    *,
    excused: Mapping[int, Collection[range]] | None = None,
) -> Findings:
    """Both sides up to their ends as of now, as a reader of committed data sees them."""
    numbers = range(partitions)
    return audit(
        read_partitions(source_bootstrap, topic, numbers),
        read_partitions(target_bootstrap, remote_topic, numbers),
        uncommitted=read_partitions(source_bootstrap, topic, numbers, committed=False),
        excused=excused,
    )


def read_partitions(
    bootstrap: str,
    topic: str,
    partitions: Iterable[int],
    *,
    committed: bool = True,
    client: Mapping[str, Any] | None = None,
) -> Partitions:
    """Every record from the log start to the end as of now (the last stable offset when `committed`)."""
    numbers = sorted(partitions)
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "auditor",
            "log_level": 0,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed" if committed else "read_uncommitted",
            "enable.partition.eof": True,
            **(client or {}),
        }
    )
    try:
        bounds = {
            number: consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=20) for number in numbers
        }
        consumer.assign([TopicPartition(topic, number, low) for number, (low, _high) in bounds.items()])
        return _read_to_the_ends(consumer, topic, {number: high for number, (_low, high) in bounds.items()})
    finally:
        consumer.close()


def _read_to_the_ends(consumer: Consumer, topic: str, ends: Mapping[int, int]) -> Partitions:
    """A partition ends with the last record before its end, or where librdkafka says so: markers are not delivered."""
    seen: Partitions = {number: [] for number in ends}
    unread = set(ends)
    deadline = time.monotonic() + READ_S
    while unread:
        assert time.monotonic() < deadline, f"{topic}: partitions {sorted(unread)} do not end"
        for message in consumer.consume(10_000, _POLL_S):
            number, offset, error = message.partition() or 0, message.offset() or 0, message.error()
            if error is not None:
                if error.code() == KafkaError._PARTITION_EOF:
                    unread.discard(number)
                continue
            if offset < ends[number]:
                seen[number].append(_record(message))
            if offset >= ends[number] - 1:
                unread.discard(number)
    return seen


def _record(message: Any) -> Record:
    headers = tuple((name, value) for name, value in message.headers() or ())
    return Record(message.offset(), message.key(), message.value(), headers, message.timestamp()[1])


def committed_positions(target_bootstrap: str, source_alias: str, topic: str) -> dict[int, int]:
    """Next source offset by partition, from the positions topic as MirrorMaker 2 would find it after an abort."""
    positions_topic = f"mm2-offsets.{source_alias}.internal"
    described = admin(target_bootstrap).list_topics(positions_topic, timeout=10).topics[positions_topic]
    found: dict[int, int] = {}
    for records in read_partitions(target_bootstrap, positions_topic, described.partitions).values():
        for record in records:
            _connector, place = json.loads(record.key or b"")
            if place["topic"] == topic:
                found[place["partition"]] = json.loads(record.value or b"")["offset"] + 1
    return found


def recorded_gaps(target_bootstrap: str, source_alias: str) -> list[dict[str, Any]]:
    """Return the records of `srm-gaps.<source>.internal`, oldest first."""
    records = read_partitions(target_bootstrap, f"srm-gaps.{source_alias}.internal", [0])[0]
    return [json.loads(record.value) for record in records if record.value]


class GapRange(NamedTuple):
    """A gap record of a source partition, next to the facts of the source."""

    partition: int
    borne_out: range  # gone from the source: these offsets need not be on the target
    still_there: range  # named all the same


def names_missing(gap: Mapping[str, Any]) -> bool:
    """Return True when a gap record covers records that are not on the target.

    Retention does. Where the source's log was cut (epoch_divergence, out_of_range) the offsets are those of records the
    target has too many; what stands at the same offsets of the new log must be copied. A topic is re-created here only
    once every copy has caught up with it, and no skip is ordered: such records excuse nothing.
    """
    return bool(gap["cause"] == "retention")


def against_source(gap: Mapping[str, Any], log_start: int) -> GapRange:
    """`log_start` is the partition's at the auditor's last look: never below what it was when the gap was found."""
    first, end = gap["from_offset"], gap["to_offset"]
    gone = max(first, min(end, log_start))
    return GapRange(gap["partition"], range(first, gone), range(gone, end))


def excuses(
    gaps: Iterable[Mapping[str, Any]], topic: str, log_starts: Mapping[int, int]
) -> tuple[dict[int, list[range]], list[Place]]:
    """Return the offsets that a topic's gap records excuse, by partition, and the start of each wrong range.

    Args:
        log_starts: of the source partitions, read after the gaps were recorded.
    """
    excused: dict[int, list[range]] = defaultdict(list)
    untrue: list[Place] = []
    for gap in gaps:
        if gap["topic"] == topic and names_missing(gap):
            said = against_source(gap, log_starts[gap["partition"]])
            excused[said.partition].append(said.borne_out)
            if said.still_there:
                untrue.append((said.partition, said.still_there.start))
    return dict(excused), untrue


def log_starts(bootstrap: str, topic: str, partitions: Iterable[int]) -> dict[int, int]:
    """The first offset that each partition still has."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "auditor", "log_level": 0})
    try:
        return {
            number: consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=20)[0]
            for number in partitions
        }
    finally:
        consumer.close()
