"""KafkaConnector resources in YAML: MirrorMaker's connectors with their keys and lines."""

from dataclasses import dataclass, field
from typing import Literal

import yaml

from replication.config.files.findings import Findings
from replication.config.flows.model import ConfigError, ConfigFinding, Property

ConnectorKind = Literal["source", "checkpoint", "heartbeat"]
_CLASSES: dict[str, ConnectorKind] = {
    "MirrorSourceConnector": "source",
    "MirrorCheckpointConnector": "checkpoint",
    "MirrorHeartbeatConnector": "heartbeat",
}
ALIASES = ("source.cluster.alias", "target.cluster.alias")


@dataclass(slots=True, kw_only=True)
class Connector:
    """One resource; `config` holds the values with their lines."""

    name: str
    kind: ConnectorKind
    line: int
    tasks_max: tuple[str, int] | None = None
    config: dict[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def aliases(self) -> tuple[str, str]:
        source, target = (self.config.get(name, ("", 0))[0] for name in ALIASES)
        return source, target

    def value(self, key: str) -> str | None:
        return self.config[key][0] if key in self.config else None

    def at(self, key: str) -> Property:
        value, line = self.config.get(key, ("", self.line))
        return Property(key=f"{self.name}: {key}", value=value, line=line)


def parse_connectors(text: str, findings: Findings) -> list[Connector]:
    """Return MirrorMaker's connectors. Raises ConfigError for text that is not YAML or has none."""
    try:
        documents = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise _unusable("yaml", f"is not YAML: {str(error).splitlines()[0]}") from error
    connectors = [found for node in documents if (found := _connector(node, findings)) is not None]
    if not connectors:
        raise _unusable("spec.class", "there is no MirrorMaker connector in the file; a flow needs one")
    return connectors


def _connector(node: yaml.Node, findings: Findings) -> Connector | None:
    document = _members(node)
    if not document:
        return None
    spec = _members(document.get("spec"))
    metadata = _members(document.get("metadata"))
    line = node.start_mark.line + 1
    name = _scalar(metadata.get("name")) or f"connector in line {line}"
    java_class = _scalar(spec.get("class"))
    kind = _CLASSES.get(java_class.rpartition(".")[2])
    if kind is None:
        prop = Property(key=f"{name}: spec.class", value=java_class, line=line)
        findings.note(prop, f"{java_class or 'nothing'} is not a MirrorMaker connector and is skipped")
        return None
    tasks = spec.get("tasksMax")
    config = {key: (_scalar(value), value.start_mark.line + 1) for key, value in _members(spec.get("config")).items()}
    return Connector(
        name=name,
        kind=kind,
        line=line,
        tasks_max=None if tasks is None else (_scalar(tasks), tasks.start_mark.line + 1),
        config=config,
    )


def _members(node: yaml.Node | None) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {_scalar(key): value for key, value in node.value}


def _scalar(node: yaml.Node | None) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _unusable(key: str, message: str) -> ConfigError:
    return ConfigError((ConfigFinding(severity="error", key=key, line=None, message=message),))
