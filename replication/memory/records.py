"""RecordProducer and RecordLog in memory."""

import random
import time
from collections.abc import Iterator, Sequence

from replication.codecs.murmur2 import partition_for
from replication.domain.errors import TopicMissingError
from replication.domain.slot import IsolationLevel
from replication.memory.broker import MemoryCluster, MemoryTopic
from replication.ports.record_log import LogRecord


class MemoryProducer:
    """Queues until the flush, as the real one may."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._cluster = cluster
        self._queue: list[tuple[str, int | None, LogRecord]] = []

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
        record = LogRecord(
            topic=topic,
            partition=-1,
            offset=-1,
            timestamp_ms=int(time.time() * 1000) if timestamp_ms is None else timestamp_ms,
            key=key,
            value=value,
            headers=tuple(headers),
        )
        self._queue.append((topic, partition, record))

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
    """Reads a MemoryCluster's records; there are no transactions, so both isolation levels see the same."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._cluster = cluster

    def read_to_end(self, topic: str, *, isolation: IsolationLevel = "read_uncommitted") -> Iterator[LogRecord]:
        self._cluster.check()
        with self._cluster.lock:
            found = self._cluster.topics.get(topic)
            records = [record for partition in found.partitions for record in partition] if found else []
        yield from records

    def newest(self, topic: str, partition: int = 0) -> LogRecord | None:
        self._cluster.check()
        with self._cluster.lock:
            found = self._cluster.topics.get(topic)
            if found is None or partition >= len(found.partitions) or not found.partitions[partition]:
                return None
            return found.partitions[partition][-1]

    def at(self, topic: str, partition: int, offset: int) -> LogRecord | None:
        self._cluster.check()
        with self._cluster.lock:
            found = self._cluster.topics.get(topic)
            records = found.partitions[partition] if found and partition < len(found.partitions) else []
            return next((record for record in records if record.offset == offset), None)

    def close(self) -> None:
        """Nothing is open."""


def _append(topic: MemoryTopic, partition: int | None, record: LogRecord) -> None:
    if partition is None:
        count = len(topic.partitions)
        partition = random.randrange(count) if record.key is None else partition_for(record.key, count)  # noqa: S311 - spreads load, guards nothing
    log = topic.partitions[partition]
    log.append(
        LogRecord(
            topic=topic.name,
            partition=partition,
            offset=len(log),
            timestamp_ms=record.timestamp_ms,
            key=record.key,
            value=record.value,
            headers=record.headers,
        )
    )
