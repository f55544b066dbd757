"""The formats of a property tree, and the two directions between a tree and the text of a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from replication.config.files.dialects import DIALECTS
from replication.config.flows.model import ConfigFinding
from replication.config.tree.properties import PropertyTree
from replication.domain.settings.choices import DialectName

TreeFormat = Literal["mm2", "srm", "replication-configs", "replication-configs-semicolon", "operator"]
TREE_FORMATS: tuple[TreeFormat, ...] = get_args(TreeFormat)
# the dialect whose rules hold for a file of a format
FORMAT_DIALECTS: Mapping[TreeFormat, DialectName] = {
    "mm2": "mm2",
    "srm": "srm",
    "replication-configs": "srm",
    "replication-configs-semicolon": "srm",
    "operator": "operator",
}
SEPARATORS: Mapping[TreeFormat, str] = {"replication-configs": "|", "replication-configs-semicolon": ";"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFile:
    """The tree of a file. `findings` holds everything that reading found, errors included."""

    tree: PropertyTree
    findings: tuple[ConfigFinding, ...] = ()

    @property
    def errors(self) -> tuple[ConfigFinding, ...]:
        return tuple(each for each in self.findings if each.severity == "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTree:
    """The text of a file. `findings` names every property and comment that the format cannot hold."""

    text: str
    findings: tuple[ConfigFinding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedTree:
    """A tree of another dialect. `findings` names what it cannot hold and what changes its meaning."""

    tree: PropertyTree
    findings: tuple[ConfigFinding, ...] = ()


def has_levels(dialect: str) -> bool:
    """Return whether a dialect knows the levels `workers.` and `connectors.`."""
    return DIALECTS[dialect].levels
