"""What planning needs from a cluster: look at topics, offsets and groups; create topics and partitions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from replication.domain.identifiers import TopicPartition
from replication.domain.topic_config import ConfigValue

OffsetQuery = Literal["earliest", "latest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDescription:
    """Who answers under a cluster's bootstrap servers."""

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


class ClusterAdmin(Protocol):
    """One cluster's administration. Every call blocks, at most about ten seconds, and may come from any thread.

    Raises `replication.domain.errors`: ClusterUnreachableError, RequestTimedOutError, AuthenticationError,
    AuthorizationError, each naming the cluster's alias. No call ever creates a topic by looking at it.
    """

    @property
    def alias(self) -> str: ...

    def describe_cluster(self) -> ClusterDescription: ...

    def list_topics(self) -> Mapping[str, int]:
        """Names of all topics and their partition counts; one cheap request."""

    def describe_topics(self, names: Collection[str]) -> Mapping[str, TopicDescription]:
        """Topic ids and more; names that do not exist are missing from the answer."""

    def topic_configs(self, names: Collection[str]) -> Mapping[str, Mapping[str, ConfigValue]]:
        """All config entries by topic and name; topics that do not exist are missing from the answer."""

    def create_topics(self, topics: Sequence[NewTopic]) -> tuple[Refused, ...]:
        """Create each topic that does not exist yet; an existing one is no error. Returns those refused.

        What was created is seen by the calls above when this one returns, unless the brokers take very long.
        """

    def create_partitions(self, counts: Mapping[str, int]) -> tuple[Refused, ...]:
        """Grow topics to the count; one that has as many already is no error. Returns those refused."""

    def list_offsets(self, partitions: Collection[TopicPartition], query: OffsetQuery) -> Mapping[TopicPartition, int]:
        """Log start or log end offsets; partitions that do not exist are missing from the answer."""

    def group_members(self, group: str) -> int:
        """Live members of a group of any protocol; 0 when there is no such group."""

    def close(self) -> None: ...
