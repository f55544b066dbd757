"""A small Kafka cluster in memory: topics with ids, configs and records; groups with members.

It knows no compaction, transactions or retention; it enforces rights to create topics only. It can be switched off to
behave as a dead cluster.
"""

import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.domain.acl import TopicAcl
from replication.domain.errors import ClusterUnreachableError
from replication.domain.topic_config import ConfigValue
from replication.ports.record_log import LogRecord

DEFAULT_CONFIGS = {
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
    """Records by partition; a topic made anew under an old name has another id."""

    name: str
    replication_factor: int
    configs: dict[str, str]
    partitions: list[list[LogRecord]]
    topic_id: bytes = field(default_factory=lambda: uuid.uuid4().bytes)

    def config_values(self) -> dict[str, ConfigValue]:
        values = {
            name: ConfigValue(name=name, value=value, source="default") for name, value in DEFAULT_CONFIGS.items()
        }
        values |= {name: ConfigValue(name=name, value=value, source="topic") for name, value in self.configs.items()}
        return values


class MemoryCluster:
    """What the adapters of one alias share. Every access happens under `lock`."""

    def __init__(self, alias: str, *, brokers: int = 1) -> None:
        self.alias = alias
        self.brokers = brokers
        self.cluster_id = uuid.uuid4().hex
        self.is_up = True
        self.lock = threading.RLock()
        self.topics: dict[str, MemoryTopic] = {}
        self.group_members: dict[str, int] = {}
        self.acls: set[TopicAcl] | None = None  # None: there is no authorizer
        self.topic_operations: dict[str, frozenset[str]] = {}  # of topics whose rights are limited
        self.cluster_operations = ALL_CLUSTER_OPERATIONS

    def check(self) -> None:
        """Raises ClusterUnreachableError while the cluster is switched off."""
        if not self.is_up:
            raise ClusterUnreachableError(
                f"cluster {self.alias} (memory) does not answer: it is switched off; check that its brokers run",
                cluster=self.alias,
            )

    def create(
        self, name: str, *, partitions: int = 1, replication_factor: int = 1, configs: Mapping[str, str] | None = None
    ) -> MemoryTopic:
        """Create a topic, or replace the one there is by an empty one with another id."""
        with self.lock:
            topic = MemoryTopic(
                name=name,
                replication_factor=replication_factor,
                configs=dict(configs or {}),
                partitions=[[] for _ in range(partitions)],
            )
            self.topics[name] = topic
            return topic

    def delete(self, name: str) -> None:
        with self.lock:
            self.topics.pop(name, None)
