"""The connection to each cluster, out of the prefixes on flows that name a cluster, a client or both.

A cluster is reached in one way by all clients here. So the prefix that ranks highest counts: first those of a cluster's
client, then those of a client, then those of a cluster. `admin.` means both clusters and ranks last. A key of the
cluster itself counts before all of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from replication.config.settings.places import ClusterSide
from replication.config.settings.prefixes import BOOTSTRAP, SOURCE_CLUSTER, TARGET_CLUSTER, is_connection_key
from replication.config.tree.operator.resource_keys import own
from replication.config.tree.properties import PropertyPlace

# by rank; the client that handles the records comes before the others
RANKED: Mapping[ClusterSide, tuple[str, ...]] = {
    "source": ("source.consumer.", "source.admin.", "source.producer.", "consumer.", SOURCE_CLUSTER, "admin."),
    "target": (
        "producer.override.",
        "target.producer.",
        "target.admin.",
        "target.consumer.",
        "producer.",
        TARGET_CLUSTER,
        "admin.",
    ),
}
_PREFIXES = tuple(dict.fromkeys(prefix for prefixes in RANKED.values() for prefix in prefixes))


def is_address(name: str) -> bool:
    """Return whether a key of a flow belongs to the connection to one of its clusters."""
    return any(name.startswith(prefix) and is_connection_key(name.removeprefix(prefix)) for prefix in _PREFIXES)


def ranked(names: Iterable[str], side: ClusterSide) -> Mapping[str, tuple[str, ...]]:
    """Return the keys of a flow by the name of the connection key that they give to a cluster, strongest first."""
    names = tuple(names)
    found: dict[str, list[str]] = {}
    for prefix in RANKED[side]:
        for name in names:
            key = name.removeprefix(prefix)
            if name.startswith(prefix) and is_connection_key(key):
                found.setdefault(key, []).append(name)
    return {key: tuple(by_rank) for key, by_rank in found.items()}


def cluster_places(places: Sequence[PropertyPlace]) -> Iterator[tuple[PropertyPlace, PropertyPlace]]:
    """Yield places of clusters with the place on a flow whose value they take; of two flows the last one counts."""
    taken = {place for place in places if place.level == "cluster"}
    found: dict[PropertyPlace, PropertyPlace] = {}
    for source, target in dict.fromkeys((place.source, place.target) for place in places if place.level == "flow"):
        names = {each.name: each for each in places if (each.source, each.target) == (source, target)}
        for alias, keys in zip((source, target), _of_flow(names), strict=True):
            found |= {PropertyPlace(level="cluster", alias=alias, name=key): names[name] for key, name in keys.items()}
    yield from ((place, value) for place, value in found.items() if place not in taken)


def _of_flow(names: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the key on a flow for each connection key of its source and of its target."""
    source, target = ({key: by_rank[0] for key, by_rank in ranked(names, side).items()} for side in RANKED)
    if _is_heartbeat_alone(names):
        for own_keys, other in ((source, target), (target, source)):
            if BOOTSTRAP in other:
                own_keys.setdefault(BOOTSTRAP, other[BOOTSTRAP])
    return source, target


def _is_heartbeat_alone(names: Iterable[str]) -> bool:
    names = set(names)
    return own("heartbeat", "metadata.name") in names and not names & {
        own("source", "metadata.name"),
        own("checkpoint", "metadata.name"),
    }
