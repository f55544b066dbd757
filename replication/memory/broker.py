"""A small Kafka cluster in memory: topics with ids, configs and logs; transactions; groups with members.

It does not compact, expires nothing automatically and enforces rights to create and to write topics only. It can be
switched off to behave as a dead cluster, and it fails single requests on demand.
"""

import threading
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.domain.errors import ClusterUnreachableError, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.acl import GroupAcl, TopicAcl
from replication.domain.plan.topic_config import ConfigValue
from replication.memory.coordinator import TransactionCoordinator
from replication.memory.group_coordinator import GroupCoordinator, MemoryGroup
from replication.memory.partition_log import AppendResult, PartitionLog

DEFAULT_CONFIGS = {
    "segment.ms": "604800000",
    "cleanup.policy": "delete",
    "compression.type": "producer",
    "max.message.bytes": "1048588",
    "message.timestamp.type": "CreateTime",
    "min.insync.replicas": "1",
    "retention.ms": "604800000",
    "delete.retention.ms": "86400000",
    "max.compaction.lag.ms": "9223372036854775807",
    "min.cleanable.dirty.ratio": "0.5",
    "segment.bytes": "1073741824",
}


ALL_TOPIC_OPERATIONS = frozenset(
    ["read", "write", "create", "delete", "alter", "describe", "describe_configs", "alter_configs"]
)
ALL_CLUSTER_OPERATIONS = frozenset(
    ["create", "alter", "describe", "cluster_action", "describe_configs", "alter_configs", "idempotent_write"]
)


@dataclass(slots=True)
class MemoryTopic:
    """A log for each partition; a topic re-created under an old name has another id."""

    name: str
    replication_factor: int
    configs: dict[str, str]
    partitions: list[PartitionLog]
    topic_id: bytes = field(default_factory=lambda: uuid.uuid4().bytes)

    def append(self, partition: int, data: bytes | memoryview) -> AppendResult:
        """Append a client's batch under the topic's configs."""
        return self.partitions[partition].append(
            data,
            max_bytes=int(self.configs.get("max.message.bytes", DEFAULT_CONFIGS["max.message.bytes"])),
            needs_keys="compact" in self.configs.get("cleanup.policy", ""),
        )

    def config_values(self) -> dict[str, ConfigValue]:
        values = {
            name: ConfigValue(name=name, value=value, source="default") for name, value in DEFAULT_CONFIGS.items()
        }
        values |= {name: ConfigValue(name=name, value=value, source="topic") for name, value in self.configs.items()}
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class ProduceFault:
    """A failure of one produce request: with a code or without an answer, after or before its batches are written."""

    code: int = 0
    is_written: bool = False
    is_lost: bool = False


class MemoryCluster:
    """The state that the adapters of one alias share. Every access happens under `lock`."""

    def __init__(self, alias: str, *, brokers: int = 1) -> None:
        self.alias = alias
        self.brokers = brokers
        self.cluster_id = uuid.uuid4().hex
        self.is_up = True
        self.lock = threading.RLock()
        self.topics: dict[str, MemoryTopic] = {}
        self.group_coordinator = GroupCoordinator()
        self.acls: set[TopicAcl] | None = None  # None: there is no authorizer
        self.group_acls: set[GroupAcl] = set()
        self.topic_operations: dict[str, frozenset[str]] = {}  # of topics whose rights are limited
        self.cluster_operations = ALL_CLUSTER_OPERATIONS
        self.coordinator = TransactionCoordinator()
        self.unwritable: set[str] = set()  # topics that refuse writes: the client lacks the right
        self.unreadable: set[str] = set()
        self.leaderless: set[TopicPartition] = set()  # their offsets are not available
        self.produce_faults: deque[ProduceFault | None] = deque()  # used up by produce requests, in their order
        self.fetch_faults: dict[TopicPartition, deque[int]] = {}  # codes that the next fetches answer
        self.commit_faults: deque[ReplicationError] = deque()  # used up by commits; the transaction is aborted

    def check(self) -> None:
        """Raises ClusterUnreachableError while the cluster is switched off."""
        if not self.is_up:
            raise ClusterUnreachableError(
                f"cluster {self.alias} (memory) does not answer: it is switched off; check that its brokers run",
                cluster=self.alias,
            )

    def group(self, name: str) -> MemoryGroup:
        """The consumer group of that name; an empty one begins where there is none."""
        return self.group_coordinator.group(name)

    def find(self, partition: TopicPartition) -> PartitionLog | None:
        """The log of a partition; None where it does not exist."""
        topic = self.topics.get(partition.topic)
        is_known = topic is not None and 0 <= partition.partition < len(topic.partitions)
        return topic.partitions[partition.partition] if topic is not None and is_known else None

    def log(self, topic: str, partition: int = 0) -> PartitionLog:
        """The log of a partition that exists."""
        return self.topics[topic].partitions[partition]

    def create(
        self, name: str, *, partitions: int = 1, replication_factor: int = 1, configs: Mapping[str, str] | None = None
    ) -> MemoryTopic:
        """Create a topic, or replace the one there is by an empty one with another id."""
        with self.lock:
            topic = MemoryTopic(
                name=name,
                replication_factor=replication_factor,
                configs=dict(configs or {}),
                partitions=[PartitionLog() for _ in range(partitions)],
            )
            self.topics[name] = topic
            return topic

    def delete(self, name: str) -> None:
        with self.lock:
            self.topics.pop(name, None)
