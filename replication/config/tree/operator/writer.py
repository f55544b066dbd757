"""Writes the flows of a tree as KafkaConnector resources, in the order source, checkpoint, heartbeat."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from replication.config.files.findings import Findings
from replication.config.settings.prefixes import BOOTSTRAP
from replication.config.tree.operator.addresses import RANKED
from replication.config.tree.operator.connectors import API_VERSION, class_of
from replication.config.tree.operator.resource_keys import (
    ALIASES,
    DERIVED,
    KINDS,
    RESOURCE,
    ConnectorKind,
    is_heartbeats_key,
    is_of,
    own,
)
from replication.config.tree.operator.texts import TASKS_MAX
from replication.config.tree.operator.yaml_text import comment_lines, scalar
from replication.config.tree.properties import PropertyTree, TreeProperty
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.consumer_groups import EMIT_CHECKPOINTS
from replication.domain.settings.registry.flow import EMIT_HEARTBEATS, ENABLED
from replication.domain.settings.registry.flow import TASKS_MAX as TASKS
from replication.domain.settings.registry.planning import HEARTBEATS_KEY

_DERIVED_OF: tuple[tuple[ConnectorKind, str], ...] = (("source", ENABLED.key), ("checkpoint", EMIT_CHECKPOINTS.key))
_CLUSTER_LABEL = "metadata.labels.strimzi.io/cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A key of a resource with its value and the comment above it."""

    key: str
    value: str
    comment: str = ""


class _Flows:
    """The properties on flows, and the connectors that they ask for."""

    def __init__(self, tree: PropertyTree) -> None:
        self.properties: dict[FlowId, dict[str, TreeProperty]] = {}
        for prop in tree.properties:
            if prop.place.level == "flow":
                flow = FlowId(prop.place.source, prop.place.target)
                self.properties.setdefault(flow, {})[prop.place.name] = prop

    def kinds(self, flow: FlowId) -> tuple[ConnectorKind, ...]:
        """Return the connectors of a flow: those with a name."""
        return tuple(kind for kind in KINDS if own(kind, "metadata.name") in self.properties[flow])

    def value(self, flow: FlowId, name: str) -> str | None:
        prop = self.properties.get(flow, {}).get(name)
        return None if prop is None else prop.value

    def writers(self) -> Mapping[FlowId, FlowId]:
        """Return the flow whose heartbeat connector writes, by the flow that the heartbeats are for."""
        found: dict[FlowId, FlowId] = {}
        for flow in self.properties:
            if "heartbeat" in self.kinds(flow):
                found.setdefault(self._writer(flow), flow)
        return found

    def _writer(self, flow: FlowId) -> FlowId:
        written = self._address(flow, "heartbeat", RANKED["target"])
        source = self._address(flow, self.kinds(flow)[0], RANKED["source"])
        return FlowId(flow.target, flow.source) if written is not None and written == source else flow

    def _address(self, flow: FlowId, kind: ConnectorKind, prefixes: Sequence[str]) -> str | None:
        is_lead = kind == self.kinds(flow)[0]
        for prefix in prefixes:
            found = self.value(flow, own(kind, f"config.{prefix}{BOOTSTRAP}"))
            if is_lead and found is None:
                found = self.value(flow, f"{prefix}{BOOTSTRAP}")
            if found is not None:
                return found
        return None


def write_resources(tree: PropertyTree, findings: Findings) -> str:
    """Return the YAML text. Every flow must name its connectors by `resource.<connector>.metadata.name`."""
    flows = _Flows(tree)
    writers = flows.writers()
    return "---\n".join(
        "\n".join(_resource(flows, flow, kind, writers, findings)) + "\n"
        for flow in flows.properties
        for kind in flows.kinds(flow)
    )


def _resource(
    flows: _Flows, flow: FlowId, kind: ConnectorKind, writers: Mapping[FlowId, FlowId], findings: Findings
) -> Iterator[str]:
    prefix = own(kind, "")
    parts = {
        name.removeprefix(prefix): prop for name, prop in flows.properties[flow].items() if name.startswith(prefix)
    }
    yield from _part("apiVersion", parts, API_VERSION, "")
    yield from ("kind: KafkaConnector", "metadata:")
    yield from _metadata(parts)
    if _CLUSTER_LABEL not in parts:
        name = parts["metadata.name"].value
        findings.note(f"{name}: {_CLUSTER_LABEL}", "is missing; set it to the name of the Kafka Connect cluster")
    yield "spec:"
    yield from _part("spec.class", parts, class_of(kind), "  ")
    tasks = flows.properties[flow].get(TASKS.key) if kind == "source" else None
    specs = {part: prop for part, prop in parts.items() if part.startswith("spec.") and part != "spec.class"}
    for part, prop in (specs if tasks is None else {**specs, TASKS_MAX: tasks}).items():
        yield from comment_lines(prop.comment, "  ")
        yield f"  {scalar(part.removeprefix('spec.'))}: {_value(prop.value)}"
    yield "  config:"
    for line in _config(flows, flow, kind, writers):
        yield from comment_lines(line.comment, "    ")
        yield f"    {scalar(line.key)}: {scalar(line.value)}"


def _part(part: str, parts: Mapping[str, TreeProperty], default: str, indent: str) -> Iterator[str]:
    """Yield a part that every resource has."""
    found = parts.get(part)
    yield from comment_lines("" if found is None else found.comment, indent)
    yield f"{indent}{part.removeprefix('spec.')}: {scalar(default if found is None else found.value)}"


def _metadata(parts: Mapping[str, TreeProperty]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for part, prop in parts.items():
        if not part.startswith("metadata."):
            continue
        group, _, key = part.removeprefix("metadata.").partition(".")
        indent = "    " if key else "  "
        lines = groups.setdefault(group, [f"  {scalar(group)}:"] if key else [])
        lines += [*comment_lines(prop.comment, indent), f"{indent}{scalar(key or group)}: {_value(prop.value)}"]
    for lines in groups.values():
        yield from lines


def _config(flows: _Flows, flow: FlowId, kind: ConnectorKind, writers: Mapping[FlowId, FlowId]) -> Iterator[_Line]:
    for key, alias in zip(ALIASES, (flow.source, flow.target), strict=True):
        yield _Line(key=key, value=alias)
    prefix = own(kind, "config.")
    for name, prop in flows.properties[flow].items():
        if name.startswith(prefix):
            yield _Line(key=name.removeprefix(prefix), value=prop.value, comment=prop.comment)
        elif name in DERIVED:
            if (kind, name) in _DERIVED_OF and (prop.value != "true" or prop.comment):
                yield _Line(key=name, value=prop.value, comment=prop.comment)
        elif _has(flows, flow, kind, name, writers):
            is_first = kind == next(each for each in KINDS if _has(flows, flow, each, name, writers))
            yield _Line(key=name, value=prop.value, comment=prop.comment if is_first else "")
    if kind == "heartbeat":
        for writer in (each for each, its_flow in writers.items() if its_flow == flow):
            yield from _heartbeats(flows, writer)


def _has(flows: _Flows, flow: FlowId, kind: ConnectorKind, name: str, writers: Mapping[FlowId, FlowId]) -> bool:
    """Return whether a connector takes a key of its flow, and no key of the connector alone replaces it."""
    kinds = flows.kinds(flow)
    if name.startswith(RESOURCE) or kind not in kinds or own(kind, f"config.{name}") in flows.properties[flow]:
        return False
    if (name == TASKS.key and kind == "source") or (is_heartbeats_key(name) and flow in writers):
        return False
    return is_of(name, kind, frozenset(kinds), kinds[0])


def _heartbeats(flows: _Flows, writer: FlowId) -> Iterator[_Line]:
    for name, prop in flows.properties.get(writer, {}).items():
        is_given = name == EMIT_HEARTBEATS.key and (prop.value != "true" or prop.comment)
        if is_given or (is_heartbeats_key(name) and name != HEARTBEATS_KEY.key):
            yield _Line(key=name, value=prop.value, comment=prop.comment)


def _value(text: str) -> str:
    """Return a part of a resource: a structure is kept as JSON."""
    return text if text.startswith(("{", "[")) and _is_structure(text) else scalar(text)


def _is_structure(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False
