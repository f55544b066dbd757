"""KafkaConnector resources in YAML: MirrorMaker's connectors with their keys, parts, lines and comments."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import yaml

from replication.config.files.findings import Findings
from replication.config.flows.model import ConfigError, ConfigFinding, Property
from replication.config.tree.operator.resource_keys import ALIASES, ConnectorKind
from replication.config.tree.operator.yaml_text import Comments, structure

API_VERSION = "kafka.strimzi.io/v1beta2"
CLASSES: dict[str, ConnectorKind] = {
    "MirrorSourceConnector": "source",
    "MirrorCheckpointConnector": "checkpoint",
    "MirrorHeartbeatConnector": "heartbeat",
}
PACKAGE = "org.apache.kafka.connect.mirror."
TASKS_MAX = "spec.tasksMax"
_OF_ALIASES = tuple(f"config.{alias}" for alias in ALIASES)
GROUPS = ("labels", "annotations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A scalar of a resource as it is written."""

    value: str
    line: int
    comment: str = ""


@dataclass(slots=True, kw_only=True)
class Connector:
    """One resource; `parts` are those beside its config, such as `metadata.name` and `spec.tasksMax`."""

    name: str
    kind: ConnectorKind
    line: int
    parts: dict[str, Text] = field(default_factory=dict)
    config: dict[str, Text] = field(default_factory=dict)

    @property
    def aliases(self) -> tuple[str, str]:
        source, target = (self.value(name) or "" for name in ALIASES)
        return source, target

    def value(self, key: str) -> str | None:
        return self.config[key].value if key in self.config else None

    def at(self, key: str) -> Property:
        found = self.config.get(key) or self.parts.get(key) or Text(value="", line=self.line)
        return Property(key=f"{self.name}: {key}", value=found.value, line=found.line)


def documents(text: str) -> tuple[list[yaml.Node], Comments]:
    """Return the documents of a text and its comments. Raises ConfigError for text that is not YAML."""
    try:
        return list(yaml.compose_all(text, Loader=yaml.SafeLoader)), Comments(text)
    except yaml.YAMLError as error:
        raise unusable("yaml", f"is not YAML: {str(error).splitlines()[0]}") from error


def parse_connectors(nodes: list[yaml.Node], comments: Comments, findings: Findings) -> list[Connector]:
    """Return MirrorMaker's connectors. Raises ConfigError if there are none."""
    connectors = [found for node in nodes if (found := _connector(node, comments, findings)) is not None]
    if not connectors:
        raise unusable("spec.class", "there is no MirrorMaker connector in the file; a flow needs one")
    if rest := comments.rest(2**31):
        findings.note("yaml", f"the comment at the end of the file is not kept: {rest!r}")
    return connectors


def _connector(node: yaml.Node, comments: Comments, findings: Findings) -> Connector | None:
    document = members(node)
    if not document:
        return None
    spec, metadata = members(document.get("spec")), members(document.get("metadata"))
    line = node.start_mark.line + 1
    name = scalar_of(metadata.get("name")) or f"connector in line {line}"
    java_class = scalar_of(spec.get("class"))
    kind = CLASSES.get(java_class.rpartition(".")[2])
    if kind is None:
        prop = Property(key=f"{name}: spec.class", value=java_class, line=line)
        findings.note(prop, f"{java_class or 'nothing'} is not a MirrorMaker connector and is skipped")
        comments.rest(node.end_mark.line)
        return None
    connector = Connector(name=name, kind=kind, line=line)
    for part, key, value, text in sorted(_texts(connector, node, findings), key=lambda each: each[1].start_mark.index):
        kept, name = connector.parts, part
        if part.startswith("config."):
            kept, name = connector.config, part.removeprefix("config.")
        if name in kept:
            findings.warning(connector.at(name), f"is set twice; the value of line {kept.pop(name).line} is not used")
        line = value.start_mark.line + 1
        comment = "" if part in _OF_ALIASES else comments.of(key.start_mark.line, value)
        kept[name] = Text(value=text, line=line, comment=comment)
    _keep_rest(connector, comments.rest(node.end_mark.line))
    return connector


def _keep_rest(connector: Connector, comment: str) -> None:
    """Give the comments at the end of a resource to its last key."""
    for kept in (connector.config, connector.parts):
        for name in (each for each in reversed(kept) if comment and each not in ALIASES):
            kept[name] = replace(kept[name], comment="\n".join(filter(None, (kept[name].comment, comment))))
            return


_Found = tuple[str, yaml.Node, yaml.Node, str]


def _texts(connector: Connector, document: yaml.Node, findings: Findings) -> Iterator[_Found]:
    """Yield all parts and keys that are kept: part, key, value and text."""
    for key, value in pairs(document):
        name = scalar_of(key)
        if name == "metadata":
            yield from _metadata(value)
        elif name == "spec":
            yield from _spec(connector, value, findings)
        elif name == "apiVersion":
            if scalar_of(value) != API_VERSION:
                yield name, key, value, scalar_of(value)
        elif name != "kind":
            prop = Property(key=f"{connector.name}: {name}", value="", line=key.start_mark.line + 1)
            findings.note(prop, "is not a part of a flow and is not kept")


def _metadata(metadata: yaml.Node) -> Iterator[_Found]:
    for key, value in pairs(metadata):
        name = f"metadata.{scalar_of(key)}"
        if scalar_of(key) in GROUPS and isinstance(value, yaml.MappingNode):
            yield from ((f"{name}.{scalar_of(each)}", each, found, _text(found)) for each, found in pairs(value))
        else:
            yield name, key, value, _text(value)


def _spec(connector: Connector, spec: yaml.Node, findings: Findings) -> Iterator[_Found]:
    for key, value in pairs(spec):
        name = scalar_of(key)
        if name == "config":
            yield from _config(connector, value, findings)
        elif name != "class" or scalar_of(value) != class_of(connector.kind):
            yield f"spec.{name}", key, value, _text(value)


def _config(connector: Connector, config: yaml.Node, findings: Findings) -> Iterator[_Found]:
    if not isinstance(config, yaml.MappingNode) and scalar_of(config):
        findings.error(connector.at("spec.config"), "must hold keys with values")
    for key, value in pairs(config):
        if isinstance(value, yaml.ScalarNode):
            yield f"config.{scalar_of(key)}", key, value, scalar_of(value)
        else:
            prop = Property(key=f"{connector.name}: {scalar_of(key)}", value="", line=key.start_mark.line + 1)
            findings.error(prop, "must be one value, not a list or a mapping; write a list with commas")


def class_of(kind: ConnectorKind) -> str:
    """Return the full name of MirrorMaker's class."""
    return PACKAGE + next(name for name, each in CLASSES.items() if each == kind)


def pairs(node: yaml.Node | None) -> list[tuple[yaml.Node, yaml.Node]]:
    """Return the keys and values of a mapping; none for other nodes."""
    return list(node.value) if isinstance(node, yaml.MappingNode) else []


def members(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """Return the values of a mapping by key."""
    return {scalar_of(key): value for key, value in pairs(node)}


def scalar_of(node: yaml.Node | None) -> str:
    """Return the text of a scalar; empty for other nodes."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def unusable(key: str, message: str) -> ConfigError:
    """Return the error of a file that is of another kind."""
    return ConfigError((ConfigFinding(severity="error", key=key, line=None, message=message),))


def _text(node: yaml.Node) -> str:
    return scalar_of(node) if isinstance(node, yaml.ScalarNode) else structure(node)
