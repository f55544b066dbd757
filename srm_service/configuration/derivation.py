"""Decides which clusters and flows follow from the property tree, with every finding at once. No database.

References such as `${file:...}` are looked up to check a value, and kept as they are in clusters' and connectors'
settings. One that leads nowhere is a problem of the cluster or the flows that use it, and of no other.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from replication.config import ClusterDefinition, ConfigFinding, FlowDefinition
from replication.config.files.dialects import DIALECTS, MM2
from replication.config.files.findings import Findings, nearest
from replication.config.files.levels import Layer, Levels
from replication.config.files.providers import ProviderError, resolve
from replication.config.flows.clusters import read_aliases, read_cluster
from replication.config.flows.flows import read_flows
from replication.config.flows.model import Property
from replication.config.settings.prefixes import OLD_SPELLINGS
from replication.config.settings.review import review
from replication.config.tree.properties import PropertyPlace, PropertyTree, TreeProperty
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.flow import CLUSTERS

UNREADABLE = "its secret cannot be decrypted: add the key that encrypted it to SRM_SECRET_KEYS, or set it again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """Clusters and flows with their references; `problems` say why a cluster or flow cannot be used, by its key."""

    clusters: tuple[ClusterDefinition, ...]
    flows: tuple[FlowDefinition, ...]
    findings: tuple[ConfigFinding, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[ConfigFinding, ...]:
        return tuple(each for each in self.findings if each.severity == "error")


def derive(tree: PropertyTree, unreadable: Collection[PropertyPlace] = frozenset()) -> Derived:
    """Return what follows from the tree; `unreadable` are the places of secrets that cannot be decrypted."""
    findings = Findings()
    dialect = replace(DIALECTS.get(tree.dialect, MM2), keeps_disabled=True)
    read = _Read(tree, unreadable)
    aliases = read.aliases(findings)
    levels = read.levels(aliases, findings)
    review(levels, findings, has_levels=dialect.levels)
    clusters = tuple(_cluster(alias, levels, read, findings) for alias in aliases)
    flows = tuple(_with_references(flow, read) for flow in read_flows(levels, dialect, findings))
    for key, problem in read.lost.items():
        findings.warning(key, problem)
    return Derived(
        clusters=clusters,
        flows=flows,
        findings=tuple(replace(each, line=None) for each in findings.ordered()),
        problems=_problems(read, flows),
    )


class _Read:
    """The tree as properties of the hierarchy: references are looked up, and what they replaced is kept."""

    def __init__(self, tree: PropertyTree, unreadable: Collection[PropertyPlace]) -> None:
        self._unreadable = unreadable
        self.lost: dict[str, str] = {}  # why a value is unknown, by key
        self.lost_places: list[PropertyPlace] = []
        self.written: dict[str, str] = {}  # values with references, by key
        self._found = [(each.place, self._property(each)) for each in tree.properties]

    def aliases(self, findings: Findings) -> tuple[str, ...]:
        """The aliases in `clusters`; none without the key."""
        place = PropertyPlace(level="global", name=CLUSTERS.key)
        clusters = next((prop for at, prop in self._found if at == place), None)
        return () if clusters is None else read_aliases(clusters, findings, least=0)

    def levels(self, aliases: tuple[str, ...], findings: Findings) -> Levels:
        """The properties by level; those of unknown clusters are errors."""
        levels = Levels(aliases=aliases)
        for place, prop in self._found:
            unknown = [alias for alias in (place.alias, place.source, place.target) if alias and alias not in aliases]
            if unknown:
                hint = nearest(unknown[0], aliases)
                findings.error(prop, f"there is no cluster {unknown[0]!r} in clusters{hint}")
            elif prop.key not in self.lost or place.level == "cluster":
                _put(_layer(levels, place), place.name, prop, findings)
        return levels

    def _property(self, each: TreeProperty) -> Property:
        key, value = each.place.key, each.value
        if each.place in self._unreadable:
            self._lose(each.place, UNREADABLE)
        else:
            try:
                value = resolve(each.value)
            except ProviderError as error:
                self._lose(each.place, str(error))
        if value != each.value or key in self.lost:
            self.written[key] = each.value
        return Property(key=key, value=value, line=0, is_external=value != each.value)

    def _lose(self, place: PropertyPlace, problem: str) -> None:
        self.lost[place.key] = problem
        self.lost_places.append(place)


def _layer(levels: Levels, place: PropertyPlace) -> Layer:
    if place.level == "cluster":
        return levels.clusters.setdefault(place.alias, {})
    if place.level == "flow":
        return levels.flows.setdefault(FlowId(place.source, place.target), {})
    return {"global": levels.top, "workers": levels.workers, "connectors": levels.connectors}[place.level]


def _put(layer: Layer, name: str, prop: Property, findings: Findings) -> None:
    """Of two spellings of a key the present one wins."""
    present = OLD_SPELLINGS.get(name, name)
    if present != name:
        findings.warning(prop, f"is the old spelling of {present}; rename it")
        layer.setdefault(present, prop)
    else:
        layer[name] = prop


def _cluster(alias: str, levels: Levels, read: _Read, findings: Findings) -> ClusterDefinition:
    own = Findings()
    cluster = read_cluster(alias, levels, own)
    is_lost = any(_is_of_cluster(place, alias) for place in read.lost_places)
    for each in own.ordered():  # values that are unknown cannot be checked
        findings.add("warning" if is_lost and each.severity == "error" else each.severity, each.key, each.message)

    def written(values: Mapping[str, str]) -> dict[str, str]:
        return {name: _written(name, value, alias, levels, read) for name, value in values.items()}

    return replace(cluster, client=written(cluster.client), secrets=written(cluster.secrets))


def _written(name: str, value: str, alias: str, levels: Levels, read: _Read) -> str:
    prop = levels.cluster(alias).get(name) or levels.top.get(name)
    return value if prop is None else read.written.get(prop.key, value)


def _with_references(flow: FlowDefinition, read: _Read) -> FlowDefinition:
    """Return the flow with the references in its connectors' settings as they are written."""

    def written(name: str, value: str) -> str:
        origin = flow.effective[name].origin if name in flow.effective else None
        return value if origin is None else read.written.get(origin.key, value)

    connectors = {
        role: {name: written(name, value) for name, value in settings.items()}
        for role, settings in flow.connectors.items()
    }
    return replace(flow, connectors=connectors)


def _problems(read: _Read, flows: Iterable[FlowDefinition]) -> dict[str, str]:
    problems: dict[str, str] = {}
    for place in read.lost_places:
        text = f"{place.key}: {read.lost[place.key]}"
        if place.level == "cluster":
            problems.setdefault(place.alias, text)
        elif place.level == "flow":
            problems.setdefault(f"{place.source}->{place.target}", text)
        else:
            for flow in flows:
                problems.setdefault(f"{flow.source}->{flow.target}", text)
    return problems


def _is_of_cluster(place: PropertyPlace, alias: str) -> bool:
    return place.level == "global" or place.alias == alias
