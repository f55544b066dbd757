"""Writes raw metrics topics on a real broker and remembers which records have to count."""

import time
from collections.abc import Iterable
from zlib import crc32

from confluent_kafka import KafkaError, KafkaException, Producer, TopicCollection
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from tests.support.eventually import eventually
from tests.support.metrics.raw_metrics import Record, encode

PARTITIONS = 4


class RawLog:
    """The raw metrics topic of one source in one target cluster."""

    def __init__(self, bootstrap: str, source: str) -> None:
        self.topic = f"srm-metrics.{source}.internal"
        self.counting: list[Record] = []
        self.bootstrap = bootstrap
        self._admin = AdminClient({"bootstrap.servers": bootstrap})
        self._producer = self._connected()

    def create(self) -> None:
        self._admin.create_topics([NewTopic(self.topic, PARTITIONS, 1)])[self.topic].result(30)

    def recreate(self) -> None:
        """Delete the topic and make it again at once; a producer that knew the old one may hold the new one unknown."""
        self._admin.delete_topics([self.topic])[self.topic].result(30)
        eventually(self._gone, 30, "the topic is deleted")
        self.create()
        eventually(lambda: not self._gone(), 30, "the topic is there again")
        self._producer = self._connected()

    def add_partitions(self, total: int) -> None:
        """More partitions than the topic was made with; the tasks of before stay in theirs."""
        self._admin.create_partitions([NewPartitions(self.topic, total)])[self.topic].result(30)
        eventually(lambda: self._partitions() == total, 30, "the new partitions are known")

    def write(
        self, records: Iterable[Record], *, times: int = 1, partition: int | None = None, dated: bool = False
    ) -> None:
        """Records that count once, however often they are written; `dated`: as if at the end of their periods."""
        for record in records:
            self.counting.append(record)
            for _ in range(times):
                written_ms = record["to_ms"] if dated else 0
                self._send(self._producer, encode(record), record["task"], partition, written_ms)
        assert self._producer.flush(30) == 0

    def write_bytes(self, *values: bytes, key: str = "anything") -> None:
        """Write values that are not counted."""
        for value in values:
            self._send(self._producer, value, key)
        assert self._producer.flush(30) == 0

    def write_transaction(self, records: Iterable[Record], *, commit: bool) -> None:
        """Records that count only when the transaction is committed; aborted ones are in the log all the same."""
        producer = Producer({"bootstrap.servers": self.bootstrap, "transactional.id": f"raw-{time.time_ns()}"})
        producer.init_transactions(30)
        producer.begin_transaction()
        for record in records:
            if commit:
                self.counting.append(record)
            self._send(producer, encode(record), record["task"])
        producer.flush(30)
        producer.commit_transaction(30) if commit else producer.abort_transaction(30)

    def _connected(self) -> Producer:
        return Producer(
            {
                "bootstrap.servers": self.bootstrap,
                "enable.idempotence": True,
                "linger.ms": 5,
                "topic.metadata.refresh.interval.ms": 1000,
            }
        )

    def _send(
        self, producer: Producer, value: bytes, key: str, partition: int | None = None, written_ms: int = 0
    ) -> None:
        at = crc32(key.encode()) % PARTITIONS if partition is None else partition
        eventually(
            lambda: self._accepted(producer, value, key, at, written_ms), 30, f"the producer knows partition {at}"
        )
        producer.poll(0)

    def _accepted(self, producer: Producer, value: bytes, key: str, partition: int, written_ms: int) -> bool:
        """`written_ms` 0: now."""
        try:
            producer.produce(
                self.topic,
                value,
                key=key.encode(),
                partition=partition,
                timestamp=written_ms,
                on_delivery=_delivered,
            )
        except KafkaException as error:
            if error.args[0].code() not in (KafkaError._UNKNOWN_PARTITION, KafkaError._UNKNOWN_TOPIC):
                raise
            producer.poll(0.1)
            return False
        return True

    def _partitions(self) -> int:
        """As the producer knows them: it refuses those it has not heard of."""
        return len(self._producer.list_topics(self.topic, 30).topics[self.topic].partitions)

    def _gone(self) -> bool:
        try:
            self._admin.describe_topics(TopicCollection([self.topic]))[self.topic].result(30)
        except Exception:
            return True
        return False


def _delivered(error: object, _message: object) -> None:
    assert error is None, error
