"""Resolves a property tree into clusters and flows with their effective settings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from replication.config.files.dialects import DIALECTS, MM2, OPERATOR, Dialect
from replication.config.files.findings import Findings
from replication.config.files.levels import Levels, Placed, place
from replication.config.flows.clusters import read_aliases, read_cluster
from replication.config.flows.flows import read_flows
from replication.config.flows.manager import is_driven, read_manager
from replication.config.flows.model import ConfigFinding, Property, ReplicationConfig
from replication.config.settings.review import review, review_differences
from replication.config.tree.operator.addresses import cluster_places, is_address
from replication.config.tree.operator.resource_keys import is_resource_key
from replication.config.tree.placing import place_of
from replication.config.tree.properties import PropertyTree, TreeProperty
from replication.domain.settings.registry.flow import CLUSTERS

Expand = Callable[[str], str]


def resolve_tree(
    tree: PropertyTree, *, expand: Expand, earlier: Iterable[ConfigFinding] = (), is_complete: bool = True
) -> ReplicationConfig:
    """Return the clusters and flows of a tree. Raises ConfigError with every error.

    `expand` replaces `${provider:...}` expressions and raises ValueError for one that leads nowhere. `earlier` are the
    findings of the file, which are reported together with these. A system that is not complete may have fewer than two
    clusters and no flow.
    """
    findings = Findings()
    findings.extend(earlier)
    config = _resolve(tree, expand, findings, is_complete=is_complete)
    return replace(config, findings=findings.check())


def check_tree(tree: PropertyTree, *, expand: Expand, is_complete: bool = True) -> tuple[ConfigFinding, ...]:
    """Return all findings about a tree, errors included."""
    findings = Findings()
    _resolve(tree, expand, findings, is_complete=is_complete)
    return findings.all()


def aliases_of(tree: PropertyTree) -> tuple[str, ...]:
    """Return the aliases that `clusters` holds, unchecked."""
    found = [each.value for each in tree.properties if each.place.level == "global" and each.place.name == CLUSTERS.key]
    return tuple(dict.fromkeys(CLUSTERS.parse(found[-1]))) if found else ()


def remarks(tree: PropertyTree) -> Mapping[str, str]:
    """Return warnings and notes by key, for a tree whose expressions are not expanded."""
    findings = Findings()
    _levels(tree, lambda value: value, findings, is_complete=False)
    told: dict[str, list[str]] = {}
    for finding in findings.all():
        if finding.severity != "error":
            told.setdefault(finding.key, []).append(finding.message)
    return {key: "; ".join(messages) for key, messages in told.items()}


def _resolve(tree: PropertyTree, expand: Expand, findings: Findings, *, is_complete: bool) -> ReplicationConfig:
    dialect = DIALECTS[tree.dialect]
    levels = _levels(tree, expand, findings, is_complete=is_complete)
    if not levels.aliases:
        return ReplicationConfig(clusters=(), flows=())
    definitions = tuple(read_cluster(alias, levels, findings) for alias in levels.aliases)
    manager = read_manager(levels, findings)
    flows = tuple(flow for flow in read_flows(levels, dialect, findings) if is_driven(flow, manager, levels, findings))
    return ReplicationConfig(clusters=definitions, flows=flows, manager=manager)


def _levels(tree: PropertyTree, expand: Expand, findings: Findings, *, is_complete: bool) -> Levels:
    """Return the properties by level, each reviewed."""
    dialect = DIALECTS[tree.dialect]
    properties = [(each.place, _expanded(each, expand, findings)) for each in tree.properties]
    clusters = next((prop for place, prop in properties if place.key == CLUSTERS.key), None)
    aliases = read_aliases(clusters, findings, is_complete=is_complete)
    if not aliases:
        return Levels(aliases=())
    placed: list[Placed] = [
        (place_of(known.key, aliases=aliases, has_levels=dialect.levels) if known.level == "global" else known, prop)
        for known, prop in properties
    ]
    placed = without_resources(placed, dialect)
    levels = place(aliases, placed, findings, has_levels=dialect.levels)
    review(levels, findings, has_levels=dialect.levels)
    if dialect is MM2:
        review_differences(levels, findings)
    return levels


def without_resources(placed: Iterable[Placed], dialect: Dialect) -> list[Placed]:
    """Return the properties without parts of resources; the operator's connection keys are those of the clusters."""
    found = list(placed)
    moved = _with_addresses(found) if dialect.name == OPERATOR.name else found
    return [(place, prop) for place, prop in moved if not is_resource_key(place.name)]


def _with_addresses(placed: list[Placed]) -> list[Placed]:
    """Move the connection keys of flows to their clusters."""
    values = dict(placed)
    moved = [(cluster, values[flow]) for cluster, flow in cluster_places([place for place, _ in placed])]
    kept = [(place, prop) for place, prop in placed if place.level != "flow" or not is_address(place.name)]
    return [*kept, *moved]


def _expanded(prop: TreeProperty, expand: Expand, findings: Findings) -> Property:
    key, value = prop.place.key, prop.value
    try:
        value = expand(prop.value)
    except ValueError as error:
        findings.error(Property(key=key, value=value, line=prop.line), str(error))
    return Property(key=key, value=value, line=prop.line, is_external=value != prop.value)
