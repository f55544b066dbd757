"""ClusterAdmin in memory."""

from collections.abc import Collection, Mapping, Sequence

from replication.domain.errors import AuthorizationError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.acl import GroupAcl, TopicAcl
from replication.domain.plan.rights import ANONYMOUS
from replication.domain.plan.topic_config import ConfigChange, ConfigValue
from replication.domain.settings.choices import LogEnd
from replication.memory.broker import ALL_TOPIC_OPERATIONS, DEFAULT_CONFIGS, MemoryCluster
from replication.memory.partition_log import PartitionLog
from replication.ports.admin import (
    ClusterDescription,
    NewTopic,
    Refused,
    RefusedAcl,
    TopicDescription,
)


class MemoryAdmin:
    """Administration of a MemoryCluster; the same contract as the real adapter."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._cluster = cluster

    @property
    def alias(self) -> str:
        return self._cluster.alias

    @property
    def servers(self) -> str:
        return "memory:9092"

    @property
    def principal(self) -> str:
        return ANONYMOUS

    def describe_cluster(self) -> ClusterDescription:
        self._cluster.check()
        return ClusterDescription(cluster_id=self._cluster.cluster_id, brokers=self._cluster.brokers)

    def list_topics(self) -> Mapping[str, int]:
        self._cluster.check()
        with self._cluster.lock:
            return {name: len(topic.partitions) for name, topic in self._cluster.topics.items()}

    def describe_topics(self, names: Collection[str]) -> Mapping[str, TopicDescription]:
        self._cluster.check()
        with self._cluster.lock:
            return {
                name: TopicDescription(
                    name=name,
                    topic_id=topic.topic_id,
                    partitions=len(topic.partitions),
                    replication_factor=topic.replication_factor,
                )
                for name, topic in self._cluster.topics.items()
                if name in names
            }

    def topic_configs(self, names: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        self._cluster.check()
        with self._cluster.lock:
            return {name: topic.config_values() for name, topic in self._cluster.topics.items() if name in names}

    def chosen_configs(self, names: Collection[str], keys: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        found = self.topic_configs(names)
        return {name: {key: value for key, value in each.items() if key in keys} for name, each in found.items()}

    def create_topics(self, topics: Sequence[NewTopic]) -> tuple[Refused, ...]:
        self._cluster.check()
        with self._cluster.lock:
            return tuple(refused for topic in topics if (refused := self._create(topic)) is not None)

    def check_new_topics(self, topics: Sequence[NewTopic]) -> tuple[Refused, ...]:
        self._cluster.check()
        with self._cluster.lock:
            new = [topic for topic in topics if topic.name not in self._cluster.topics]
            return tuple(refused for topic in new if (refused := self._refusal_of(topic)) is not None)

    def create_partitions(self, counts: Mapping[str, int]) -> tuple[Refused, ...]:
        self._cluster.check()
        with self._cluster.lock:
            return tuple(refused for name, count in counts.items() if (refused := self._grow(name, count)) is not None)

    def alter_topic_configs(self, changes: Sequence[ConfigChange]) -> tuple[Refused, ...]:
        self._cluster.check()
        with self._cluster.lock:
            return tuple(refused for change in changes if (refused := self._alter(change)) is not None)

    def topic_operations(self, names: Collection[str]) -> Mapping[str, frozenset[str]]:
        self._cluster.check()
        with self._cluster.lock:
            limited = self._cluster.topic_operations
            return {name: limited.get(name, ALL_TOPIC_OPERATIONS) for name in names if name in self._cluster.topics}

    def cluster_operations(self) -> frozenset[str]:
        self._cluster.check()
        return self._cluster.cluster_operations

    def topic_acls(self) -> tuple[TopicAcl, ...]:
        self._cluster.check()
        with self._cluster.lock:
            self._require_describe()
            return tuple(self._cluster.acls or ())

    def group_acls(self) -> tuple[GroupAcl, ...]:
        self._cluster.check()
        with self._cluster.lock:
            self._require_describe()
            return tuple(self._cluster.group_acls)

    def create_acls(self, bindings: Collection[TopicAcl]) -> tuple[RefusedAcl, ...]:
        self._cluster.check()
        with self._cluster.lock:
            if self._cluster.acls is None:
                return self._no_authorizer(bindings)
            self._cluster.acls |= set(bindings)
        return ()

    def delete_acls(self, bindings: Collection[TopicAcl]) -> tuple[RefusedAcl, ...]:
        self._cluster.check()
        with self._cluster.lock:
            if self._cluster.acls is None:
                return self._no_authorizer(bindings)
            self._cluster.acls -= set(bindings)
        return ()

    def list_offsets(self, partitions: Collection[TopicPartition], query: LogEnd) -> Mapping[TopicPartition, int]:
        self._cluster.check()
        with self._cluster.lock:
            found: dict[TopicPartition, int] = {}
            for each in partitions:
                topic = self._cluster.topics.get(each.topic)
                if topic is not None and each.partition < len(topic.partitions):
                    log = topic.partitions[each.partition]
                    found[each] = log.end if query == "latest" else log.start
            return found

    def available_offsets(self, partitions: Collection[TopicPartition], query: LogEnd) -> Mapping[TopicPartition, int]:
        offsets = self.list_offsets(partitions, query)
        return {each: offset for each, offset in offsets.items() if each not in self._cluster.leaderless}

    def offsets_at(self, partitions: Collection[TopicPartition], time_ms: int) -> Mapping[TopicPartition, int]:
        self._cluster.check()
        with self._cluster.lock:
            logs = {each: self._cluster.find(each) for each in partitions}
            found = {each: log.offset_at(time_ms) for each, log in logs.items() if log is not None}
            return {each: offset for each, offset in found.items() if offset >= 0}

    def group_members(self, group: str) -> int:
        self._cluster.check()
        return self._cluster.group_coordinator.members(group)

    def close(self) -> None:
        """Nothing is open."""

    def _require_describe(self) -> None:
        if "describe" not in self._cluster.cluster_operations:
            text = f"cluster {self.alias} refused to list ACLs: {self.principal} lacks DESCRIBE on the cluster"
            raise AuthorizationError(text, cluster=self.alias)

    def _create(self, topic: NewTopic) -> Refused | None:
        if topic.name in self._cluster.topics:
            return None
        refused = self._refusal_of(topic)
        if refused is None:
            self._cluster.create(
                topic.name,
                partitions=topic.partitions,
                replication_factor=max(1, topic.replication_factor),
                configs=topic.configs,
            )
        return refused

    def _refusal_of(self, topic: NewTopic) -> Refused | None:
        if "create" not in self._cluster.cluster_operations:
            return Refused(topic=topic.name, code="TOPIC_AUTHORIZATION_FAILED", text="Authorization failed.")
        if topic.replication_factor > self._cluster.brokers:
            text = f"Unable to replicate the partition {topic.replication_factor} time(s)"
            return Refused(topic=topic.name, code="INVALID_REPLICATION_FACTOR", text=text)
        unknown = [name for name in topic.configs if name not in DEFAULT_CONFIGS]
        if unknown:
            return Refused(topic=topic.name, code="INVALID_CONFIG", text=f"Unknown topic config name: {unknown[0]}")
        return None

    def _no_authorizer(self, bindings: Collection[TopicAcl]) -> tuple[RefusedAcl, ...]:
        text = "No Authorizer is configured."
        return tuple(RefusedAcl(acl=acl, code="SECURITY_DISABLED", text=text) for acl in bindings)

    def _alter(self, change: ConfigChange) -> Refused | None:
        topic = self._cluster.topics.get(change.topic)
        if topic is None:
            return Refused(topic=change.topic, code="UNKNOWN_TOPIC_OR_PART", text="The topic does not exist.")
        unknown = [name for name in change.set if name not in DEFAULT_CONFIGS]
        if unknown:
            return Refused(topic=change.topic, code="INVALID_CONFIG", text=f"Unknown topic config name: {unknown[0]}")
        topic.configs |= change.set
        for name in change.delete:
            topic.configs.pop(name, None)
        return None

    def _grow(self, name: str, count: int) -> Refused | None:
        topic = self._cluster.topics.get(name)
        if topic is None:
            return Refused(topic=name, code="UNKNOWN_TOPIC_OR_PART", text="The topic does not exist.")
        topic.partitions.extend(PartitionLog() for _ in range(count - len(topic.partitions)))
        return None
