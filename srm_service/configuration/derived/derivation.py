"""Decides which clusters and flows follow from the property tree, with every finding at once. No database.

References such as `${file:...}` are looked up to check a value, and kept as they are in clusters' and connectors'
settings. One that leads nowhere is a problem of the cluster or the flows that use it, and of no other.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from replication.config import ClusterDefinition, ConfigFinding, FlowDefinition
from replication.config.files.dialects import DIALECTS, MM2, OPERATOR, Dialect
from replication.config.files.findings import Findings
from replication.config.files.levels import Levels, Placed, place
from replication.config.files.providers import ProviderError, resolve
from replication.config.flows.clusters import read_aliases, read_cluster
from replication.config.flows.flows import read_flows
from replication.config.flows.manager import is_driven, read_manager
from replication.config.flows.model import Property
from replication.config.settings.prefixes import is_connection_key
from replication.config.settings.review import review, review_differences
from replication.config.tree.operator.addresses import is_address
from replication.config.tree.placing import place_of
from replication.config.tree.properties import PropertyPlace, PropertyTree, TreeProperty
from replication.config.tree.resolution import without_resources
from replication.domain.settings.registry.flow import CLUSTERS
from srm_service.configuration.contracts import HIDDEN_VALUE

UNREADABLE = "its secret cannot be decrypted: add the key that encrypted it to SRM_SECRET_KEYS, or set it again"
NOT_SET = "its secret is not known, because files and answers never hold it: set it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """Clusters and flows with their references; `problems` say why a cluster or flow cannot be used, by its key.

    `counted` are the clusters whose metrics are counted, if flows copy into them.
    """

    clusters: tuple[ClusterDefinition, ...]
    flows: tuple[FlowDefinition, ...]
    counted: frozenset[str] = frozenset()
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
    placed = without_resources(read.placed(aliases, dialect), dialect)
    levels = place(aliases, placed, findings, has_levels=dialect.levels)
    review(levels, findings, has_levels=dialect.levels)
    if tree.dialect == MM2.name:
        review_differences(levels, findings)
    clusters = tuple(_cluster(alias, levels, read, findings) for alias in aliases)
    manager = read_manager(levels, findings)
    flows = tuple(
        _with_references(flow, read)
        for flow in read_flows(levels, dialect, findings)
        if is_driven(flow, manager, levels, findings)
    )
    for prop, problem in read.lost.values():
        findings.warning(prop, problem)
    return Derived(
        clusters=clusters,
        flows=flows,
        counted=frozenset(manager.service_targets or aliases),
        findings=findings.all(),
        problems=_problems(read, flows),
    )


class _Read:
    """The tree as properties of the hierarchy: references are looked up, and what they replaced is kept."""

    def __init__(self, tree: PropertyTree, unreadable: Collection[PropertyPlace]) -> None:
        self._unreadable = unreadable
        self.lost: dict[str, tuple[Property, str]] = {}  # why a value is unknown, by key
        self.lost_places: list[PropertyPlace] = []
        self.written: dict[str, str] = {}  # values with references, by key
        self._found = [(each.place, self._property(each)) for each in tree.properties]

    def aliases(self, findings: Findings) -> tuple[str, ...]:
        """The aliases in `clusters`; none without the key."""
        place = PropertyPlace(level="global", name=CLUSTERS.key)
        clusters = next((prop for at, prop in self._found if at == place), None)
        return () if clusters is None else read_aliases(clusters, findings, is_complete=False)

    def placed(self, aliases: tuple[str, ...], dialect: Dialect) -> Iterator[Placed]:
        """The properties with their places among these clusters; unknown values are those of clusters only."""
        for at, prop in self._found:
            known = place_of(prop.key, aliases=aliases, has_levels=dialect.levels) if at.level == "global" else at
            is_of_cluster = known.level == "cluster" or (dialect.name == OPERATOR.name and is_address(known.name))
            if prop.key not in self.lost or is_of_cluster:
                yield known, prop

    def _property(self, each: TreeProperty) -> Property:
        key, value, problem = each.place.key, each.value, None
        try:
            value = resolve(each.value)
        except ProviderError as error:
            problem = str(error)
            if each.value == HIDDEN_VALUE:
                problem = UNREADABLE if each.place in self._unreadable else NOT_SET
        if value != each.value:
            self.written[key] = each.value
        prop = Property(key=key, value=value, line=each.line, is_external=value != each.value)
        if problem is not None:
            self.lost[key] = prop, problem
            self.lost_places.append(each.place)
        return prop


def _cluster(alias: str, levels: Levels, read: _Read, findings: Findings) -> ClusterDefinition:
    own = Findings()
    cluster = read_cluster(alias, levels, own)
    is_lost = any(_is_of_cluster(place, alias) for place in read.lost_places)
    # values that are unknown cannot be checked
    findings.extend(replace(each, severity="warning") if is_lost else each for each in own.all())

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
    for lost in read.lost_places:
        text = f"{lost.key}: {read.lost[lost.key][1]}"
        if lost.level == "cluster":
            problems.setdefault(lost.alias, text)
        elif lost.level == "flow":
            problems.setdefault(f"{lost.source}->{lost.target}", text)
        else:
            for flow in flows:
                problems.setdefault(f"{flow.source}->{flow.target}", text)
    return problems


def _is_of_cluster(place: PropertyPlace, alias: str) -> bool:
    if place.level == "flow":
        return alias in (place.source, place.target) and is_address(place.name)
    return place.alias == alias or (place.level == "global" and is_connection_key(place.name))
