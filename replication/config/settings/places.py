"""The places from which each client of a flow takes a setting, strongest first.

The level decides first, the detail of the prefix second. The resolver of flows and the chains of effective values both
read these tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from replication.config.settings.prefixes import SOURCE_CLUSTER, TARGET_CLUSTER
from replication.config.tree.properties import PropertyPlace, TreeLevel
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.flow import ENABLED
from replication.domain.settings.setting import SettingRole

ClusterSide = Literal["source", "target"]
FlowClient = Literal["manager", "flow", "worker", "consumer", "producer", "source-admin", "target-admin"]
FLOW_CLIENTS: tuple[FlowClient, ...] = get_args(FlowClient)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A level and a prefix on it; `side` says whose alias a spot on the level "cluster" means."""

    level: TreeLevel
    prefix: str = ""
    side: ClusterSide = "source"

    def place(self, name: str, flow: FlowId) -> PropertyPlace:
        """Return the place of a name for this flow."""
        name = self.prefix + name
        if self.level == "flow":
            return PropertyPlace(level="flow", name=name, source=flow.source, target=flow.target)
        if self.level == "cluster":
            return PropertyPlace(
                level="cluster", name=name, alias=flow.source if self.side == "source" else flow.target
            )
        return PropertyPlace(level=self.level, name=name)


def _spots(level: TreeLevel, *prefixes: str, side: ClusterSide = "source") -> tuple[Spot, ...]:
    return tuple(Spot(level=level, prefix=prefix, side=side) for prefix in prefixes)


# Connect's worker keys are read from the target; a consumer reads at the source, a producer writes at the target
SPOTS: Mapping[FlowClient, tuple[Spot, ...]] = {
    "manager": _spots("global", ""),
    "flow": (*_spots("flow", ""), *_spots("connectors", ""), *_spots("global", "")),
    "worker": (
        *_spots("flow", "worker.", ""),
        *_spots("cluster", "", side="target"),
        *_spots("workers", ""),
        *_spots("global", ""),
    ),
    "consumer": (
        *_spots("flow", "source.consumer.", "consumer.", SOURCE_CLUSTER),
        *_spots("cluster", "consumer."),
        *_spots("connectors", "source.consumer.", "consumer."),
    ),
    "producer": (
        *_spots("flow", "producer.override.", "target.producer.", "producer.", TARGET_CLUSTER),
        *_spots("cluster", "producer.override.", "producer.", side="target"),
        *_spots("connectors", "producer.override."),
        *_spots("workers", "producer."),
        *_spots("global", "producer.override."),
    ),
    "source-admin": (
        *_spots("flow", "source.admin.", "admin.", SOURCE_CLUSTER),
        *_spots("cluster", "admin."),
        *_spots("connectors", "source.admin.", "admin."),
    ),
    "target-admin": (
        *_spots("flow", "target.admin.", "admin.", TARGET_CLUSTER),
        *_spots("cluster", "admin.", side="target"),
        *_spots("connectors", "target.admin.", "admin."),
    ),
}
# keys of the connection hold for all clients of a cluster
CONNECTION_SPOTS: Mapping[ClusterSide, tuple[Spot, ...]] = {
    "source": (*_spots("cluster", ""), *_spots("global", "")),
    "target": (*_spots("cluster", "", side="target"), *_spots("global", "")),
}
SIDES: Mapping[FlowClient, ClusterSide] = {
    "consumer": "source",
    "producer": "target",
    "source-admin": "source",
    "target-admin": "target",
}
_OF_ROLES: Mapping[SettingRole, FlowClient] = {
    "manager": "manager",
    "worker": "worker",
    "consumer": "consumer",
    "producer": "producer",
}


def client_of(role: SettingRole) -> FlowClient:
    """Return the client that takes the settings of a role."""
    return _OF_ROLES.get(role, "flow")


def spots_of(client: FlowClient, name: str) -> tuple[Spot, ...]:
    """Return where a client takes a name from, strongest first; a flow is enabled on its own level only."""
    spots = SPOTS[client]
    return spots[:1] if client == "flow" and name == ENABLED.key else spots


def places_of(client: FlowClient, name: str, flow: FlowId) -> tuple[PropertyPlace, ...]:
    """Return the places of a name for a client of this flow, strongest first."""
    return tuple(spot.place(name, flow) for spot in spots_of(client, name))
