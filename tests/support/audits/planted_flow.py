"""A flow between real brokers that was stopped: topics, damaged copies, and the internal topics of an engine."""

from collections.abc import Mapping, Sequence

from confluent_kafka import Producer

from replication.codecs.connect_offsets import SourceOffsetKey, encode_position, encode_source_key
from replication.codecs.gap_records import encode_gap
from replication.codecs.murmur2 import partition_for
from replication.codecs.offset_runs import encode_key, encode_value
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import DEAD_LETTERS, GAPS, OFFSET_RUNS, POSITIONS
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import MAX_RUNS_PER_SEGMENT, OffsetRun, RunSegment
from replication.domain.plan.slot import ClusterClient
from replication.ports.produce.record_appender import OutgoingRecord
from replication.tasks.rejected_records.dead_letters import dead_letter
from tests.support.audits.planted_copy import BASE_MS, Copy, Sent
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import create_topic, end_offsets, topic_id


class PlantedFlow:
    """Writes what an engine and its clusters would hold; `new`: the flow's internal topics are created."""

    def __init__(self, source: ClusterClient, target: ClusterClient, *, new: bool = True) -> None:
        self.source = source
        self.target = target
        self._own: set[str] = set()  # topics made when they are first written to
        self._positions = POSITIONS.name(source.alias)
        self._runs = OFFSET_RUNS.name(source.alias)
        if new:
            for name, internal in ((self._positions, POSITIONS), (self._runs, OFFSET_RUNS)):
                create_topic(target.bootstrap[0], name, internal.partitions, cleanup_policy=internal.cleanup_policy)

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
        partitioner = {"partitioner": "murmur2"}  # that of Java
        producer = Producer({"bootstrap.servers": self.target.bootstrap[0], "linger.ms": 5, **partitioner})
        for partition, own in runs.items():
            for start in range(0, len(own) if with_runs else 0, MAX_RUNS_PER_SEGMENT):
                segment = RunSegment(topic, partition, identity, tuple(own[start : start + MAX_RUNS_PER_SEGMENT]))
                place = partition_for(f"{topic}\0{partition}".encode(), OFFSET_RUNS.partitions)
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
        producer.produce(self._positions, key=key, value=encode_position(last.upstream_end), headers=headers)

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
