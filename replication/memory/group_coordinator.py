"""The consumer groups of a cluster in memory: members, subscriptions, commits and the rights of clients on them."""

from dataclasses import dataclass, field

from replication.domain.groups.consumer_group import (
    Commit,
    GroupDescription,
    GroupProblem,
    GroupState,
    GroupType,
    ListedGroup,
)
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code

ALL_GROUP_OPERATIONS = frozenset({"read", "describe", "delete"})


@dataclass(slots=True)
class MemoryGroup:
    """One group. It is empty without members."""

    name: str
    type: GroupType = "classic"
    protocol_type: str = "consumer"
    members: int = 0
    is_rebalancing: bool = False
    topics: frozenset[str] | None = None  # the subscription, while there are members
    patterns: tuple[str, ...] = ()
    commits: dict[TopicPartition, Commit] = field(default_factory=dict)
    pending: dict[TopicPartition, Commit] = field(default_factory=dict)  # in an open transaction
    operations: frozenset[str] = ALL_GROUP_OPERATIONS
    problem: GroupProblem | None = None  # every request for the group is answered with it

    @property
    def state(self) -> GroupState:
        if not self.members:
            return "empty"
        return "rebalancing" if self.is_rebalancing else "active"

    def end_transaction(self, *, committed: bool) -> None:
        """Take the pending commits over, or drop them."""
        if committed:
            self.commits |= self.pending
        self.pending.clear()

    def listed(self) -> ListedGroup:
        return ListedGroup(name=self.name, type=self.type, state=self.state, protocol_type=self.protocol_type)

    def described(self) -> GroupDescription:
        return GroupDescription(
            name=self.name,
            type=self.type,
            state=self.state,
            members=self.members,
            topics=self.topics if self.members else None,
            patterns=self.patterns if self.members else (),
        )

    def refusal_to_commit(self) -> Code:
        """Return the code with which Kafka answers a commit of a client that is no member."""
        if "read" not in self.operations:
            return Code.GROUP_AUTHORIZATION_FAILED
        if self.type == "share":
            return Code.GROUP_ID_NOT_FOUND
        return Code.UNKNOWN_MEMBER_ID if self.members else Code.NONE


class GroupCoordinator:
    """The groups of one cluster, by name."""

    def __init__(self) -> None:
        self.groups: dict[str, MemoryGroup] = {}

    def group(self, name: str) -> MemoryGroup:
        """Return the group; an empty classic one begins where there is none."""
        return self.groups.setdefault(name, MemoryGroup(name))

    def join(self, name: str, *topics: str, members: int = 1) -> MemoryGroup:
        """Let members of that subscription join the group."""
        group = self.group(name)
        group.members, group.topics = members, frozenset(topics)
        return group

    def members(self, name: str) -> int:
        found = self.groups.get(name)
        return found.members if found is not None else 0
