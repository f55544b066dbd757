"""The properties of a tree by level, in the present spelling, those without a known place reported."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from replication.config.files.findings import Findings, nearest
from replication.config.flows.model import Property
from replication.config.settings.global_keys import works_globally
from replication.config.settings.prefixes import (
    BOOTSTRAP,
    OLD_SPELLINGS,
    find_key,
    is_client_security,
    is_connection_key,
    known_names,
)
from replication.config.tree.placing import alias_of
from replication.config.tree.properties import PropertyPlace
from replication.domain.identifiers import FlowId

Layer = dict[str, Property]
Placed = tuple[PropertyPlace, Property]


@dataclass(slots=True)
class Levels:
    """The properties by level; names have lost their prefix and have the present spelling."""

    aliases: tuple[str, ...]
    top: Layer = field(default_factory=dict)
    workers: Layer = field(default_factory=dict)
    connectors: Layer = field(default_factory=dict)
    clusters: dict[str, Layer] = field(default_factory=dict)
    flows: dict[FlowId, Layer] = field(default_factory=dict)

    def cluster(self, alias: str) -> Mapping[str, Property]:
        return self.clusters.get(alias, {})

    def flow(self, flow: FlowId) -> Mapping[str, Property]:
        return self.flows.get(flow, {})

    def at(self, place: PropertyPlace) -> Property | None:
        """Return the property of a place with the present spelling."""
        return self.layer(place).get(place.name)

    def layer(self, place: PropertyPlace) -> Layer:
        """Return all properties on the level and below the aliases of a place."""
        if place.level == "flow":
            return self.flows.setdefault(FlowId(place.source, place.target), {})
        if place.level == "cluster":
            return self.clusters.setdefault(place.alias, {})
        return {"global": self.top, "workers": self.workers, "connectors": self.connectors}[place.level]


def place(
    aliases: tuple[str, ...], properties: Iterable[Placed], findings: Findings, *, has_levels: bool = False
) -> Levels:
    """Sort the properties; a flow or alias that is not in `clusters` is an error with a suggestion.

    `has_levels`: the dialect knows `workers.` and `connectors.`; `.worker.` keys stay under that name on their flow.
    """
    levels = Levels(aliases=aliases)
    for place, prop in properties:
        if place.level == "global":
            _place_globally(levels, place.name, prop, findings, has_levels=has_levels)
        elif place.level in ("workers", "connectors") and not has_levels:
            _put(levels.top, place.key, prop, findings)
        elif not _has_known_aliases(levels, place):
            _report_unknown(levels, prop, findings)
        else:
            _put(levels.layer(place), place.name, prop, findings)
    return levels


def _place_globally(levels: Levels, name: str, prop: Property, findings: Findings, *, has_levels: bool) -> None:
    if names_unknown_cluster(name):
        _report_unknown(levels, prop, findings)
    elif has_levels and not works_without_prefix(name):
        _tell_prefix(prop, findings)
    else:
        _put(levels.top, name, prop, findings)


def _has_known_aliases(levels: Levels, place: PropertyPlace) -> bool:
    if place.level == "flow":
        return {place.source, place.target} <= set(levels.aliases) and place.source != place.target
    return place.level != "cluster" or place.alias in levels.aliases


def works_without_prefix(key: str) -> bool:
    """Return whether a key has an effect on the global level of a dialect with levels."""
    return works_globally(OLD_SPELLINGS.get(key, key)) or is_connection_key(key)


def _tell_prefix(prop: Property, findings: Findings) -> None:
    spec = find_key(OLD_SPELLINGS.get(prop.key, prop.key))
    if spec is not None and spec.role == "manager":
        findings.note(prop, f"is read, but has no effect here: {spec.why}")
        return
    prefix = "workers" if spec is not None and spec.role == "worker" else "connectors"
    unknown = nearest(prop.key, known_names()) if spec is None else ""
    findings.warning(prop, f"has no effect without a prefix; write {prefix}.{prop.key}{unknown}")


def _report_unknown(levels: Levels, prop: Property, findings: Findings) -> None:
    if "->" not in prop.key:
        alias = prop.key.partition(".")[0]
        findings.error(prop, f"there is no cluster {alias!r} in clusters{nearest(alias, levels.aliases)}")
        return
    source, _, rest = prop.key.partition("->")
    target = alias_of(rest, levels.aliases) or rest.partition(".")[0]
    if source == target and source in levels.aliases:
        findings.error(prop, "a flow needs two different clusters")
        return
    unknown = target if source in levels.aliases else source
    findings.error(prop, f"there is no cluster {unknown!r} in clusters{nearest(unknown, levels.aliases)}")


def _put(layer: Layer, name: str, prop: Property, findings: Findings) -> None:
    """Of two spellings the present one wins."""
    present = OLD_SPELLINGS.get(name, name)
    other = layer.get(present)
    if present != name:
        findings.warning(prop, f"is the old spelling of {present}; rename it")
        if other is not None and not other.key.endswith(name):
            return
    layer[present] = prop


def names_unknown_cluster(name: str) -> bool:
    """Return whether a key without a known alias is for a cluster or a flow that `clusters` lacks."""
    return "->" in name or _is_of_unknown_alias(name)


def _is_of_unknown_alias(key: str) -> bool:
    """`us-eats.bootstrap.servers`: a client key after a word that is not a known prefix of client keys."""
    alias, _, rest = key.partition(".")
    is_plain_key = is_client_security(key)
    is_prefixed_client = alias in ("consumer", "producer", "admin", "source", "target")
    return not is_plain_key and not is_prefixed_client and rest in (BOOTSTRAP, "security.protocol")
