"""The operator dialect: KafkaConnector resources in YAML, the three MirrorMaker connectors of a flow joined into one.

The result is properties as an mm2 file holds them, so that one reader serves all dialects.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import yaml

from replication.config.files.findings import Findings
from replication.config.files.java_properties import RawProperty
from replication.config.flows.model import ConfigError, ConfigFinding, Property
from replication.domain.settings.registry.consumer_groups import EMIT_CHECKPOINTS
from replication.domain.settings.registry.flow import (
    CLUSTERS,
    EMIT_HEARTBEATS,
    ENABLED,
    POLICY_CLASS,
    POLICY_SEPARATOR,
    TASKS_MAX,
)
from replication.domain.settings.registry.topic_filters import TOPICS, TOPICS_EXCLUDE

ConnectorKind = Literal["source", "checkpoint", "heartbeat"]
_CLASSES: dict[str, ConnectorKind] = {
    "MirrorSourceConnector": "source",
    "MirrorCheckpointConnector": "checkpoint",
    "MirrorHeartbeatConnector": "heartbeat",
}
_SHARED = (TOPICS.key, TOPICS_EXCLUDE.key, POLICY_CLASS.key, POLICY_SEPARATOR.key)
_ALIASES = ("source.cluster.alias", "target.cluster.alias")
_CLUSTER_PREFIXES = ("source.cluster.", "target.cluster.")


@dataclass(slots=True, kw_only=True)
class _Connector:
    """One resource; `config` holds the values with their lines."""

    name: str
    kind: ConnectorKind
    line: int
    tasks_max: tuple[str, int] | None = None
    config: dict[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def aliases(self) -> tuple[str, str]:
        source, target = (self.config.get(name, ("", 0))[0] for name in _ALIASES)
        return source, target

    def at(self, key: str) -> Property:
        value, line = self.config.get(key, ("", self.line))
        return Property(key=f"{self.name}: {key}", value=value, line=line)


def read_connectors(text: str, findings: Findings) -> list[RawProperty]:
    """Return the properties. Raises ConfigError for text that is not YAML or holds no source connector."""
    try:
        documents = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise _unusable("yaml", f"is not YAML: {str(error).splitlines()[0]}") from error
    connectors = [found for node in documents if (found := _connector(node, findings)) is not None]
    sources = [connector for connector in connectors if connector.kind == "source"]
    if not sources:
        raise _unusable("spec.class", "there is no MirrorSourceConnector in the file; a flow needs one")
    return list(_joined(sources, connectors, findings))


def _joined(
    sources: Sequence[_Connector], connectors: Sequence[_Connector], findings: Findings
) -> Iterator[RawProperty]:
    aliases = dict.fromkeys(alias for source in sources for alias in source.aliases if alias)
    yield RawProperty(key=CLUSTERS.key, value=", ".join(aliases), line=sources[0].line)
    for source in sources:
        if "" in source.aliases:
            findings.error(source.at(_ALIASES[0]), "and target.cluster.alias must both be set")
            continue
        yield from _flow(source, findings)
        others = _companions(source, sources, connectors, findings)
        for other in others.values():
            yield from _companion(source, other, findings)
        yield from _heartbeats(source, others.get("heartbeat"), sources)
        yield _on_flow(source, EMIT_CHECKPOINTS.key, str("checkpoint" in others).lower(), source.line)


def _companions(
    source: _Connector, sources: Sequence[_Connector], connectors: Sequence[_Connector], findings: Findings
) -> Mapping[ConnectorKind, _Connector]:
    """The other connectors of a flow: those with its aliases, or with the same two in the other order where that is
    the file's only flow (the examples of the documentation have it so)."""
    found: dict[ConnectorKind, _Connector] = {}
    for connector in connectors:
        is_same = connector.aliases == source.aliases
        is_turned = len(sources) == 1 and set(connector.aliases) == set(source.aliases)
        if connector.kind == "source" or connector.kind in found:
            continue
        if is_same or is_turned or len(sources) == 1:
            found[connector.kind] = connector
            if not is_same:
                there, back = "->".join(source.aliases), "->".join(connector.aliases)
                findings.warning(
                    connector.at(_ALIASES[0]), f"is of {back}, the source connector is of {there}; taken as {there}"
                )
    return found


def _flow(source: _Connector, findings: Findings) -> Iterator[RawProperty]:
    yield _on_flow(source, ENABLED.key, "true", source.line)
    if source.tasks_max is not None:
        yield _on_flow(source, TASKS_MAX.key, *source.tasks_max)
    for key, (value, line) in source.config.items():
        prefix = next((known for known in _CLUSTER_PREFIXES if key.startswith(known)), None)
        if key in _ALIASES:
            continue
        if prefix is None:
            yield _on_flow(source, key, value, line)
            continue
        alias = source.aliases[_CLUSTER_PREFIXES.index(prefix)]
        yield RawProperty(key=f"{alias}.{key.removeprefix(prefix)}", value=value, line=line)


def _companion(source: _Connector, other: _Connector, findings: Findings) -> Iterator[RawProperty]:
    if other.kind == "heartbeat":
        _check_heartbeat(other, findings)
    for key, (value, line) in other.config.items():
        if key in _SHARED:
            _compare(source, other, key, findings)
        elif key not in source.config and not _is_client(key):
            yield _on_flow(source, key, value, line)


def _compare(source: _Connector, other: _Connector, key: str, findings: Findings) -> None:
    theirs, ours = other.config[key][0], source.config.get(key, ("", 0))[0]
    if theirs != ours:
        findings.warning(
            other.at(key), f"is {theirs!r}, the source connector has {ours!r}, which counts; all three must agree"
        )


def _heartbeats(
    source: _Connector, heartbeat: _Connector | None, sources: Sequence[_Connector]
) -> Iterator[RawProperty]:
    """The documentation has heartbeats written at the source, so that they come through the flow; here the pair back
    writes them there. Written at the target they are the flow's own, as MirrorMaker has them."""
    key = "target.cluster.bootstrap.servers"
    written = heartbeat.config.get(key, ("", 0))[0] if heartbeat is not None else ""
    is_at_source = bool(written) and written == source.config.get("source.cluster.bootstrap.servers", ("", 0))[0]
    is_own = heartbeat is not None and not is_at_source
    yield _on_flow(source, EMIT_HEARTBEATS.key, str(is_own).lower(), source.line)
    there, back = source.aliases
    if all(other.aliases != (back, there) for other in sources):
        value = str(is_at_source).lower()
        yield RawProperty(key=f"{back}->{there}.{EMIT_HEARTBEATS}", value=value, line=source.line)


def _check_heartbeat(heartbeat: _Connector, findings: Findings) -> None:
    if heartbeat.tasks_max is not None:
        prop = Property(key=f"{heartbeat.name}: tasksMax", value="", line=heartbeat.tasks_max[1])
        findings.note(prop, "is read, but has no effect: there is one heartbeat task")


def _is_client(key: str) -> bool:
    return key.startswith((*_CLUSTER_PREFIXES, "producer.", "consumer.", "admin.", "source.", "target."))


def _on_flow(source: _Connector, key: str, value: str, line: int) -> RawProperty:
    return RawProperty(key=f"{source.aliases[0]}->{source.aliases[1]}.{key}", value=value, line=line)


def _connector(node: yaml.Node, findings: Findings) -> _Connector | None:
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
    return _Connector(
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
