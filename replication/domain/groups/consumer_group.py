"""Consumer groups as a cluster describes them, and the offsets that they have committed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from replication.domain.identifiers import TopicPartition

GroupType = Literal["classic", "consumer", "share", "streams", "unknown"]  # KIP-848, KIP-932, KIP-1071
GroupState = Literal["empty", "active", "rebalancing", "dead", "unknown"]


@dataclass(frozen=True, slots=True)
class GroupProblem:
    """The reason why a coordinator refused a group, or one partition of it."""

    code: str  # Kafka's error name, such as GROUP_AUTHORIZATION_FAILED
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedGroup:
    """A group in the list of its cluster."""

    name: str
    type: GroupType
    state: GroupState
    protocol_type: str = ""  # of classic groups: "consumer", "connect", ""


@dataclass(frozen=True, slots=True)
class Commit:
    """A committed offset. The leader epoch is left out: it has no meaning on another cluster."""

    offset: int
    metadata: str = ""  # bytes that are not UTF-8 are kept as surrogate escapes


Commits = Mapping[TopicPartition, Commit]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDescription:
    """A group as its coordinator knows it. `topics` are those that its members subscribe to; None where unknown."""

    name: str
    type: GroupType
    state: GroupState
    members: int
    topics: frozenset[str] | None = None
    patterns: tuple[str, ...] = ()  # regular expressions of KIP-848 subscriptions
