"""Topics and records through confluent-kafka: an observer that shares no code with the engine."""

import base64
import functools
import hashlib
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaException, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

POLL_S = 0.2


class Seen(NamedTuple):
    """One record as a consumer sees it."""

    offset: int
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: tuple[tuple[str, bytes | None], ...]

    @property
    def content(self) -> tuple[Any, ...]:
        return self[1:]


@functools.cache  # a client that is dropped takes its pending answers with it
def admin(bootstrap: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})


def create_topic(bootstrap: str, name: str, partitions: int = 1, *, replicas: int = 1, **configs: str) -> bytes:
    """Create a topic and return its id (16 bytes)."""
    settings = {key.replace("_", "."): value for key, value in configs.items()}
    created = admin(bootstrap).create_topics([NewTopic(name, partitions, replicas, config=settings)])
    created[name].result(10)
    return topic_id(bootstrap, name)


def topic_id(bootstrap: str, name: str) -> bytes:
    deadline = time.monotonic() + 90
    while True:  # a topic just created is not known to every broker at once, and later beside thousands of others
        try:
            described = admin(bootstrap).describe_topics(TopicCollection([name]))[name].result(10)
            break
        except KafkaException:
            if time.monotonic() > deadline:
                raise
            time.sleep(POLL_S)
    return base64.urlsafe_b64decode(f"{described.topic_id}==")


def delete_topic(bootstrap: str, name: str) -> None:
    """Delete a topic and wait until the broker has forgotten it."""
    client = admin(bootstrap)
    client.delete_topics([name])[name].result(10)
    deadline = time.monotonic() + 20
    while name in client.list_topics(timeout=5).topics:
        assert time.monotonic() < deadline, f"{name} does not go away"
        time.sleep(POLL_S)


def produce(bootstrap: str, topic: str, records: Iterable[dict[str, Any]], **settings: Any) -> None:
    """Produce records given as keyword arguments of `Producer.produce`."""
    errors: list[Any] = []
    config = {
        "bootstrap.servers": bootstrap,
        "log_level": 0,
        "linger.ms": 20,
        "queue.buffering.max.messages": 1_000_000,
    }
    producer = Producer({**config, **{key.replace("_", "."): value for key, value in settings.items()}})

    def delivered(error: Any, _message: Any) -> None:
        if error is not None:
            errors.append(error)

    for record in records:
        while True:
            try:
                producer.produce(topic, on_delivery=delivered, **record)
                break
            except BufferError:
                producer.poll(POLL_S)
        producer.poll(0)
    assert producer.flush(240) == 0
    assert not errors, errors[:3]


class EndOffsets:
    """The log ends of a topic, asked again and again by one consumer, each time in some milliseconds."""

    def __init__(self, bootstrap: str, topic: str, partitions: int) -> None:
        self._bootstrap = bootstrap
        self._consumer = _consumer(bootstrap, "read_uncommitted")
        self._partitions = [TopicPartition(topic, number) for number in range(partitions)]

    def __call__(self) -> list[int]:
        """By partition. Raises KafkaException while the topic does not exist."""
        try:
            return [self._consumer.get_watermark_offsets(each, timeout=10)[1] for each in self._partitions]
        except KafkaException:  # a topic that was unknown stays so for a while
            self.close()
            self._consumer = _consumer(self._bootstrap, "read_uncommitted")
            raise

    def close(self) -> None:
        self._consumer.close()


def end_offsets(bootstrap: str, topic: str, partitions: int) -> list[int]:
    with closing(EndOffsets(bootstrap, topic, partitions)) as ends:
        return ends()


def read_all(bootstrap: str, topic: str, partitions: int = 1, isolation: str = "read_committed") -> list[list[Seen]]:
    """Every record of a topic up to its end as of now, by partition."""
    consumer = _consumer(bootstrap, isolation)
    try:
        ends = {
            number: consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=10)
            for number in range(partitions)
        }
        open_partitions = {number for number, (start, end) in ends.items() if end > start}
        consumer.assign([TopicPartition(topic, number, ends[number][0]) for number in range(partitions)])
        seen: list[list[Seen]] = [[] for _ in range(partitions)]
        deadline = time.monotonic() + 60
        while open_partitions:
            assert time.monotonic() < deadline, f"{topic}: partitions {open_partitions} do not end"
            for message in consumer.consume(10_000, POLL_S):
                if message.error() is not None:
                    continue  # end of a partition
                seen[message.partition() or 0].append(_seen(message))
            for position in consumer.position([TopicPartition(topic, number) for number in open_partitions]):
                if position.offset >= ends[position.partition][1]:
                    open_partitions.discard(position.partition)
        return seen
    finally:
        consumer.close()


def digest(records: Sequence[Seen]) -> str:
    """A fingerprint of key, value, timestamp, headers and order."""
    found = hashlib.sha256()
    for record in records:
        found.update(repr(record.content).encode())
    return found.hexdigest()


def _consumer(bootstrap: str, isolation: str) -> Consumer:
    return Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "observer",
            "log_level": 0,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": isolation,
            "enable.partition.eof": True,
        }
    )


def _seen(message: Any) -> Seen:
    headers = tuple((name, value) for name, value in message.headers() or ())
    return Seen(message.offset(), message.key(), message.value(), message.timestamp()[1], headers)
