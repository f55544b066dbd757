"""RecordProducer, RecordLog and Arrivals in memory."""

import random
import time
from collections.abc import Iterator, Sequence

from replication.codecs.murmur2 import partition_for
from replication.domain.batches.record import Record
from replication.domain.errors import TopicMissingError
from replication.domain.identifiers import TopicPartition
from replication.domain.settings.choices import IsolationLevel
from replication.memory.broker import MemoryCluster, MemoryTopic
from replication.ports.record_log import LogRecord
from replication.wire.batches.record_codec import build_batch


class MemoryProducer:
    """Queues until the flush, as the real one may."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._cluster = cluster
        self._queue: list[tuple[str, int | None, Record]] = []

    def send(
        self,
        topic: str,
        *,
        key: bytes | None,
        value: bytes | None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes]] = (),
    ) -> None:
        created_ms = int(time.time() * 1000) if timestamp_ms is None else timestamp_ms
        self._queue.append((topic, partition, Record(0, created_ms, key, value, tuple(headers))))

    def flush(self, timeout_s: float = 10.0) -> None:
        queue, self._queue = self._queue, []
        self._cluster.check()
        failure: TopicMissingError | None = None
        with self._cluster.lock:
            for name, partition, record in queue:
                topic = self._cluster.topics.get(name)
                if topic is None or (partition is not None and partition >= len(topic.partitions)):
                    text = f"cluster {self._cluster.alias} refused to write to {name}: there is no such partition"
                    failure = failure or TopicMissingError(text, cluster=self._cluster.alias, topic=name)
                else:
                    _append(topic, partition, record)
        if failure is not None:
            raise failure

    def close(self) -> None:
        self._queue.clear()


class MemoryRecordLog:
    """Reads a MemoryCluster's records."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._cluster = cluster

    def read_to_end(self, topic: str, *, isolation: IsolationLevel = "read_uncommitted") -> Iterator[LogRecord]:
        self._cluster.check()
        with self._cluster.lock:
            found = self._cluster.topics.get(topic)
            numbers = range(len(found.partitions)) if found else ()
            records = [
                record for number in numbers for record in self._records(topic, number, isolation == "read_committed")
            ]
        yield from records

    def newest(self, topic: str, partition: int = 0) -> LogRecord | None:
        self._cluster.check()
        with self._cluster.lock:
            return max(self._records(topic, partition), key=lambda record: record.offset, default=None)

    def at(self, topic: str, partition: int, offset: int) -> LogRecord | None:
        self._cluster.check()
        with self._cluster.lock:
            return next((record for record in self._records(topic, partition) if record.offset == offset), None)

    def read_from(
        self,
        topic: str,
        partition: int,
        offset: int,
        *,
        end: int | None = None,
        isolation: IsolationLevel = "read_uncommitted",
    ) -> Iterator[LogRecord]:
        self._cluster.check()
        with self._cluster.lock:
            records = list(self._records(topic, partition, isolation == "read_committed"))
        yield from (each for each in records if each.offset >= offset and (end is None or each.offset < end))

    def close(self) -> None:
        """Nothing is open."""

    def _records(self, topic: str, partition: int, committed: bool = False) -> Iterator[LogRecord]:
        log = self._cluster.find(TopicPartition(topic, partition))
        for record in log.records(committed=committed) if log is not None else ():
            yield LogRecord(
                topic=topic,
                partition=partition,
                offset=record.offset,
                timestamp_ms=record.timestamp,
                key=record.key,
                value=record.value,
                headers=tuple(record.headers),
            )


def _append(topic: MemoryTopic, partition: int | None, record: Record) -> None:
    if partition is None:
        count = len(topic.partitions)
        partition = random.randrange(count) if record.key is None else partition_for(record.key, count)  # noqa: S311 - spreads load, guards nothing
    topic.append(partition, bytes(build_batch([record])))


class MemoryArrivals:
    """The `Arrivals` of a MemoryCluster."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._log = MemoryRecordLog(cluster)

    def newest_ms(self, topic: str) -> int | None:
        record = self._log.newest(topic)
        return None if record is None else record.timestamp_ms

    def close(self) -> None:
        """Nothing is open."""
