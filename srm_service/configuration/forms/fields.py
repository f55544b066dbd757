"""The fields of clusters and flows as properties: which key holds a field, and how the key spells its value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replication.config.flows.policies import java_class
from replication.config.settings.prefixes import BOOTSTRAP
from replication.config.tree.properties import PropertyPlace, PropertyTree
from replication.domain.desired.desired_flow import PolicyChoice
from replication.domain.names.filters import split_list
from replication.domain.settings.delivery import support_of
from replication.domain.settings.registry.consumer_groups import GROUPS, GROUPS_EXCLUDE
from replication.domain.settings.registry.flow import (
    CLUSTERS,
    EMIT_HEARTBEATS,
    ENABLED,
    EXACTLY_ONCE,
    GAP_POLICY,
    POLICY_CLASS,
    POLICY_SEPARATOR,
    POLICY_TEMPLATE,
    START,
    TASKS_MAX,
)
from replication.domain.settings.registry.topic_filters import TOPICS, TOPICS_EXCLUDE
from replication.domain.settings.value_types import shown
from srm_service.configuration.contracts import PropertyChange


@dataclass(frozen=True, slots=True)
class FormField:
    """A field that is one key of the flow; `text` spells its value."""

    key: str
    text: Callable[[Any], str] = shown


FLOW_FIELDS: Mapping[str, FormField] = {
    "enabled": FormField(ENABLED.key),
    "heartbeats": FormField(EMIT_HEARTBEATS.key),
    "tasks_max": FormField(TASKS_MAX.key),
    "delivery": FormField(EXACTLY_ONCE.key, support_of),
    "topics_allow": FormField(TOPICS.key),
    "topics_deny": FormField(TOPICS_EXCLUDE.key),
    "groups_allow": FormField(GROUPS.key),
    "groups_deny": FormField(GROUPS_EXCLUDE.key),
    "start": FormField(START.key),
    "gap_policy": FormField(GAP_POLICY.key),
}


def flow_changes(source: str, target: str, fields: Mapping[str, Any], *, origin: str = "form") -> list[PropertyChange]:
    """Return the changes that set these fields of a flow; None removes a field's key, so that its default applies."""
    values: dict[str, str | None] = {}
    for name, value in fields.items():
        if name == "policy":
            values |= _policy(value)
        elif name == "connectors":
            values |= {key: text for settings in value.values() for key, text in settings.items()}
        else:
            field = FLOW_FIELDS[name]
            values[field.key] = None if value is None else field.text(tuple(value) if _is_list(value) else value)
    return [
        PropertyChange(
            place=PropertyPlace(level="flow", source=source, target=target, name=name), value=value, origin=origin
        )
        for name, value in values.items()
    ]


def cluster_changes(
    alias: str, *, bootstrap: Sequence[str] | None, client: Mapping[str, str | None], origin: str = "form"
) -> list[PropertyChange]:
    """Return the changes that set a cluster's address and client keys, secret ones included; None removes a key."""
    values = dict(client) if bootstrap is None else {BOOTSTRAP: ", ".join(bootstrap), **client}
    return [
        PropertyChange(place=PropertyPlace(level="cluster", alias=alias, name=name), value=value, origin=origin)
        for name, value in values.items()
    ]


def aliases_change(aliases: Sequence[str], *, origin: str = "form") -> PropertyChange:
    """Return the change that makes these the clusters of the system."""
    place = PropertyPlace(level="global", name=CLUSTERS.key)
    return PropertyChange(place=place, value=", ".join(aliases), origin=origin)


def aliases_in(tree: PropertyTree) -> tuple[str, ...]:
    """The aliases of the tree's clusters."""
    clusters = tree.at(PropertyPlace(level="global", name=CLUSTERS.key))
    return () if clusters is None else split_list(clusters.value)


def flow_removal(tree: PropertyTree, source: str, target: str) -> list[PropertyChange]:
    """Return the changes that take a flow out of the tree; a flow exists as long as it has heartbeats."""
    places = [each.place for each in tree.properties if (each.place.source, each.place.target) == (source, target)]
    removed = [PropertyChange(place=place, value=None) for place in places if place.name != EMIT_HEARTBEATS.key]
    return [*removed, *flow_changes(source, target, {"heartbeats": False})]


def cluster_removal(tree: PropertyTree, alias: str) -> list[PropertyChange]:
    """Return the changes that take a cluster and its flows out of the tree."""
    places = [each.place for each in tree.properties]
    own = [place for place in places if alias in (place.alias, place.source, place.target)]
    rest = [each for each in aliases_in(tree) if each != alias]
    return [*(PropertyChange(place=place, value=None) for place in own), aliases_change(rest)]


def _policy(choice: PolicyChoice) -> dict[str, str | None]:
    return {
        POLICY_CLASS.key: java_class(choice.kind),
        POLICY_SEPARATOR.key: choice.separator,
        POLICY_TEMPLATE.key: choice.template,
    }


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
