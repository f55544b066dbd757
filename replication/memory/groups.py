"""GroupAdmin in memory."""

from collections.abc import Collection, Mapping

from replication.domain.groups.consumer_group import (
    Commit,
    Commits,
    GroupDescription,
    GroupProblem,
    ListedGroup,
)
from replication.domain.groups.group_problem import GroupRequest, group_problem
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.memory.broker import ALL_TOPIC_OPERATIONS, MemoryCluster
from replication.memory.group_coordinator import ALL_GROUP_OPERATIONS, MemoryGroup

MAX_METADATA_BYTES = 4_096  # Kafka's offset.metadata.max.bytes


class MemoryGroupAdmin:
    """The groups of a MemoryCluster; the same contract as the real adapter."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._cluster = cluster
        self._requests = 0

    @property
    def alias(self) -> str:
        return self._cluster.alias

    @property
    def requests(self) -> int:
        return self._requests

    def list_groups(self) -> Mapping[str, ListedGroup]:
        self._ask()
        with self._cluster.lock:
            groups = self._cluster.group_coordinator.groups
            return {name: group.listed() for name, group in groups.items() if "describe" in group.operations}

    def commits(self, groups: Collection[str]) -> Mapping[str, Commits | GroupProblem]:
        self._ask()
        with self._cluster.lock:
            return {name: self._refusal(name, "read") or self._visible_commits(name) for name in groups}

    def describe(self, groups: Collection[str]) -> Mapping[str, GroupDescription | GroupProblem]:
        self._ask()
        with self._cluster.lock:
            return {name: self._refusal(name, "describe") or self._described(name) for name in groups}

    def alter(
        self, commits: Mapping[str, Mapping[TopicPartition, Commit]]
    ) -> Mapping[str, Mapping[TopicPartition, GroupProblem | None]]:
        self._ask()
        with self._cluster.lock:
            return {name: self._alter(name, wanted) for name, wanted in commits.items()}

    def group_operations(self, groups: Collection[str]) -> Mapping[str, frozenset[str]]:
        self._ask()
        with self._cluster.lock:
            return {name: self._operations(name) for name in groups}

    def close(self) -> None:
        """Nothing is open."""

    def _ask(self) -> None:
        self._requests += 1
        self._cluster.check()

    def _find(self, name: str) -> MemoryGroup | None:
        return self._cluster.group_coordinator.groups.get(name)

    def _refusal(self, name: str, request: GroupRequest) -> GroupProblem | None:
        group = self._find(name)
        if group is None or group.problem is not None:
            return group.problem if group is not None else None
        if "describe" in group.operations:
            return None
        return group_problem(Code.GROUP_AUTHORIZATION_FAILED, request, cluster=self.alias, group=name)

    def _visible_commits(self, name: str) -> Commits:
        group = self._find(name)
        if group is None or group.type == "share":
            return {}
        visible = self._cluster.topic_operations
        return {
            each: commit
            for each, commit in group.commits.items()
            if "describe" in visible.get(each.topic, ALL_TOPIC_OPERATIONS)
        }

    def _described(self, name: str) -> GroupDescription:
        group = self._find(name)
        return group.described() if group else GroupDescription(name=name, type="unknown", state="dead", members=0)

    def _operations(self, name: str) -> frozenset[str]:
        group = self._find(name)
        operations = group.operations if group is not None else ALL_GROUP_OPERATIONS
        return operations if "describe" in operations else frozenset()

    def _alter(self, name: str, wanted: Mapping[TopicPartition, Commit]) -> dict[TopicPartition, GroupProblem | None]:
        group = self._find(name) or MemoryGroup(name, protocol_type="")
        if group.problem is not None:
            return dict.fromkeys(wanted, group.problem)
        refusal = group.refusal_to_commit()
        codes = {each: refusal or self._partition_refusal(each, commit) for each, commit in wanted.items()}
        for each, code in codes.items():
            if code == Code.NONE:
                self._cluster.group_coordinator.groups[name] = group
                group.commits[each] = wanted[each]
        return {each: self._problem(code, name, each) for each, code in codes.items()}

    def _problem(self, code: Code, group: str, partition: TopicPartition) -> GroupProblem | None:
        if code == Code.NONE:
            return None
        return group_problem(code, "alter", cluster=self.alias, group=group, partition=partition)

    def _partition_refusal(self, partition: TopicPartition, commit: Commit) -> Code:
        if "read" not in self._cluster.topic_operations.get(partition.topic, ALL_TOPIC_OPERATIONS):
            return Code.TOPIC_AUTHORIZATION_FAILED
        if self._cluster.find(partition) is None:
            return Code.UNKNOWN_TOPIC_OR_PARTITION
        if len(commit.metadata.encode(errors="surrogateescape")) > MAX_METADATA_BYTES:
            return Code.OFFSET_METADATA_TOO_LARGE
        return Code.NONE
