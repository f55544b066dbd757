"""The sizes of logs by DescribeLogDirs (KIP-113), asked of every broker."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from kafka.protocol.admin.cluster import DescribeLogDirsRequest
from kafka.protocol.metadata import MetadataRequest

from replication.domain.errors import AuthorizationError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.plan.slot import ClusterClient
from replication.wire.inquiries.blocking_link import BlockingLink
from replication.wire.network.cluster_link import METADATA_MAX_VERSION

_LOG_DIRS_VERSION = 4
_DOING = "asking for the sizes of logs"


class WireLogSizes:
    """The `LogSizes` of one cluster."""

    def __init__(self, cluster: ClusterClient) -> None:
        self._alias = cluster.alias
        self._blocking = BlockingLink(cluster, "srm-log-sizes")

    def bytes_of(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        return self._blocking.run(lambda: self._sizes(partitions))

    def close(self) -> None:
        self._blocking.close()

    async def _sizes(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        link = self._blocking.link
        metadata = MetadataRequest(topics=[], allow_auto_topic_creation=False, max_version=METADATA_MAX_VERSION)
        brokers = (await link.send(metadata, doing="asking for the brokers")).brokers
        found: dict[TopicPartition, int] = {}
        for broker in brokers:
            response = await link.send(_request(partitions), broker.node_id, doing=_DOING)
            link.check(getattr(response, "error_code", None) or KafkaErrorCode.NONE, _DOING)
            if not response.results:  # Kafka before 3.2 answers a refusal with nothing
                raise AuthorizationError(
                    f"cluster {self._alias} does not show the sizes of logs: grant DESCRIBE on the cluster",
                    cluster=self._alias,
                )
            _note_largest(response, found)
        return found


def _request(partitions: Collection[TopicPartition]) -> DescribeLogDirsRequest:
    topic_type = DescribeLogDirsRequest.DescribableLogDirTopic
    by_topic: defaultdict[str, list[int]] = defaultdict(list)
    for each in partitions:
        by_topic[each.topic].append(each.partition)
    return DescribeLogDirsRequest(
        topics=[topic_type(topic=name, partitions=numbers) for name, numbers in sorted(by_topic.items())],
        max_version=_LOG_DIRS_VERSION,
    )


def _note_largest(response: Any, found: dict[TopicPartition, int]) -> None:
    """Keep the largest replica of each partition; a replica that moves within its broker counts once."""
    for folder in response.results:
        if folder.error_code != KafkaErrorCode.NONE:
            continue  # a failed disk
        for topic in folder.topics:
            for entry in topic.partitions:
                partition = TopicPartition(topic.name, entry.partition_index)
                if not entry.is_future_key:
                    found[partition] = max(found.get(partition, 0), entry.partition_size)
