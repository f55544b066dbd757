"""A topic and its damaged copy on real brokers, with the runs and positions of an engine that noticed nothing."""

import gc
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from metrics.audit.job.audit_job import run_audit
from metrics.jobs.context import JobContext
from metrics.session import close_session, open_session
from metrics.store.address import connect
from metrics.store.job_table import JobTable
from replication.codecs.connect_offsets import SourceOffsetKey, encode_position, encode_source_key
from replication.codecs.gap_records import encode_gap
from replication.codecs.murmur2 import partition_for
from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import DEAD_LETTERS, GAPS
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import MAX_RUNS_PER_SEGMENT, OffsetRun, RunSegment
from replication.domain.plan.slot import ClusterClient
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.rejected_records.dead_letters import dead_letter
from tests.support.eventually import eventually
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import create_topic, end_offsets, topic_id
from tests.support.metrics.metrics_store import create_sqlite_store

BATCH = 500  # records the engine is taken to have copied at once
BASE_MS = time.time_ns() // 1_000_000 - 3_600_000  # recent, or retention takes the records
KINDS = ("missing", "duplicate", "changed", "reordered", "unexpected")


class Sent(NamedTuple):
    """One record to be produced."""

    key: bytes | None
    value: bytes | None
    timestamp_ms: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


class Planted(NamedTuple):
    """A planted difference that the audit must find."""

    partition: int
    kind: str
    source_offset: int | None
    target_offset: int | None


@dataclass(slots=True)
class Copy:
    """One partition as the damaged target holds it."""

    records: list[Sent] = field(default_factory=list)
    runs: list[OffsetRun] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)


def record(partition: int, number: int) -> Sent:
    """Record `number` of a partition: every one is different."""
    headers: tuple[tuple[str, bytes | None], ...] = (("n", b"%d" % number), ("none", None)) if number % 7 == 0 else ()
    return Sent(b"key-%d" % number, b"%d-%d-" % (partition, number) + b"x" * 80, BASE_MS + number, headers)


def damaged(
    partition: int, source: Sequence[Sent], damage: Mapping[int, str], *, shift: int = 0, first: int = 0
) -> Copy:
    """The copy of source offsets from `first` on, at target offsets from `shift` on, damaged at these numbers."""
    copy = Copy()
    held: dict[int, tuple[int, Sent]] = {}

    def place() -> int:
        return shift + len(copy.records)

    for index, each in enumerate(source):
        number = first + index
        if index % BATCH == 0:
            copy.runs.append(OffsetRun(number, place(), min(BATCH, len(source) - index)))
        kind = damage.get(number)
        if kind == "missing":
            copy.planted.append(Planted(partition, kind, number, None))
        elif kind == "reordered":
            held[number + 5] = (number, each)
        elif kind == "changed":
            copy.planted.append(Planted(partition, kind, number, place()))
            copy.records.append(each._replace(value=b"broken" + (each.value or b"")[6:]))
        else:
            copy.records.append(each)
        if kind == "duplicate":
            copy.planted.append(Planted(partition, kind, number - 3, place()))
            copy.records.append(source[index - 3])
        if kind == "unexpected":
            copy.planted.append(Planted(partition, kind, None, place()))
            copy.records.append(Sent(b"alien-%d" % number, b"from no producer", BASE_MS))
        if number in held:
            moved, it = held.pop(number)
            copy.planted.append(Planted(partition, "reordered", moved, place()))
            copy.records.append(it)
    return copy


def random_damage(seed: int, records: int, errors: int) -> dict[int, str]:
    """So many errors of all kinds, far enough apart to be told from each other."""
    chance = random.Random(seed)
    places = chance.sample(range(1, (records - BATCH) // 20 - 1), errors)
    return {place * 20: KINDS[index % len(KINDS)] for index, place in enumerate(places)}


class AuditLab:
    """One flow between two clusters; `audit` runs the job in this process."""

    def __init__(
        self, source: ClusterClient, target: ClusterClient, spark: SparkSession, folder: Path, *, new: bool = True
    ) -> None:
        """`new`: the flow's own topics are to be made."""
        self.source = source
        self.target = target
        self.store_url = create_sqlite_store(folder / f"{source.alias}.sqlite3")
        self._spark = spark
        self._jobs = 0
        self._own: set[str] = set()  # topics made when they are first written to
        self._positions = f"mm2-offsets.{self.source.alias}.internal"
        self._runs = f"srm-offset-runs.{self.source.alias}.internal"
        if new:
            create_topic(self.target.bootstrap[0], self._positions, 5, cleanup_policy="compact")
            create_topic(self.target.bootstrap[0], self._runs, 4, cleanup_policy="compact")

    @classmethod
    def between(cls, clusters: TwoClusters, spark: SparkSession, folder: Path, alias: str) -> "AuditLab":
        """A separate flow between the two clusters."""
        source = ClusterClient(alias=f"{alias}-a", bootstrap=tuple(clusters.source.bootstrap.split(",")))
        target = ClusterClient(alias=f"{alias}-b", bootstrap=tuple(clusters.target.bootstrap.split(",")))
        return cls(source, target, spark, folder)

    def remote(self, topic: str) -> str:
        return f"{self.source.alias}.{topic}"

    def create(self, topic: str, partitions: int, *, remote: str | None = None, **configs: str) -> None:
        create_topic(self.source.bootstrap[0], topic, partitions, replicas=1, **configs)
        create_topic(self.target.bootstrap[0], remote or self.remote(topic), partitions, replicas=1, **configs)

    def write_source(self, topic: str, partition: int, records: Sequence[Sent]) -> None:
        produce(self.source.bootstrap[0], topic, partition, records)

    def write_copy(self, topic: str, partition: int, copy: Copy, *, remote: str | None = None) -> None:
        produce(self.target.bootstrap[0], remote or self.remote(topic), partition, copy.records)

    def write_history(self, topic: str, runs: Mapping[int, Sequence[OffsetRun]], *, with_runs: bool = True) -> None:
        """Offset runs and the position at their end, as the engine writes them."""
        identity = topic_id(self.source.bootstrap[0], topic)
        producer = Producer({"bootstrap.servers": self.target.bootstrap[0], "linger.ms": 5})
        for partition, own in runs.items():
            for start in range(0, len(own) if with_runs else 0, MAX_RUNS_PER_SEGMENT):
                segment = RunSegment(topic, partition, identity, tuple(own[start : start + MAX_RUNS_PER_SEGMENT]))
                place = partition_for(f"{topic}\0{partition}".encode(), 4)
                producer.produce(self._runs, key=encode_key(segment), value=encode_value(segment), partition=place)
            self._write_position(producer, topic, partition, identity, own[-1])
        assert producer.flush(30) == 0

    def _write_position(self, producer: Producer, topic: str, partition: int, identity: bytes, last: OffsetRun) -> None:
        target_end = last.downstream_end
        key = encode_source_key(SourceOffsetKey(cluster=self.source.alias, upstream=TopicPartition(topic, partition)))
        headers: list[tuple[str, str | bytes | None]] = [
            ("srm.topic_id", identity),
            ("srm.downstream_next", target_end.to_bytes(8, "big", signed=True)),
        ]
        producer.produce(
            self._positions,
            key=key,
            value=encode_position(last.upstream_end),
            partition=partition_for(key, 5),
            headers=headers,
        )

    def write_gap(self, topic: str, partition: int, first: int, following: int) -> None:
        """A gap record, as the engine writes it."""
        gap = Gap(
            source=self.source.alias,
            target=self.target.alias,
            topic=topic,
            topic_id=topic_id(self.source.bootstrap[0], topic),
            partition=partition,
            cause="skipped",
            from_offset=first,
            to_offset=following,
            count=following - first,
            detected_ms=BASE_MS,
            policy="record_and_continue",
        )
        key, value = encode_gap(gap)
        self._write_own(GAPS.name(self.source.alias), key, value)

    def write_letter(self, topic: str, partition: int, offset: int) -> None:
        """A dead letter, as the engine writes it."""
        letter = dead_letter(OutgoingRecord(b"k", b"v", ()), TopicPartition(topic, partition), offset, "too large")
        self._write_own(DEAD_LETTERS.name(self.source.alias), b"k", b"v", [(n, v) for n, v in letter.headers])

    def _write_own(self, own: str, key: bytes, value: bytes, headers: Sequence[tuple[str, bytes | None]] = ()) -> None:
        if own not in self._own:
            create_topic(self.target.bootstrap[0], own, 1)
            self._own.add(own)
        producer = Producer({"bootstrap.servers": self.target.bootstrap[0], "linger.ms": 5})
        producer.produce(own, key=key, value=value, headers=list(headers))
        assert producer.flush(30) == 0

    def note_skipped(self, topic: str, partition: int, offset: int) -> None:
        """The event of a skipped record, as the metrics process keeps it."""
        self._write(
            "INSERT INTO event (source, target, task, driver, time_ms, scope, topic, partition, to_state, cause, text) "
            "VALUES (?, ?, 't', 'd', ?, 'record', ?, ?, 'skip', 'record_refused', ?)",
            (self.source.alias, self.target.alias, BASE_MS, topic, partition, f"offset {offset} (1 records): broken"),
        )

    def note_filtered(self, records: int) -> None:
        """So many records that transforms removed, as the metrics process counts them."""
        self._write(
            "INSERT INTO series (source, target, topic, remote_topic, partition, consumer_group) "
            "VALUES (?, ?, '', '', -1, '')",
            (self.source.alias, self.target.alias),
        )
        self._write(
            'INSERT INTO gauge_10s (id, name, time_ms, count, "min", "max", "sum", last) '
            "SELECT id, 'filtered_records', 0, 1, 0, 0, ?, 0 FROM series WHERE topic = '' AND source = ?",
            (records, self.source.alias),
        )

    def _write(self, sql: str, parameters: Sequence[Any]) -> None:
        connection = connect(self.store_url)
        try:
            with connection.writing(self.target.alias) as writer:
                writer.run(sql, parameters)
        finally:
            connection.close()

    def audit(self, *pairs: tuple[str, str], cancelled: Callable[[], bool] = lambda: False, **spec: Any) -> int:
        """Run the job over these (topic, remote topic); the number of the audit."""
        table = JobTable(connect(self.store_url), "audit-lab")
        self._jobs = table.request("audit", self.target.alias, {})
        assert table.claim([self.target.alias], BASE_MS) is not None
        table.close()
        context = JobContext(
            spark=self._spark,
            store_url=self.store_url,
            target=self.target,
            targets={self.source.alias: self.source, self.target.alias: self.target},
            job_id=self._jobs,
            spec={
                "source": self.source.alias,
                "target": self.target.alias,
                "topics": [list(pair) for pair in pairs],
                **spec,
            },
            progress=lambda _done, _text: None,
            cancelled=cancelled,
            now_ms=lambda: BASE_MS + self._jobs,
        )
        run_audit(context)
        return self._jobs

    def findings(self, job_id: int) -> list[Planted]:
        """Return the differences that an audit has stored, one entry per record."""
        found: list[Planted] = []
        for row in self.rows(
            "SELECT partition, kind, source_offset, target_offset, records FROM audit_finding WHERE job_id = ?", job_id
        ):
            partition, kind, source, target, records = row
            for step in range(records):
                found.append(
                    Planted(
                        partition,
                        kind,
                        None if source is None else source + step,
                        None if target is None else target + step,
                    )
                )
        return sorted(found, key=repr)

    def run_row(self, job_id: int, topic: str) -> dict[str, Any]:
        names: tuple[str, ...] = ("state", "compared", "records_source", "records_target", "ranges_bad", *KINDS)
        names = (*names, "gap", "skipped", "dead_lettered", "filtered_records", "local_records")
        names = (*names, "not_compared", "proven_until_ms", "error")
        sql = f"SELECT {', '.join(names)} FROM audit_run WHERE job_id = ? AND topic = ?"
        return dict(zip(names, self.rows(sql, job_id, topic)[0], strict=True))

    def rows(self, sql: str, *parameters: Any) -> list[Sequence[Any]]:
        connection = connect(self.store_url)
        try:
            with connection.reading() as reader:
                return reader.rows(sql, parameters)
        finally:
            connection.close()


def produce(bootstrap: str, topic: str, partition: int, records: Sequence[Sent]) -> None:
    """Write in order, to one partition."""
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "enable.idempotence": True,
            "compression.type": "lz4",
            "linger.ms": 20,
            "queue.buffering.max.messages": 1_000_000,
        }
    )
    for each in records:
        while True:
            try:
                producer.produce(
                    topic,
                    key=each.key,
                    value=each.value,
                    partition=partition,
                    timestamp=each.timestamp_ms,
                    headers=list(each.headers),
                )
                break
            except BufferError:
                producer.poll(0.1)
    assert producer.flush(120) == 0


def abort_some(bootstrap: str, topic: str, partition: int, records: int) -> int:
    """A transaction that is aborted: offsets that no reader sees. Returns the partition's end after it.

    Its marker is written some time after the coordinator has answered.
    """
    begin = end_offsets(bootstrap, topic, partition + 1)[partition]
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": f"aborts-{topic}-{partition}"})
    producer.init_transactions(20)
    producer.begin_transaction()
    for number in range(records):
        producer.produce(topic, value=b"aborted %d" % number, partition=partition)
    producer.flush(20)
    producer.abort_transaction(20)
    after = begin + records + 1

    def is_marked() -> bool:
        return end_offsets(bootstrap, topic, partition + 1)[partition] >= after

    eventually(is_marked, 30, "the marker of the aborted transaction")
    return after


@pytest.fixture(scope="session")
def spark_with_kafka(tmp_path_factory: pytest.TempPathFactory, spark_jars: Path) -> Iterator[SparkSession]:
    """A session that can read brokers, in the test's own process."""
    session = open_session(jars=spark_jars, scratch=tmp_path_factory.mktemp("spark"), app_name="srm-audit-tests")
    yield session
    gc.collect()  # py4j's finalizers talk to the JVM: now, and not in the midst of what the interpreter does later
    close_session(session)
    gc.collect()
