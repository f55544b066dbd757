"""Finds the settings that the connectors of mirrors share, which are written once in a cluster or in a mirror.

A reader puts the keys of the clusters before the other keys of a connector, and patterns behind them. So only keys that
are there already can be written in a cluster or as a pattern without a change of their order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from replication.config.settings.prefixes import CLUSTER_PREFIXES
from replication.config.tree.operator.connector_config import Line
from replication.config.tree.operator.mirrormaker2 import PATTERNS
from replication.config.tree.operator.resource_keys import ConnectorKind
from replication.domain.identifiers import FlowId

_KINDS_OF: Mapping[str, tuple[ConnectorKind, ...]] = {key: kinds for kinds, key in PATTERNS.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A connector of a mirror with its config; `first` holds the keys that a cluster or a pattern can have."""

    flow: FlowId
    kind: ConnectorKind
    lines: Mapping[str, Line]
    first: frozenset[str]

    @property
    def aliases(self) -> tuple[str, str]:
        return self.flow.source, self.flow.target

    def of_cluster(self, alias: str) -> Iterator[tuple[str, Line]]:
        """Yield the lines that the cluster can have, with their names there."""
        for prefix, its_alias in zip(CLUSTER_PREFIXES, self.aliases, strict=True):
            if its_alias == alias:
                found = ((key, line) for key, line in self.lines.items() if key in self.first)
                yield from ((key.removeprefix(prefix), line) for key, line in found if key.startswith(prefix))


def is_same(line: Line, known: Line | None, is_commented: bool) -> bool:
    """Return whether a reader gives this line to a connector that does not have it itself."""
    comment = "" if known is None or is_commented else known.comment
    return known is not None and (line.value, line.comment) == (known.value, comment)


def first_keys(lines: Iterable[Line], kind: ConnectorKind) -> Iterator[str]:
    """Yield the keys that a reader can put before the others: those of clusters, then patterns."""
    at = 0
    for line in lines:
        section = next((n for n, prefix in enumerate(CLUSTER_PREFIXES) if line.key.startswith(prefix)), None)
        if section is None and kind in _KINDS_OF.get(line.key, ()):
            section = len(CLUSTER_PREFIXES) + list(_KINDS_OF).index(line.key)
        if not line.has_place:
            yield line.key
        elif section is None or section < at:
            at = len(CLUSTER_PREFIXES) + len(_KINDS_OF)
        else:
            at = section
            yield line.key


def shared(found: Sequence[Mapping[str, Line]]) -> Mapping[str, Line]:
    """Return the lines of the first connector that all connectors have."""
    return {key: line for key, line in found[0].items() if all(key in each for each in found)}


def shared_patterns(views: Sequence[View]) -> Mapping[str, Line]:
    """Return the patterns that all connectors of their kinds have, in the order in which a reader takes them."""
    found: dict[str, Line] = {}
    for key, kinds in _KINDS_OF.items():
        holders = [view for view in views if view.kind in kinds]
        if holders and all(key in view.lines and key in view.first for view in holders):
            found[key] = holders[0].lines[key]
    return found


def given_to(view: View, clusters: Mapping[str, Line], patterns: Mapping[str, Line]) -> Mapping[str, Line]:
    """Return what a reader gives to a connector: keys of its clusters, and the patterns of its kind."""
    return {**clusters, **{key: line for key, line in patterns.items() if view.kind in _KINDS_OF[key]}}
