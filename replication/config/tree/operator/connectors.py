"""KafkaConnector resources in YAML: MirrorMaker's connectors with their keys, parts, lines and comments."""

from collections.abc import Iterator
from dataclasses import replace

import yaml

from replication.config.files.findings import Findings
from replication.config.flows.model import ConfigError, ConfigFinding, Property
from replication.config.tree.operator.mirrormaker2 import KIND, mirror_connectors
from replication.config.tree.operator.nodes import members, metadata_parts, pairs, scalar_of, text_of
from replication.config.tree.operator.resource_keys import ALIASES, API_VERSION, ConnectorKind
from replication.config.tree.operator.texts import Connector, Text
from replication.config.tree.operator.yaml_text import Comments

CLASSES: dict[str, ConnectorKind] = {
    "MirrorSourceConnector": "source",
    "MirrorCheckpointConnector": "checkpoint",
    "MirrorHeartbeatConnector": "heartbeat",
}
PACKAGE = "org.apache.kafka.connect.mirror."
_OF_ALIASES = tuple(f"config.{alias}" for alias in ALIASES)


def documents(text: str) -> tuple[list[yaml.Node], Comments]:
    """Return the documents of a text and its comments. Raises ConfigError for text that is not plain YAML.

    Aliases are refused: a short text with them can stand for a huge one.
    """
    try:
        comments = Comments(text)
        if comments.alias_line is not None:
            raise unusable("yaml", "aliases (*name) are not supported; write the values out", comments.alias_line)
        return list(yaml.compose_all(text, Loader=yaml.SafeLoader)), comments
    except yaml.YAMLError as error:
        raise unusable("yaml", f"is not YAML: {str(error).splitlines()[0]}") from error
    except RecursionError as error:
        raise unusable("yaml", "is nested too deeply") from error


def parse_connectors(nodes: list[yaml.Node], comments: Comments, findings: Findings) -> list[Connector]:
    """Return MirrorMaker's connectors. Raises ConfigError if there are none."""
    connectors: list[Connector] = []
    for node in nodes:
        if scalar_of(members(node).get("kind")) == KIND:
            connectors += mirror_connectors(node, comments, findings)
        elif (found := _connector(node, comments, findings)) is not None:
            connectors.append(found)
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
            yield from ((part, each, found, text_of(found)) for part, each, found in metadata_parts(value))
        elif name == "spec":
            yield from _spec(connector, value, findings)
        elif name == "apiVersion":
            if scalar_of(value) != API_VERSION:
                yield name, key, value, scalar_of(value)
        elif name != "kind":
            prop = Property(key=f"{connector.name}: {name}", value="", line=key.start_mark.line + 1)
            findings.note(prop, "is not a part of a flow and is not kept")


def _spec(connector: Connector, spec: yaml.Node, findings: Findings) -> Iterator[_Found]:
    for key, value in pairs(spec):
        name = scalar_of(key)
        if name == "config":
            yield from _config(connector, value, findings)
        elif name != "class" or scalar_of(value) != class_of(connector.kind):
            yield f"spec.{name}", key, value, text_of(value)


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


def unusable(key: str, message: str, line: int | None = None) -> ConfigError:
    """Return the error of a file that is of another kind."""
    return ConfigError((ConfigFinding(severity="error", key=key, line=line, message=message),))
