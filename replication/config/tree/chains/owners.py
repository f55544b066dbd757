"""The clients of a flow that a property is for, and the name that it has there without prefixes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from replication.config.files.dialects import OPERATOR
from replication.config.files.levels import names_unknown_cluster, works_without_prefix
from replication.config.settings.client_keys import client_key
from replication.config.settings.places import CONNECTION_SPOTS, SIDES, SPOTS, FlowClient, Spot, client_of, spots_of
from replication.config.settings.prefixes import (
    BOOTSTRAP,
    CLIENT_PREFIXES,
    OLD_SPELLINGS,
    SOURCE_CLUSTER,
    TARGET_CLUSTER,
    find_key,
    is_connection_key,
)
from replication.config.tree.files import has_levels
from replication.config.tree.operator.addresses import RANKED
from replication.config.tree.operator.resource_keys import is_resource_key
from replication.config.tree.properties import TREE_LEVELS, PropertyPlace
from replication.domain.identifiers import FlowId

KAFKA_CLIENTS: tuple[FlowClient, ...] = tuple(SIDES)
_WORKER = "worker."
_ADMINS: tuple[FlowClient, ...] = ("source-admin", "target-admin")
# the clients that a prefix means, also on levels where it has no effect
_MEANT: Mapping[str, tuple[FlowClient, ...]] = {
    SOURCE_CLUSTER: ("consumer", "source-admin"),
    TARGET_CLUSTER: ("producer", "target-admin"),
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


def claims_of(place: PropertyPlace, flow: FlowId, *, dialect: str) -> Iterator[Claim]:
    """Yield the clients of this flow that a property is for; none if it belongs to other flows and clusters."""
    if not _concerns(place, flow):
        return
    levels = has_levels(dialect)
    prefix, name = _split(place, levels=levels)
    has_addresses = dialect == OPERATOR.name
    counts = _counts(place, levels=levels)
    for client in _clients(place, prefix, name, flow, has_addresses=has_addresses):
        spots = all_spots(client, name, has_addresses=has_addresses)
        rank = _rank(_present(place), spots, prefix, name, flow) if counts else None
        yield Claim(client=client, name=name, rank=rank)


def _rank(place: PropertyPlace, spots: Sequence[Spot], prefix: str, name: str, flow: FlowId) -> int | None:
    return next(
        (at for at, spot in enumerate(spots) if spot.prefix == prefix and spot.place(name, flow) == place), None
    )


def all_spots(client: FlowClient, name: str, *, has_addresses: bool = False) -> tuple[Spot, ...]:
    """Return where a client takes a name from, strongest first, keys of the connection included.

    `has_addresses`: keys of the connection on a flow count behind those of the cluster.
    """
    if client not in SIDES:
        return spots_of(client, name)
    cluster, top = CONNECTION_SPOTS[SIDES[client]]
    if is_connection_key(name):
        prefixes = RANKED[SIDES[client]] if has_addresses else ()
        on_flow = (Spot(level="flow", prefix=prefix) for prefix in prefixes)
        return (cluster, *on_flow, *((top,) if name != BOOTSTRAP else ()))
    return tuple(sorted((*SPOTS[client], cluster, top), key=lambda spot: -TREE_LEVELS.index(spot.level)))


def _present(place: PropertyPlace) -> PropertyPlace:
    name = OLD_SPELLINGS.get(place.name, place.name)
    return PropertyPlace(level=place.level, name=name, alias=place.alias, source=place.source, target=place.target)


def _concerns(place: PropertyPlace, flow: FlowId) -> bool:
    if place.level == "flow":
        return (place.source, place.target) == (flow.source, flow.target)
    if place.level == "global":
        return not names_unknown_cluster(place.name)
    return place.level != "cluster" or place.alias in (flow.source, flow.target)


def _counts(place: PropertyPlace, *, levels: bool) -> bool:
    """Return whether the dialect reads a place at all."""
    if place.level == "global":
        return not levels or works_without_prefix(place.name)
    return levels or place.level not in ("workers", "connectors")


def _split(place: PropertyPlace, *, levels: bool) -> tuple[str, str]:
    """Return prefix and name; exact keys come first: `admin.timeout.ms` is a setting."""
    name = OLD_SPELLINGS.get(place.name, place.name)
    if is_resource_key(name) and ".config." in name:
        name = name.partition(".config.")[2]
    if find_key(name) is not None:
        return "", name
    if levels and place.level == "flow" and name.startswith(_WORKER):
        return _WORKER, name.removeprefix(_WORKER)
    prefix = next((each for each in CLIENT_PREFIXES if name.startswith(each)), "")
    return prefix, name.removeprefix(prefix)


def _clients(
    place: PropertyPlace, prefix: str, name: str, flow: FlowId, *, has_addresses: bool
) -> tuple[FlowClient, ...]:
    if prefix == _WORKER:
        return ("worker",)
    setting = find_key(name)
    if prefix and has_addresses and place.level == "flow" and is_connection_key(name):
        return tuple(client for client, side in SIDES.items() if prefix in RANKED[side])
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
