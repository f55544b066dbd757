"""The connectors that the flows of a tree ask for, and the config of each as lines of a resource."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from replication.config.settings.prefixes import BOOTSTRAP
from replication.config.tree.operator.addresses import RANKED
from replication.config.tree.operator.resource_keys import (
    ALIASES,
    DERIVED,
    KINDS,
    NAME,
    RESOURCE,
    ConnectorKind,
    is_heartbeats_key,
    is_of,
    own,
)
from replication.config.tree.operator.texts import TASKS_MAX
from replication.config.tree.properties import PropertyTree, TreeProperty
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.consumer_groups import EMIT_CHECKPOINTS
from replication.domain.settings.registry.flow import EMIT_HEARTBEATS, ENABLED
from replication.domain.settings.registry.flow import TASKS_MAX as TASKS
from replication.domain.settings.registry.planning import HEARTBEATS_KEY

_DERIVED_OF: tuple[tuple[ConnectorKind, str], ...] = (("source", ENABLED.key), ("checkpoint", EMIT_CHECKPOINTS.key))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A key of a resource with its value and the comment above it.

    `has_place` is true if its place among the lines is kept when the resource is read: it is not derived from the
    resource, and no earlier connector of the flow has it.
    """

    key: str
    value: str
    comment: str = ""
    has_place: bool = True


class Flows:
    """The properties on flows, and the connectors that they ask for."""

    def __init__(self, tree: PropertyTree) -> None:
        self.properties: dict[FlowId, dict[str, TreeProperty]] = {}
        for prop in tree.properties:
            if prop.place.level == "flow":
                flow = FlowId(prop.place.source, prop.place.target)
                self.properties.setdefault(flow, {})[prop.place.name] = prop
        self.writers = self._writers()

    def kinds(self, flow: FlowId) -> tuple[ConnectorKind, ...]:
        """Return the connectors of a flow: those with a name."""
        return tuple(kind for kind in KINDS if own(kind, NAME) in self.properties[flow])

    def value(self, flow: FlowId, name: str) -> str | None:
        prop = self.properties.get(flow, {}).get(name)
        return None if prop is None else prop.value

    def parts(self, flow: FlowId, kind: ConnectorKind) -> Mapping[str, TreeProperty]:
        """Return what is kept of a connector's resource, its config too."""
        prefix = own(kind, "")
        found = self.properties[flow].items()
        return {name.removeprefix(prefix): prop for name, prop in found if name.startswith(prefix)}

    def spec_parts(self, flow: FlowId, kind: ConnectorKind) -> Mapping[str, TreeProperty]:
        """Return the parts of `spec` beside class and config by their names there."""
        tasks = self.properties[flow].get(TASKS.key) if kind == "source" else None
        parts = {part: prop for part, prop in self.parts(flow, kind).items() if part.startswith("spec.")}
        parts.pop("spec.class", None)
        if tasks is not None:
            parts[TASKS_MAX] = tasks
        return {part.removeprefix("spec."): prop for part, prop in parts.items()}

    def config(self, flow: FlowId, kind: ConnectorKind) -> Iterator[Line]:
        """Yield the config of a connector without the aliases."""
        prefix = own(kind, "config.")
        for name, prop in self.properties[flow].items():
            if name.startswith(prefix):
                yield Line(key=name.removeprefix(prefix), value=prop.value, comment=prop.comment)
            elif name in DERIVED:
                if (kind, name) in _DERIVED_OF and (prop.value != "true" or prop.comment):
                    yield Line(key=name, value=prop.value, comment=prop.comment, has_place=False)
            elif self._has(flow, kind, name):
                is_first = kind == next(each for each in KINDS if self._has(flow, each, name))
                yield Line(key=name, value=prop.value, comment=prop.comment if is_first else "", has_place=is_first)
        if kind == "heartbeat":
            for writer in (each for each, its_flow in self.writers.items() if its_flow == flow):
                yield from self._heartbeats(writer)

    def _writers(self) -> Mapping[FlowId, FlowId]:
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

    def _has(self, flow: FlowId, kind: ConnectorKind, name: str) -> bool:
        """Return whether a connector takes a key of its flow, and no key of the connector alone replaces it."""
        kinds = self.kinds(flow)
        if name.startswith(RESOURCE) or kind not in kinds or own(kind, f"config.{name}") in self.properties[flow]:
            return False
        if (name == TASKS.key and kind == "source") or (is_heartbeats_key(name) and flow in self.writers):
            return False
        return is_of(name, kind, frozenset(kinds), kinds[0])

    def _heartbeats(self, writer: FlowId) -> Iterator[Line]:
        for name, prop in self.properties.get(writer, {}).items():
            is_given = name == EMIT_HEARTBEATS.key and (prop.value != "true" or prop.comment)
            if is_given or (is_heartbeats_key(name) and name != HEARTBEATS_KEY.key):
                yield Line(key=name, value=prop.value, comment=prop.comment, has_place=False)


def alias_lines(flow: FlowId) -> Iterator[Line]:
    """Yield the keys that name the clusters of a flow."""
    for key, alias in zip(ALIASES, (flow.source, flow.target), strict=True):
        yield Line(key=key, value=alias)
