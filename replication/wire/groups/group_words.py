"""Kafka's words for types and states of groups, the operations on them, and subscriptions of their members."""

from collections.abc import Iterable
from typing import Any, get_args

from kafka.protocol.admin import ACLOperation
from kafka.protocol.consumer import ConsumerProtocolSubscription

from replication.domain.groups.consumer_group import GroupDescription, GroupState, GroupType

_STATES: dict[str, GroupState] = {
    "Empty": "empty",
    "Stable": "active",
    "Dead": "dead",
    "PreparingRebalance": "rebalancing",
    "CompletingRebalance": "rebalancing",
    "Assigning": "rebalancing",
    "Reconciling": "rebalancing",
    "NotReady": "rebalancing",  # of Streams groups whose topics are missing
}
_TYPES: dict[str, GroupType] = {word: word for word in get_args(GroupType)}


def state_of(word: str) -> GroupState:
    return _STATES.get(word, "unknown")


def type_of(word: str | None) -> GroupType:
    """Return the type; brokers that tell none have classic groups only."""
    return _TYPES.get(word.lower(), "unknown") if word else "classic"


def operations_of(codes: Iterable[int]) -> frozenset[str]:
    """Return the words of a set of operations, in lower case."""
    known = {int(operation) for operation in ACLOperation}
    return frozenset(ACLOperation(code).name.lower() for code in codes if code in known)


def classic_description(group: Any) -> GroupDescription:
    """Read one group of an answer of DescribeGroups."""
    return GroupDescription(
        name=group.group_id,
        type="classic",
        state=state_of(group.group_state),
        members=len(group.members),
        topics=_subscriptions(group),
    )


def _subscriptions(group: Any) -> frozenset[str] | None:
    """Return the topics of all members; None unless each of them is known. Only stable groups tell them."""
    topics: set[str] = set()
    if group.protocol_type != "consumer" or not group.members:
        return None
    for member in group.members:
        try:
            topics.update(ConsumerProtocolSubscription.decode(bytes(member.member_metadata)).topics)
        except Exception:  # bytes of other programs: the decoder raises what it happens to meet
            return None
    return frozenset(topics)


def newer_description(group: Any, group_type: GroupType) -> GroupDescription:
    """Read one group of an answer about groups of the newer types."""
    patterns: set[str] = set()
    topics: set[str] = set(_source_topics(group)) if group_type == "streams" else set()
    for member in group.members:
        topics.update(getattr(member, "subscribed_topic_names", None) or ())
        if pattern := getattr(member, "subscribed_topic_regex", None):
            patterns.add(pattern)
    return GroupDescription(
        name=group.group_id,
        type=group_type,
        state=state_of(group.group_state),
        members=len(group.members),
        topics=frozenset(topics) if group.members or topics else None,
        patterns=tuple(sorted(patterns)),
    )


def _source_topics(group: Any) -> Iterable[str]:
    """Return the topics that a Streams application reads and does not make itself."""
    topology = group.topology
    for part in (topology.subtopologies or ()) if topology is not None else ():
        yield from part.source_topics
