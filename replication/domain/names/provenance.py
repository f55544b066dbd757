"""The clusters that a topic came through, read from its name, and provenance that no valid deployment produces.

A cycle is recognised by alias strings alone (MirrorSourceConnector.isCycle). Two deployments that give the same
clusters other aliases do not see each other's cycles and copy each other's heartbeats for ever, one level per refresh.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from replication.domain.names.internal_topics import CONNECT_CONFIGS, OFFSET_SYNCS, POSITIONS
from replication.domain.names.replication_policy import ReplicationPolicy, is_heartbeats_topic
from replication.domain.names.topic_name import MAX_TOPIC_NAME

_NAMED_AFTER_FLOWS = (POSITIONS, CONNECT_CONFIGS, OFFSET_SYNCS)


def provenance(policy: ReplicationPolicy, topic: str) -> tuple[str, ...]:
    """Aliases from the last cluster the topic was copied from back to the first; empty for a local topic."""
    chain: list[str] = []
    current = topic
    for _ in range(MAX_TOPIC_NAME):
        source, upstream = policy.topic_source(current), policy.upstream_topic(current)
        if source is None or upstream is None or upstream == current:
            break
        chain.append(source)
        current = upstream
    return tuple(chain)


def seen_aliases(topics: Iterable[str]) -> frozenset[str]:
    """Aliases of other clusters, as the internal topics of flows on a cluster name them."""
    names = tuple(topics)
    return frozenset().union(*(internal.aliases(names) for internal in _NAMED_AFTER_FLOWS))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTrip:
    """A heartbeats topic that has been on this cluster before, under an alias unknown to the flow."""

    topic: str
    foreign: tuple[str, ...]  # aliases in the chain that are not the flow's


def heartbeat_round_trip(policy: ReplicationPolicy, topic: str, source: str, target: str) -> RoundTrip | None:
    """On the flow's source: its own alias in the chain, or one alias twice, cannot come from a sound deployment."""
    if not is_heartbeats_topic(policy, topic):
        return None
    chain = provenance(policy, topic)
    if source not in chain and len(set(chain)) == len(chain):
        return None
    foreign = tuple(dict.fromkeys(alias for alias in chain if alias not in (source, target)))
    return RoundTrip(topic=topic, foreign=foreign)
