"""Names of properties that belong to one resource of a flow, and the connectors that a key is for.

The properties of a flow are those of its lead, the source connector if there is one. A key that only another of its
connectors has, or has with another value, is kept as `resource.<connector>.config.<key>`; the parts of a resource
beside its config as `resource.<connector>.metadata.<part>` and `resource.<connector>.spec.<part>`. The parts of a
KafkaMirrorMaker2 resource are `resource.mirrormaker2.<part>`; its name is on each of its flows, the others are on one.
"""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from replication.config.settings.prefixes import CLUSTER_PREFIXES, OLD_SPELLINGS, find_key
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.consumer_groups import EMIT_CHECKPOINTS, GROUPS, GROUPS_EXCLUDE
from replication.domain.settings.registry.flow import EMIT_HEARTBEATS, ENABLED, POLICY_CLASS, POLICY_SEPARATOR
from replication.domain.settings.registry.other_components import CONVERTERS
from replication.domain.settings.registry.planning import CLUSTER_ALIASES, HEARTBEATS_KEY
from replication.domain.settings.registry.topic_creation import HEARTBEATS_FACTOR
from replication.domain.settings.registry.topic_filters import TOPICS, TOPICS_EXCLUDE

ConnectorKind = Literal["source", "checkpoint", "heartbeat"]
KINDS: tuple[ConnectorKind, ...] = get_args(ConnectorKind)
ALIASES = tuple(setting.key for setting in CLUSTER_ALIASES)
RESOURCE = "resource."
MIRRORMAKER2 = "resource.mirrormaker2."
NAME = "metadata.name"
API_VERSION = "kafka.strimzi.io/v1beta2"
_RESOURCES = (*(f"{RESOURCE}{kind}." for kind in KINDS), MIRRORMAKER2)
# properties of a flow that follow from the resources that there are
DERIVED = frozenset({ENABLED.key, EMIT_CHECKPOINTS.key, EMIT_HEARTBEATS.key, HEARTBEATS_KEY.key})
SHARED = (TOPICS.key, TOPICS_EXCLUDE.key, POLICY_CLASS.key, POLICY_SEPARATOR.key)
_SOURCE: frozenset[ConnectorKind] = frozenset({"source"})
_RECORDS_AND_GROUPS: frozenset[ConnectorKind] = frozenset({"source", "checkpoint"})
_CHECKPOINT: frozenset[ConnectorKind] = frozenset({"checkpoint"})
_HEARTBEAT: frozenset[ConnectorKind] = frozenset({"heartbeat"})
_HOLDERS: Mapping[str, frozenset[ConnectorKind]] = {
    **{setting.key: frozenset(KINDS) for setting in (POLICY_CLASS, POLICY_SEPARATOR, *CONVERTERS)},
    **{setting.key: _RECORDS_AND_GROUPS for setting in (TOPICS, TOPICS_EXCLUDE)},
    **{setting.key: _CHECKPOINT for setting in (GROUPS, GROUPS_EXCLUDE)},
    **{setting.key: _HEARTBEAT for setting in (EMIT_HEARTBEATS, HEARTBEATS_FACTOR)},
}


def is_resource_key(name: str) -> bool:
    """Return whether a name belongs to one resource."""
    return name.startswith(_RESOURCES)


def holders(key: str) -> frozenset[ConnectorKind]:
    """Return the connectors that a key is for."""
    key = OLD_SPELLINGS.get(key, key)
    if key in _HOLDERS:
        return _HOLDERS[key]
    if key.startswith(CLUSTER_PREFIXES):
        return _RECORDS_AND_GROUPS
    setting = find_key(key)
    roles: Mapping[str, frozenset[ConnectorKind]] = {"checkpoint": _CHECKPOINT, "heartbeat": _HEARTBEAT}
    return _SOURCE if setting is None else roles.get(setting.role, _SOURCE)


def is_heartbeats_key(key: str) -> bool:
    """Return whether a key is for the heartbeat connector alone."""
    setting = find_key(key)
    return key == HEARTBEATS_FACTOR.key or (setting is not None and setting.role == "heartbeat")


def is_of(key: str, kind: ConnectorKind, kinds: frozenset[ConnectorKind], lead: ConnectorKind) -> bool:
    """Return whether a connector of a flow has a key of the flow; the lead has those of connectors that are missing."""
    wanted = holders(key)
    return kind in wanted or (kind == lead and not wanted & kinds)


def own(kind: ConnectorKind, part: str) -> str:
    """Return the name of a part of one resource, such as `metadata.name` or `config.topics`."""
    return f"{RESOURCE}{kind}.{part}"


def generated_name(flow: FlowId, kind: ConnectorKind) -> str:
    """Return the name of a connector that has none."""
    return re.sub(r"[^a-z0-9.-]+", "-", f"{flow.source}-{flow.target}-{kind}".lower())
