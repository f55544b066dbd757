"""The planner's view of a cluster: topics, offsets, groups and rights; it creates and alters topics and ACLs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from replication.domain.identifiers import TopicPartition
from replication.domain.plan.acl import GroupAcl, TopicAcl
from replication.domain.plan.topic_config import ConfigChange, ConfigValue
from replication.domain.settings.choices import LogEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDescription:
    """The cluster that answers under the bootstrap servers."""

    cluster_id: str
    brokers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDescription:
    """A topic as it is now; a re-created topic has another `topic_id`."""

    name: str
    topic_id: bytes  # 16 zero bytes where the cluster has no ids
    partitions: int
    replication_factor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTopic:
    """A topic to be created."""

    name: str
    partitions: int
    replication_factor: int
    configs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why one topic of a bulk request was refused; the others are not affected."""

    topic: str
    code: str  # Kafka's error name, such as INVALID_CONFIG
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedAcl:
    """Why one ACL of a bulk request could not be created or deleted."""

    acl: TopicAcl
    code: str
    text: str


class ChosenConfigs(Protocol):
    """Reads single configs of one cluster's topics; blocking, any thread. Raises as `ClusterAdmin`."""

    def chosen_configs(self, names: Collection[str], keys: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        """The named configs by topic and name; topics that do not exist or that we may not see are missing."""

    def close(self) -> None: ...


class ClusterAdmin(ChosenConfigs, Protocol):
    """One cluster's administration. Every call blocks, at most about ten seconds, and may come from any thread.

    Raises `replication.domain.errors`: ClusterUnreachableError, RequestTimedOutError, AuthenticationError,
    AuthorizationError, each naming the cluster's alias. No call creates a topic by asking for it.
    """

    @property
    def alias(self) -> str: ...

    @property
    def servers(self) -> str:
        """The bootstrap servers as one writes them on a command line."""

    @property
    def principal(self) -> str:
        """Return our principal as far as our settings say (`User:srm`); for commands that grant rights."""

    def describe_cluster(self) -> ClusterDescription: ...

    def list_topics(self) -> Mapping[str, int]:
        """Names of all topics and their partition counts; one cheap request."""

    def describe_topics(self, names: Collection[str]) -> Mapping[str, TopicDescription]:
        """Topic ids and more; names that do not exist are missing from the answer."""

    def topic_configs(self, names: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        """All config entries by topic and name; topics that do not exist or that we may not see are missing."""

    def create_topics(self, topics: Sequence[NewTopic]) -> tuple[Refused, ...]:
        """Create each topic that does not exist yet; an existing one is no error. Returns those refused.

        What was created is seen by the calls above when this one returns, unless the brokers take very long.
        """

    def check_new_topics(self, topics: Sequence[NewTopic]) -> tuple[Refused, ...]:
        """Return those that `create_topics` would refuse; the cluster checks rights, configs and its own policies.

        Nothing is created.
        """

    def create_partitions(self, counts: Mapping[str, int]) -> tuple[Refused, ...]:
        """Grow topics to the count; one that has as many already is no error. Returns those refused."""

    def alter_topic_configs(self, changes: Sequence[ConfigChange]) -> tuple[Refused, ...]:
        """Set and delete single configs; keys not named stay as they are. A refused topic keeps all its configs."""

    def topic_operations(self, names: Collection[str]) -> Mapping[str, frozenset[str]]:
        """Return the operations this client may do on each topic, in lower case (`read`, `write`, `alter_configs`).

        Everything where the cluster has no authorizer; missing and invisible topics are not in the answer.
        """

    def cluster_operations(self) -> frozenset[str]:
        """Return the operations this client may do on the cluster as a whole (`create`, `alter`, `describe`)."""

    def topic_acls(self) -> tuple[TopicAcl, ...]:
        """All bindings on topics; none where the cluster has no authorizer."""

    def group_acls(self) -> tuple[GroupAcl, ...]:
        """All bindings on groups; none where the cluster has no authorizer."""

    def create_acls(self, bindings: Collection[TopicAcl]) -> tuple[RefusedAcl, ...]:
        """Create each; one that exists is no error. Returns those refused."""

    def delete_acls(self, bindings: Collection[TopicAcl]) -> tuple[RefusedAcl, ...]:
        """Delete exactly these; one that is gone is no error. Returns those refused."""

    def list_offsets(self, partitions: Collection[TopicPartition], query: LogEnd) -> Mapping[TopicPartition, int]:
        """Log start or log end offsets; partitions that do not exist are missing from the answer."""

    def available_offsets(self, partitions: Collection[TopicPartition], query: LogEnd) -> Mapping[TopicPartition, int]:
        """As `list_offsets`, but partitions whose leader does not answer are missing as well; raises if all are."""

    def offsets_at(self, partitions: Collection[TopicPartition], time_ms: int) -> Mapping[TopicPartition, int]:
        """The first offset at or after a time; partitions without such a record are missing."""

    def group_members(self, group: str) -> int:
        """Live members of a group of any protocol; 0 when there is no such group."""

    def close(self) -> None: ...
