"""Writes flows as the mirrors of KafkaMirrorMaker2 resources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from replication.config.files.dialects import default_of
from replication.config.settings.prefixes import BOOTSTRAP, CLUSTER_PREFIXES
from replication.config.tree.operator.connector_config import Flows, Line
from replication.config.tree.operator.mirror_sharing import (
    View,
    first_keys,
    given_to,
    is_same,
    shared,
    shared_patterns,
)
from replication.config.tree.operator.mirrormaker2 import (
    ALIAS_FIELDS,
    BOOTSTRAP_FIELD,
    CONNECTOR_FIELDS,
    KIND,
    PATTERNS,
)
from replication.config.tree.operator.resource_keys import (
    API_VERSION,
    MIRRORMAKER2,
    NAME,
    ConnectorKind,
    generated_name,
)
from replication.config.tree.operator.resource_text import config_lines, given_or, metadata_lines, part_lines
from replication.config.tree.operator.yaml_text import scalar
from replication.config.tree.properties import TreeProperty
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.consumer_groups import SYNC_GROUP_OFFSETS

_MARK = f"{MIRRORMAKER2}{NAME}"
_SIDES = tuple(prefix.partition(".")[0] for prefix in CLUSTER_PREFIXES)
_WORKER = "worker."
_FIELDS: Mapping[str, str] = {key: field for field, (_, key) in reversed(list(PATTERNS.items()))}


class Mirrors:
    """The flows that are mirrors, by the name of their resource."""

    def __init__(self, flows: Flows) -> None:
        self._flows = flows
        self._resources: dict[str, list[FlowId]] = {}
        for flow in flows.properties:
            if self.kinds(flow):
                self._resources.setdefault(flows.value(flow, _MARK) or "", []).append(flow)

    def kinds(self, flow: FlowId) -> tuple[ConnectorKind, ...]:
        """Return the connectors of a flow that its mirror can hold; one with metadata needs a resource."""
        flows = self._flows
        if flows.value(flow, _MARK) is None:
            return ()
        return tuple(kind for kind in flows.kinds(flow) if self._fits(flow, kind))

    def is_first(self, flow: FlowId) -> bool:
        """Return whether a flow is the first mirror of its resource."""
        return any(flow == mirrors[0] for mirrors in self._resources.values())

    def resource(self, first: FlowId) -> Iterator[str]:
        """Yield the lines of the resource whose first mirror is this flow."""
        mirrors = next(found for found in self._resources.values() if found[0] == first)
        parts: dict[str, TreeProperty] = {}
        for flow in mirrors:
            parts = self._parts(flow) | parts
        yield from given_or(API_VERSION, "apiVersion", parts.get("apiVersion"), "")
        yield f"kind: {KIND}"
        yield from metadata_lines({NAME: parts[NAME], **parts})
        yield "spec:"
        for part, prop in parts.items():
            if part.startswith("spec."):
                yield from part_lines(part.removeprefix("spec."), prop, "  ")
        views = [self._view(flow, kind) for flow in mirrors for kind in self.kinds(flow)]
        clusters = {
            alias: shared(
                [dict(view.of_cluster(alias)) for view in views if alias in (view.flow.source, view.flow.target)]
            )
            for alias in dict.fromkeys(alias for flow in mirrors for alias in (flow.source, flow.target))
        }
        yield "  clusters:"
        for alias, common in clusters.items():
            yield from self._cluster(alias, mirrors, common)
        yield "  mirrors:"
        for flow in mirrors:
            yield from self._mirror(flow, [view for view in views if view.flow == flow], clusters)

    def _fits(self, flow: FlowId, kind: ConnectorKind) -> bool:
        parts = self._flows.parts(flow, kind)
        others = [part for part in parts if part != NAME and not part.startswith(("spec.", "config."))]
        return parts[NAME].value == generated_name(flow, kind) and not others and "spec.class" not in parts

    def _parts(self, flow: FlowId, below: str = "") -> dict[str, TreeProperty]:
        """Return the parts of the resource that the flow has, by their names behind a prefix."""
        prefix = f"{MIRRORMAKER2}{below}"
        found = self._flows.properties[flow].items()
        return {name.removeprefix(prefix): prop for name, prop in found if name.startswith(prefix)}

    def _view(self, flow: FlowId, kind: ConnectorKind) -> View:
        lines = {line.key: line for line in self._flows.config(flow, kind)}
        if kind == "checkpoint" and SYNC_GROUP_OFFSETS.key not in lines:
            value = default_of(SYNC_GROUP_OFFSETS, "operator") or ""
            lines[SYNC_GROUP_OFFSETS.key] = Line(key=SYNC_GROUP_OFFSETS.key, value=value)
        return View(flow=flow, kind=kind, lines=lines, first=frozenset(first_keys(lines.values(), kind)))

    def _cluster(self, alias: str, mirrors: Sequence[FlowId], common: Mapping[str, Line]) -> Iterator[str]:
        parts: dict[str, TreeProperty] = {}
        for flow in mirrors:
            for side, its_alias in zip(_SIDES, (flow.source, flow.target), strict=True):
                parts = parts if its_alias != alias else self._parts(flow, f"{side}.") | parts
        yield f"    - alias: {scalar(alias)}"
        if BOOTSTRAP in common:
            yield from config_lines(replace(common[BOOTSTRAP], key=BOOTSTRAP_FIELD), "      ")
        config = [replace(line, key=key) for key, line in common.items() if key != BOOTSTRAP]
        for name, prop in parts.items():
            if name.startswith(_WORKER):
                config.append(Line(key=name.removeprefix(_WORKER), value=prop.value, comment=prop.comment))
            else:
                yield from part_lines(name, prop, "      ")
        yield from _mapping("config", config, "      ")

    def _mirror(self, flow: FlowId, views: Sequence[View], clusters: Mapping[str, Mapping[str, Line]]) -> Iterator[str]:
        aliases = (flow.source, flow.target)
        for at, (field, alias) in enumerate(zip(ALIAS_FIELDS, aliases, strict=True)):
            yield f"    {'  ' if at else '- '}{field}: {scalar(alias)}"
        for name, prop in self._parts(flow, "mirror.").items():
            yield from part_lines(name, prop, "      ")
        given = {
            f"{prefix}{key}": line
            for prefix, alias in zip(CLUSTER_PREFIXES, aliases, strict=True)
            for key, line in clusters[alias].items()
        }
        patterns = shared_patterns(views)
        for key, line in patterns.items():
            yield from config_lines(replace(line, key=_FIELDS[key]), "      ")
        commented: set[str] = set()
        for view in views:
            known = given_to(view, given, patterns)
            own = [line for key, line in view.lines.items() if not is_same(line, known.get(key), key in commented)]
            commented |= known.keys()
            yield from self._connector(view, own)

    def _connector(self, view: View, config: Sequence[Line]) -> Iterator[str]:
        field = next(name for name, kind in CONNECTOR_FIELDS.items() if kind == view.kind)
        parts = self._flows.spec_parts(view.flow, view.kind)
        yield f"      {field}:" + ("" if parts or config else " {}")
        for part, prop in parts.items():
            yield from part_lines(part, prop, "        ")
        yield from _mapping("config", config, "        ")


def _mapping(name: str, lines: Sequence[Line], indent: str) -> Iterator[str]:
    if lines:
        yield f"{indent}{name}:"
    for line in lines:
        yield from config_lines(line, f"{indent}  ")
