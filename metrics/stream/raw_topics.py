"""Reads ids, log starts and log ends of the raw metrics topics of a cluster."""

import re
from collections.abc import Collection

from metrics.schemas import RAW_TOPIC_PATTERN
from metrics.stream.ledger import RawLog, RawPartition
from replication.domain.identifiers import TopicPartition
from replication.ports.admin import ClusterAdmin


class RawTopics:
    """Every call blocks for at most some ten seconds and raises `replication.domain.errors` as ClusterAdmin does."""

    def __init__(self, admin: ClusterAdmin) -> None:
        self._admin = admin

    def names(self) -> list[str]:
        """Return the topics that match the stream's pattern."""
        return sorted(name for name in self._admin.list_topics() if re.fullmatch(RAW_TOPIC_PATTERN, name))

    def ids(self, topics: Collection[str]) -> dict[str, str]:
        """Return topic ids in hex, without topics that do not exist."""
        return {name: found.topic_id.hex() for name, found in self._admin.describe_topics(topics).items()}

    def logs(self) -> dict[RawPartition, RawLog]:
        """Return the logs of all partitions of all raw topics, without any that vanishes meanwhile."""
        described = self._admin.describe_topics(self.names())
        partitions = [
            TopicPartition(name, partition)
            for name, topic in described.items()
            for partition in range(topic.partitions)
        ]
        starts = self._admin.list_offsets(partitions, "earliest")
        ends = self._admin.list_offsets(partitions, "latest")
        return {
            (each.topic, each.partition): RawLog(described[each.topic].topic_id.hex(), starts[each], ends[each])
            for each in partitions
            if each in starts and each in ends
        }

    def log_starts(self, partitions: Collection[RawPartition]) -> dict[RawPartition, int]:
        asked = [TopicPartition(topic, partition) for topic, partition in partitions]
        found = self._admin.list_offsets(asked, "earliest")
        return {(each.topic, each.partition): offset for each, offset in found.items()}

    def close(self) -> None:
        self._admin.close()
