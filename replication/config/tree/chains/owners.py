"""The clients of a flow that a property is for, and the name that it has there without prefixes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from replication.config.files.levels import names_unknown_cluster, works_without_prefix
from replication.config.settings.client_keys import client_key
from replication.config.settings.places import CONNECTION_SPOTS, SIDES, SPOTS, FlowClient, Spot, client_of, spots_of
from replication.config.settings.prefixes import CLIENT_PREFIXES, OLD_SPELLINGS, find_key, is_connection_key
from replication.config.tree.properties import TREE_LEVELS, PropertyPlace
from replication.domain.identifiers import FlowId

KAFKA_CLIENTS: tuple[FlowClient, ...] = tuple(SIDES)
_WORKER = "worker."
_ADMINS: tuple[FlowClient, ...] = ("source-admin", "target-admin")
# the clients that a prefix means, also on levels where it has no effect
_MEANT: Mapping[str, tuple[FlowClient, ...]] = {
    "source.cluster.": ("consumer", "source-admin"),
    "target.cluster.": ("producer", "target-admin"),
    "source.consumer.": ("consumer",),
    "target.consumer.": ("consumer",),
    "consumer.override.": ("consumer",),
    "consumer.": ("consumer",),
    "source.producer.": ("producer",),
    "target.producer.": ("producer",),
    "producer.override.": ("producer",),
    "producer.": ("producer",),
    "source.admin.": ("source-admin",),
    "target.admin.": ("target-admin",),
    "admin.override.": _ADMINS,
    "admin.": _ADMINS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A client and a name that a property is for. `rank` orders the claims that count, 0 first; None: no effect."""

    client: FlowClient
    name: str
    rank: int | None


def claims_of(place: PropertyPlace, flow: FlowId, *, has_levels: bool) -> Iterator[Claim]:
    """Yield the clients of this flow that a property is for; none if it belongs to other flows and clusters."""
    if not _concerns(place, flow):
        return
    prefix, name = _split(place, has_levels=has_levels)
    counts = _counts(place, has_levels=has_levels)
    for client in _clients(place, prefix, name, flow):
        spots = all_spots(client, name)
        rank = next(
            (
                at
                for at, spot in enumerate(spots)
                if spot.prefix == prefix and spot.place(name, flow) == _present(place)
            ),
            None,
        )
        yield Claim(client=client, name=name, rank=rank if counts else None)


def all_spots(client: FlowClient, name: str) -> tuple[Spot, ...]:
    """Return where a client takes a name from, strongest first, keys of the connection included."""
    if client not in SIDES:
        return spots_of(client, name)
    common = CONNECTION_SPOTS[SIDES[client]]
    if is_connection_key(name):
        return common if name != "bootstrap.servers" else common[:1]
    return tuple(sorted((*SPOTS[client], *common), key=lambda spot: -TREE_LEVELS.index(spot.level)))


def _present(place: PropertyPlace) -> PropertyPlace:
    name = OLD_SPELLINGS.get(place.name, place.name)
    return PropertyPlace(level=place.level, name=name, alias=place.alias, source=place.source, target=place.target)


def _concerns(place: PropertyPlace, flow: FlowId) -> bool:
    if place.level == "flow":
        return (place.source, place.target) == (flow.source, flow.target)
    if place.level == "global":
        return not names_unknown_cluster(place.name)
    return place.level != "cluster" or place.alias in (flow.source, flow.target)


def _counts(place: PropertyPlace, *, has_levels: bool) -> bool:
    """Return whether the dialect reads a place at all."""
    if place.level == "global":
        return not has_levels or works_without_prefix(place.name)
    return has_levels or place.level not in ("workers", "connectors")


def _split(place: PropertyPlace, *, has_levels: bool) -> tuple[str, str]:
    """Return prefix and name; exact keys come first: `admin.timeout.ms` is a setting."""
    name = OLD_SPELLINGS.get(place.name, place.name)
    if find_key(name) is not None:
        return "", name
    if has_levels and place.level == "flow" and name.startswith(_WORKER):
        return _WORKER, name.removeprefix(_WORKER)
    prefix = next((each for each in CLIENT_PREFIXES if name.startswith(each)), "")
    return prefix, name.removeprefix(prefix)


def _clients(place: PropertyPlace, prefix: str, name: str, flow: FlowId) -> tuple[FlowClient, ...]:
    if prefix == _WORKER:
        return ("worker",)
    setting = find_key(name)
    if prefix:
        clients = _MEANT[prefix]
    elif setting is not None:
        return (client_of(setting.role),)
    elif is_connection_key(name) or client_key("connection", name) is not None:
        clients = KAFKA_CLIENTS
    else:
        return ("worker",) if place.level in ("workers", "cluster") else ("flow",)
    if place.level != "cluster":
        return clients
    sides = {side for side, alias in (("source", flow.source), ("target", flow.target)) if alias == place.alias}
    return tuple(each for each in clients if SIDES[each] in sides) or clients
