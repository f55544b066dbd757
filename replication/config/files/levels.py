"""Puts every property on its level: global, `workers.`, `connectors.`, `<alias>.`, `<source>-><target>.`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from replication.config.files.findings import Findings, nearest
from replication.config.flows.model import Property
from replication.config.settings.global_keys import works_globally
from replication.config.settings.prefixes import (
    OLD_SPELLINGS,
    find_key,
    is_client_security,
    is_connection_key,
    known_names,
)
from replication.domain.identifiers import FlowId

Layer = dict[str, Property]


@dataclass(slots=True)
class Levels:
    """The file by level; names have lost their prefix and have the present spelling."""

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


def place(
    aliases: tuple[str, ...], properties: Iterable[Property], findings: Findings, *, has_levels: bool = False
) -> Levels:
    """Sort the properties; a flow or alias that is not in `clusters` is an error with a suggestion.

    `has_levels`: the dialect knows `workers.` and `connectors.`; `.worker.` keys stay under that name on their flow.
    """
    levels = Levels(aliases=aliases)
    for prop in properties:
        if "->" in prop.key:
            _place_on_flow(levels, prop, findings)
        elif alias := _alias_of(aliases, prop.key):
            _put(levels.clusters.setdefault(alias, {}), prop.key[len(alias) + 1 :], prop, findings)
        elif has_levels and prop.key.startswith("workers."):
            _put(levels.workers, prop.key.removeprefix("workers."), prop, findings)
        elif has_levels and prop.key.startswith("connectors."):
            _put(levels.connectors, prop.key.removeprefix("connectors."), prop, findings)
        elif has_levels and not _works_without_prefix(prop.key):
            _tell_prefix(prop, findings)
        elif _is_of_unknown_alias(prop.key):
            alias = prop.key.partition(".")[0]
            findings.error(prop, f"there is no cluster {alias!r} in clusters{nearest(alias, aliases)}")
        else:
            _put(levels.top, prop.key, prop, findings)
    return levels


def _works_without_prefix(key: str) -> bool:
    return works_globally(OLD_SPELLINGS.get(key, key)) or is_connection_key(key) or _is_of_unknown_alias(key)


def _tell_prefix(prop: Property, findings: Findings) -> None:
    spec = find_key(OLD_SPELLINGS.get(prop.key, prop.key))
    if spec is not None and spec.role == "manager":
        findings.note(prop, f"is read, but has no effect here: {spec.why}")
        return
    prefix = "workers" if spec is not None and spec.role == "worker" else "connectors"
    unknown = nearest(prop.key, known_names()) if spec is None else ""
    findings.warning(prop, f"has no effect without a prefix; write {prefix}.{prop.key}{unknown}")


def _place_on_flow(levels: Levels, prop: Property, findings: Findings) -> None:
    for source in levels.aliases:
        for target in levels.aliases:
            prefix = f"{source}->{target}."
            if prop.key.startswith(prefix) and source != target:
                layer = levels.flows.setdefault(FlowId(source, target), {})
                _put(layer, prop.key.removeprefix(prefix), prop, findings)
                return
    source, _, rest = prop.key.partition("->")
    target = _alias_of(levels.aliases, rest) or rest.partition(".")[0]
    if source == target and source in levels.aliases:
        findings.error(prop, "a flow needs two different clusters")
        return
    unknown = target if source in levels.aliases else source
    findings.error(prop, f"there is no cluster {unknown!r} in clusters{nearest(unknown, levels.aliases)}")


def _put(layer: Layer, name: str, prop: Property, findings: Findings) -> None:
    """The last of equal keys wins, as in Java; of two spellings the present one does."""
    present = OLD_SPELLINGS.get(name, name)
    other = layer.get(present)
    if present != name:
        findings.warning(prop, f"is the old spelling of {present}; rename it")
        if other is not None and not other.key.endswith(name):
            return
    if other is not None and other.key == prop.key:
        findings.warning(prop, f"is set twice; the value of line {other.line} is not used")
    layer[present] = prop


def _alias_of(aliases: tuple[str, ...], key: str) -> str | None:
    matching = [alias for alias in aliases if key.startswith(f"{alias}.")]
    return max(matching, key=len) if matching else None


def _is_of_unknown_alias(key: str) -> bool:
    """`us-eats.bootstrap.servers`: a client key after a word that is not a known prefix of client keys."""
    alias, _, rest = key.partition(".")
    is_plain_key = is_client_security(key)
    is_prefixed_client = alias in ("consumer", "producer", "admin", "source", "target")
    return not is_plain_key and not is_prefixed_client and rest in ("bootstrap.servers", "security.protocol")
