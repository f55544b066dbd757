"""LogSizes in memory."""

from collections.abc import Collection, Mapping

from replication.domain.identifiers import TopicPartition
from replication.memory.broker import MemoryCluster


class MemoryLogSizes:
    """The sizes of a MemoryCluster's logs; the same contract as the real adapter."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._cluster = cluster

    def bytes_of(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        self._cluster.check()
        with self._cluster.lock:
            found = {each: self._cluster.topics.get(each.topic) for each in partitions}
            return {
                each: sum(len(batch.data) for batch in topic.partitions[each.partition].batches)
                for each, topic in found.items()
                if topic is not None and each.partition < len(topic.partitions)
            }

    def close(self) -> None:
        """Nothing is open."""
