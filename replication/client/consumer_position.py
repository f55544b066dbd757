"""Positions a confluent-kafka consumer at translated offsets."""

from collections.abc import Mapping

from confluent_kafka import Consumer
from confluent_kafka import TopicPartition as KafkaTopicPartition

from replication.client.translated_offset import TranslatedOffset
from replication.domain.identifiers import TopicPartition


def assign_at(consumer: Consumer, offsets: Mapping[TopicPartition, TranslatedOffset]) -> None:
    """Let a consumer read these partitions from these offsets. It must not subscribe as well.

    Partitions without an offset are left out.
    """
    consumer.assign(_places(offsets))


def commit_at(consumer: Consumer, offsets: Mapping[TopicPartition, TranslatedOffset]) -> None:
    """Commit these offsets for the consumer's group, before it subscribes.

    The group must have no other members: the broker refuses the commit else. Raises KafkaException, or
    OffsetRefusedError for one partition. Partitions without an offset are left out.
    """
    places = _places(offsets)
    committed = consumer.commit(offsets=places, asynchronous=False) if places else ()
    for each in committed:
        if each.error is not None:
            raise OffsetRefusedError(f"offset {each.offset} of {each.topic}-{each.partition}: {each.error}")


class OffsetRefusedError(Exception):
    """The broker refused the offset of one partition."""


def _places(offsets: Mapping[TopicPartition, TranslatedOffset]) -> list[KafkaTopicPartition]:
    return [
        KafkaTopicPartition(partition.topic, partition.partition, found.offset, found.metadata)
        for partition, found in sorted(offsets.items())
        if found.offset is not None
    ]
