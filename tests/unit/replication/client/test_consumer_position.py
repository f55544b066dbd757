"""Consumers of confluent-kafka begin at translated offsets."""

from typing import Any

import confluent_kafka
import pytest
from confluent_kafka import KafkaError
from confluent_kafka import TopicPartition as KafkaTopicPartition

from replication.client.consumer_position import OffsetRefusedError, assign_at, commit_at
from replication.client.translated_offset import TranslatedOffset
from replication.domain.identifiers import TopicPartition

OFFSETS = {
    TopicPartition("us.orders", 1): TranslatedOffset(offset=7, metadata="note"),
    TopicPartition("us.orders", 0): TranslatedOffset(offset=5),
}


class Consumer(confluent_kafka.Consumer):
    """Keeps what it is told, and connects to nothing."""

    def __init__(self, error: KafkaError | None = None) -> None:
        super().__init__({"bootstrap.servers": "127.0.0.1:1", "group.id": "app", "log_level": 0})
        self.assigned: list[KafkaTopicPartition] = []
        self.stored: list[KafkaTopicPartition] = []
        self._error = error

    def assign(self, partitions: list[KafkaTopicPartition]) -> None:
        self.assigned = partitions

    def commit(self, *, offsets: list[KafkaTopicPartition], asynchronous: bool) -> list[Any]:  # type: ignore[override]
        assert not asynchronous
        self.stored = offsets
        return [Answer(each, self._error) for each in offsets]


class Answer:
    """An offset as the broker answers it."""

    def __init__(self, place: KafkaTopicPartition, error: KafkaError | None) -> None:
        self.topic, self.partition, self.offset, self.error = place.topic, place.partition, place.offset, error


def places(found: list[KafkaTopicPartition]) -> list[tuple[str, int, int, str | None]]:
    return [(each.topic, each.partition, each.offset, each.metadata) for each in found]


def test_a_consumer_reads_from_translated_offsets() -> None:
    consumer = Consumer()
    assign_at(consumer, OFFSETS)

    assert places(consumer.assigned) == [("us.orders", 0, 5, ""), ("us.orders", 1, 7, "note")]


def test_a_group_gets_translated_offsets() -> None:
    consumer = Consumer()
    commit_at(consumer, OFFSETS)

    assert places(consumer.stored) == [("us.orders", 0, 5, ""), ("us.orders", 1, 7, "note")]


def test_an_offset_that_the_broker_refuses_is_an_error() -> None:
    with pytest.raises(OffsetRefusedError, match=r"us\.orders-0"):
        commit_at(Consumer(KafkaError(KafkaError.UNKNOWN_MEMBER_ID)), OFFSETS)
