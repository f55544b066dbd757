"""Reads from topic names how a cluster takes part in replication, as MirrorMaker's `MirrorClient` does."""

from collections.abc import Iterable

from replication.domain.names.internal_topic_filter import InternalTopicFilter
from replication.domain.names.internal_topics import CHECKPOINTS
from replication.domain.names.replication_policy import ReplicationPolicy, is_heartbeats_topic


def remote_topics(
    topics: Iterable[str], policy: ReplicationPolicy, internal: InternalTopicFilter, source: str | None = None
) -> frozenset[str]:
    """Return the copies among these topics, of every source or of one."""
    found = {topic: policy.topic_source(topic) for topic in topics if not internal.matches(topic)}
    return frozenset(topic for topic, origin in found.items() if origin is not None and source in (None, origin))


def heartbeat_topics(topics: Iterable[str], policy: ReplicationPolicy) -> frozenset[str]:
    """Return the heartbeats topics and their copies."""
    return frozenset(topic for topic in topics if is_heartbeats_topic(policy, topic))


def checkpoint_topics(topics: Iterable[str], separator: str) -> frozenset[str]:
    """Return the topics of checkpoints."""
    return frozenset(topic for topic in topics if topic.endswith(CHECKPOINTS.name(separator=separator)))


def sources_of(topic: str, policy: ReplicationPolicy) -> tuple[str, ...]:
    """Return the clusters that a topic came through, the nearest one first; each once."""
    sources: list[str] = []
    current: str | None = topic
    while current is not None:
        source = policy.topic_source(current)
        if source is None or source in sources:
            break
        sources.append(source)
        current = policy.upstream_topic(current)
    return tuple(sources)


def replication_hops(topics: Iterable[str], policy: ReplicationPolicy, upstream: str) -> int | None:
    """Return the least number of flows from a cluster to this one; None where no heartbeat came from it."""
    chains = (sources_of(topic, policy) for topic in heartbeat_topics(topics, policy))
    return min((chain.index(upstream) + 1 for chain in chains if upstream in chain), default=None)


def upstream_clusters(topics: Iterable[str], policy: ReplicationPolicy) -> frozenset[str]:
    """Return the clusters whose heartbeats came here."""
    return frozenset(source for topic in heartbeat_topics(topics, policy) for source in sources_of(topic, policy))
