"""Properties on all levels as properties of single flows with the operator's prefixes, and back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from replication.config.settings.prefixes import TARGET_CLUSTER, find_key, is_connection_key
from replication.config.tree.conversion.draft import Draft
from replication.config.tree.operator.addresses import cluster_places, is_address
from replication.config.tree.operator.resource_keys import NAME, ConnectorKind, generated_name, is_resource_key, own
from replication.config.tree.properties import PropertyPlace, TreeProperty
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.consumer_groups import EMIT_CHECKPOINTS
from replication.domain.settings.registry.flow import CLUSTERS, EMIT_HEARTBEATS, ENABLED
from replication.domain.settings.registry.records import TRANSFORMS
from replication.domain.settings.setting import Setting

_TO = "is written as"
_CLIENTS = {
    "source": {"consumer.": "source.consumer.", "admin.": "source.admin."},
    "target": {
        "producer.override.": "producer.override.",
        "producer.": "producer.override.",
        "admin.": "target.admin.",
    },
}


def without_resources(draft: Draft) -> None:
    """Move the connection keys of flows to their clusters; parts of resources have no place in other dialects."""
    for place, value in cluster_places(list(draft.before)):
        draft.after[place] = replace(draft.before[value], place=place)
    moved = {each.origin for each in draft.after.values()}
    for prop in draft.before.values():
        name = prop.place.name
        if prop.place.level != "flow" or not (is_address(name) or is_resource_key(name)):
            draft.keep(prop)
        elif is_resource_key(name) and ".config." in name:
            draft.drop(prop, "it belongs to one connector of the flow")
        elif is_resource_key(name):
            draft.note(prop, "is not written: it is a part of a resource of the operator")
        elif prop.origin not in moved:
            draft.warn(prop, "is not written: a cluster is reached in one way, by another key")


def on_flows(draft: Draft, aliases: Sequence[str]) -> None:
    """Write global properties, and those of clusters, on each flow that they reach."""
    flows = list(dict.fromkeys(FlowId(each.source, each.target) for each in draft.before if each.level == "flow"))
    for prop in draft.before.values():
        if prop.place.level == "flow" or prop.place.key == CLUSTERS.key or is_resource_key(prop.place.name):
            draft.keep(prop)
        elif prop.place.level == "cluster":
            _to_flows(draft, prop, list(_of_cluster(prop.place, flows)))
        elif _reaches_flows(find_key(prop.place.name), prop.place.name):
            _to_flows(draft, prop, [_on(flow, prop.place.name) for flow in flows])
        elif is_connection_key(prop.place.name):
            places = [_on(flow, f"{side}.cluster.{prop.place.name}") for flow in flows for side in ("source", "target")]
            _to_flows(draft, prop, places)
        else:
            draft.drop(prop, "it belongs to the configuration of Kafka Connect or of the whole system")
    used = {alias for flow in flows for alias in (flow.source, flow.target)}
    clusters = draft.before.get(PropertyPlace(level="global", name=CLUSTERS.key))
    for alias in (each for each in aliases if each not in used):
        if clusters is not None:
            draft.warn(clusters, f"loses {alias}: resources name clusters of flows only")
    for flow in flows:
        _complete(draft, flow)


def _to_flows(draft: Draft, prop: TreeProperty, places: Sequence[PropertyPlace]) -> None:
    """Write a property on flows; a connection key of a cluster counts before those on flows."""
    if places and prop.place.level == "cluster" and is_connection_key(prop.place.name):
        draft.put(prop, *places, note=_TO)
    elif places:
        draft.move(prop, *places, note=_TO)
    else:
        draft.drop(prop, "no flow takes it")


def _of_cluster(place: PropertyPlace, flows: Sequence[FlowId]) -> Iterator[PropertyPlace]:
    for flow in flows:
        for side, alias in (("source", flow.source), ("target", flow.target)):
            if alias != place.alias:
                continue
            if is_connection_key(place.name):
                yield _on(flow, f"{side}.cluster.{place.name}")
                continue
            prefixes = _CLIENTS[side]
            prefix = next((each for each in prefixes if place.name.startswith(each)), None)
            if prefix is not None:
                yield _on(flow, prefixes[prefix] + place.name.removeprefix(prefix))


def _reaches_flows(setting: Setting[object] | None, name: str) -> bool:
    if setting is None:
        return name.startswith((f"{TRANSFORMS}.", "producer.override."))
    return setting.role in ("flow", "source", "checkpoint", "heartbeat")


def _complete(draft: Draft, flow: FlowId) -> None:
    """Name the connectors of an enabled flow that have no resource yet."""
    if not _is_on(draft, flow, ENABLED):
        return
    _name(draft, flow, "source")
    if _is_on(draft, flow, EMIT_CHECKPOINTS):
        _name(draft, flow, "checkpoint")
    if _is_on(draft, flow, EMIT_HEARTBEATS) and _name(draft, flow, "heartbeat"):
        for place, prop in list(draft.after.items()):
            is_of_flow = (place.source, place.target) == (flow.source, flow.target)
            if is_of_flow and place.name.startswith(TARGET_CLUSTER):
                copied = _on(flow, own("heartbeat", f"config.{place.name}"))
                draft.after.setdefault(copied, replace(prop, place=copied, comment=""))


def _name(draft: Draft, flow: FlowId, kind: ConnectorKind) -> bool:
    """Return whether a connector was missing and has a name now."""
    place = _on(flow, own(kind, NAME))
    if place in draft.after or _has_heartbeats(draft, flow, kind):
        return False
    draft.after[place] = TreeProperty(place=place, value=generated_name(flow, kind))
    return True


def _has_heartbeats(draft: Draft, flow: FlowId, kind: ConnectorKind) -> bool:
    """Return whether the flow back writes the heartbeats already."""
    back = FlowId(flow.target, flow.source)
    return kind == "heartbeat" and _on(back, own(kind, NAME)) in draft.after


def _is_on(draft: Draft, flow: FlowId, setting: Setting[bool]) -> bool:
    found = draft.after.get(_on(flow, setting.key))
    return setting.parse_or_default(None if found is None else found.value)


def _on(flow: FlowId, name: str) -> PropertyPlace:
    return PropertyPlace(level="flow", source=flow.source, target=flow.target, name=name)
