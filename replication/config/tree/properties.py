"""The properties of a replication system as they were written: on a level, with comment and origin, not expanded."""

from dataclasses import dataclass
from typing import Literal, get_args

TreeLevel = Literal["global", "workers", "connectors", "cluster", "flow"]
TREE_LEVELS: tuple[TreeLevel, ...] = get_args(TreeLevel)  # weakest first; a stronger level wins


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class PropertyPlace:
    """The place of a property: a level, the aliases that the level needs, and the name behind the level's prefix.

    `alias` is set on the level "cluster" only, `source` and `target` on the level "flow" only. `name` keeps the
    prefixes behind it, such as `producer.override.` or `source.cluster.`.
    """

    level: TreeLevel
    name: str
    alias: str = ""
    source: str = ""
    target: str = ""

    @property
    def key(self) -> str:
        """The full spelling, such as `us-east->us-west.tasks.max` or `workers.offset.flush.timeout.ms`."""
        prefixes = {
            "global": "",
            "workers": "workers.",
            "connectors": "connectors.",
            "cluster": f"{self.alias}.",
            "flow": f"{self.source}->{self.target}.",
        }
        return prefixes[self.level] + self.name


def line_of(origin: str) -> int | None:
    """Return the line that an origin names; None if it is no line of a file."""
    line = origin.rpartition(":")[2]
    return int(line) if line.isdecimal() and line.isascii() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeProperty:
    """A property with its place. `value` keeps `${provider:...}` expressions; `origin` names who wrote it, and where.

    An origin is a file with a line (`mm2.properties:12`), a resource (`KafkaMirrorMaker2/prod`), or `rest`, `form`,
    `srm-control`, `admin`.
    """

    place: PropertyPlace
    value: str
    comment: str = ""
    origin: str = ""

    @property
    def line(self) -> int | None:
        """The line that the origin names, if it is a line of a file."""
        return line_of(self.origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyTree:
    """All properties of a system in the order in which files show them; places are unique.

    `dialect` names the dialect whose defaults and prefix rules apply: `mm2`, `srm` or `operator`.
    """

    dialect: str
    properties: tuple[TreeProperty, ...] = ()

    def at(self, place: PropertyPlace) -> TreeProperty | None:
        """Return the property of this place."""
        return next((each for each in self.properties if each.place == place), None)
