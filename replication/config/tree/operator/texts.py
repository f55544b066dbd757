"""MirrorMaker's connectors as their resources hold them: keys, parts, lines and comments."""

from dataclasses import dataclass, field

from replication.config.flows.model import Property
from replication.config.tree.operator.resource_keys import ALIASES, ConnectorKind

TASKS_MAX = "spec.tasksMax"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A scalar of a resource as it is written."""

    value: str
    line: int
    comment: str = ""


@dataclass(slots=True, kw_only=True)
class Connector:
    """One connector; `parts` are those of its resource beside the config, such as `metadata.name` and `spec.tasksMax`.

    `mirror` holds the parts of its KafkaMirrorMaker2 resource, if it is of one: in each connector the name, in those of
    one mirror all other parts.
    """

    name: str
    kind: ConnectorKind
    line: int
    parts: dict[str, Text] = field(default_factory=dict)
    config: dict[str, Text] = field(default_factory=dict)
    mirror: dict[str, Text] = field(default_factory=dict)

    @property
    def aliases(self) -> tuple[str, str]:
        source, target = ((self.value(name) or "").strip() for name in ALIASES)
        return source, target

    def value(self, key: str) -> str | None:
        return self.config[key].value if key in self.config else None

    def at(self, key: str) -> Property:
        found = self.config.get(key) or self.parts.get(key) or Text(value="", line=self.line)
        return Property(key=f"{self.name}: {key}", value=found.value, line=found.line)
