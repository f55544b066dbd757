"""The request for the ends of leader epochs (OffsetsForLeaderEpoch, KIP-320), and its answer."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from kafka.protocol.consumer import OffsetForLeaderEpochRequest

from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.offsets.leader_epochs import EpochEnd

_CONSUMER = -1
_MAX_VERSION = 4


def epoch_ends_request(epochs: Mapping[TopicPartition, int]) -> OffsetForLeaderEpochRequest:
    """Ask one broker about partitions that it leads."""
    topic_type = OffsetForLeaderEpochRequest.OffsetForLeaderTopic
    by_topic: dict[str, list[Any]] = defaultdict(list)
    for partition, epoch in epochs.items():
        by_topic[partition.topic].append(
            topic_type.OffsetForLeaderPartition(partition=partition.partition, leader_epoch=epoch)
        )
    return OffsetForLeaderEpochRequest(
        replica_id=_CONSUMER,
        topics=[topic_type(topic=name, partitions=members) for name, members in by_topic.items()],
        max_version=_MAX_VERSION,
    )


def read_epoch_ends(response: Any) -> dict[TopicPartition, EpochEnd]:
    """Return the answers; partitions with an error are missing."""
    return {
        TopicPartition(topic.topic, entry.partition): EpochEnd(entry.leader_epoch, entry.end_offset)
        for topic in response.topics
        for entry in topic.partitions
        if entry.error_code == KafkaErrorCode.NONE
    }
