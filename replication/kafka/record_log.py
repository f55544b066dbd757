"""RecordLog over confluent-kafka consumers that assign, never subscribe and never commit."""

import time
from collections.abc import Iterator

from confluent_kafka import Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as KafkaTopicPartition

from replication.domain.errors import ClusterUnreachableError, TopicMissingError
from replication.domain.plan.slot import ClusterClient
from replication.domain.settings.choices import IsolationLevel
from replication.kafka.certificates import CertificateWatch
from replication.kafka.client_config import REQUEST_TIMEOUT_S, librdkafka_config
from replication.kafka.error_translation import ErrorWatch
from replication.kafka.messages import is_group_refusal, record_of
from replication.ports.record_log import LogRecord

_STALL_TIMEOUT_S = 10.0
_LOOK_BACK = (
    10,
    1_000,
)  # markers of transactions have offsets, too, so the last record may precede the last offset


class KafkaRecordLog:
    """Consumers are made at the first use, one per isolation level, and kept."""

    def __init__(self, cluster: ClusterClient) -> None:
        self._cluster = cluster
        self._watch = ErrorWatch(cluster)
        self._certificates = CertificateWatch(cluster)
        self._consumers: dict[IsolationLevel, Consumer] = {}

    def read_to_end(self, topic: str, *, isolation: IsolationLevel = "read_uncommitted") -> Iterator[LogRecord]:
        consumer = self._consumer(isolation)
        ends: dict[int, int] = {}
        starts: list[KafkaTopicPartition] = []
        for partition in self._partitions(consumer, topic):
            low, high = self._watermarks(consumer, topic, partition)
            if high > low:
                ends[partition] = high
                starts.append(KafkaTopicPartition(topic, partition, low))
        yield from self._read(consumer, starts, ends)

    def newest(self, topic: str, partition: int = 0) -> LogRecord | None:
        consumer = self._consumer("read_uncommitted")
        try:
            low, high = self._watermarks(consumer, topic, partition)
        except TopicMissingError:
            return None
        for distance in (*_LOOK_BACK, high - low):
            start = max(low, high - distance)
            newest = None
            for record in self._read(consumer, [KafkaTopicPartition(topic, partition, start)], {partition: high}):
                newest = record
            if newest is not None or start == low:
                return newest
        return None

    def at(self, topic: str, partition: int, offset: int) -> LogRecord | None:
        consumer = self._consumer("read_uncommitted")
        try:
            low, high = self._watermarks(consumer, topic, partition)
        except TopicMissingError:
            return None
        if not low <= offset < high:
            return None
        wanted = self._read(consumer, [KafkaTopicPartition(topic, partition, offset)], {partition: offset + 1})
        return next((record for record in wanted if record.offset == offset), None)

    def read_from(
        self,
        topic: str,
        partition: int,
        offset: int,
        *,
        end: int | None = None,
        isolation: IsolationLevel = "read_uncommitted",
    ) -> Iterator[LogRecord]:
        consumer = self._consumer(isolation)
        try:
            low, high = self._watermarks(consumer, topic, partition)
        except TopicMissingError:
            return
        start, stop = max(low, offset), high if end is None else min(high, end)
        if start < stop:
            yield from self._read(consumer, [KafkaTopicPartition(topic, partition, start)], {partition: stop})

    def close(self) -> None:
        for consumer in self._consumers.values():
            consumer.close()
        self._consumers.clear()

    def _consumer(self, isolation: IsolationLevel) -> Consumer:
        if self._certificates.have_changed():
            self.close()
        if isolation not in self._consumers:
            self._consumers[isolation] = Consumer(
                {
                    **librdkafka_config(self._cluster),
                    "error_cb": self._watch.error_cb,
                    "group.id": "srm-record-log",  # librdkafka wants one; it is never joined
                    "enable.auto.commit": False,
                    "enable.partition.eof": True,
                    "auto.offset.reset": "earliest",
                    "isolation.level": isolation,
                    "fetch.wait.max.ms": 100,
                    "queued.max.messages.kbytes": 16_384,
                    "allow.auto.create.topics": False,
                }
            )
        return self._consumers[isolation]

    def _partitions(self, consumer: Consumer, topic: str) -> list[int]:
        try:
            metadata = consumer.list_topics(topic, timeout=REQUEST_TIMEOUT_S)
        except KafkaException as error:
            consumer.poll(0)
            raise self._watch.translate(error, f"list the partitions of {topic}", topic=topic) from error
        return sorted(metadata.topics[topic].partitions) if topic in metadata.topics else []

    def _watermarks(self, consumer: Consumer, topic: str, partition: int) -> tuple[int, int]:
        try:
            marks = consumer.get_watermark_offsets(
                KafkaTopicPartition(topic, partition), timeout=REQUEST_TIMEOUT_S, cached=False
            )
        except KafkaException as error:
            consumer.poll(0)
            raise self._watch.translate(error, f"read the offsets of {topic}", topic=topic) from error
        if marks is None:
            raise ClusterUnreachableError(
                f"cluster {self._cluster.alias} did not report the offsets of {topic} in time",
                cluster=self._cluster.alias,
            )
        return marks

    def _read(self, consumer: Consumer, starts: list[KafkaTopicPartition], ends: dict[int, int]) -> Iterator[LogRecord]:
        """Records below the ends; a partition is through at its end, or where the cluster has no more to give."""
        open_partitions = {start.partition for start in starts}
        consumer.assign(starts)
        heard_at = time.monotonic()
        try:
            while open_partitions:
                message = consumer.poll(0.2)
                if message is None or is_group_refusal(message):
                    self._check_progress(heard_at, starts[0].topic)
                    continue
                heard_at = time.monotonic()
                if self._is_end(message):
                    open_partitions.discard(_partition(message))
                    continue
                record = _record(message)
                if record.partition in open_partitions and record.offset < ends[record.partition]:
                    yield record
                if record.offset + 1 >= ends[record.partition]:
                    open_partitions.discard(record.partition)
        finally:
            consumer.unassign()

    def _check_progress(self, heard_at: float, topic: str) -> None:
        if time.monotonic() - heard_at > _STALL_TIMEOUT_S:
            raise ClusterUnreachableError(
                f"cluster {self._cluster.alias} stopped answering while {topic} was read",
                cluster=self._cluster.alias,
                topic=topic,
            )

    def _is_end(self, message: Message) -> bool:
        """Return True when it marks the end of a partition. Raises any other error."""
        error = message.error()
        if error is None:
            return False
        if error.code() == KafkaError._PARTITION_EOF:
            return True
        raise self._watch.translate(error, f"read {message.topic()}", topic=message.topic())


def _partition(message: Message) -> int:
    partition = message.partition()
    return -1 if partition is None else partition


def _record(message: Message) -> LogRecord:
    record = record_of(message)
    return LogRecord(
        topic=message.topic() or "",
        partition=_partition(message),
        offset=record.offset,
        timestamp_ms=record.timestamp,
        key=record.key,
        value=record.value,
        headers=tuple(record.headers),
    )
