"""The operator dialect: KafkaConnector resources in YAML, the three MirrorMaker connectors of a flow joined into one.

The result is properties as an mm2 file holds them, so that one reader serves all dialects. A checkpoint or heartbeat
connector without a source connector becomes a flow that is not enabled.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from replication.config.files.findings import Findings
from replication.config.files.java_properties import RawProperty
from replication.config.files.operator_addresses import addresses, is_address, source_address, written_at
from replication.config.files.operator_resources import ALIASES, Connector, ConnectorKind, parse_connectors
from replication.config.flows.model import Property
from replication.config.settings.prefixes import find_key
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.consumer_groups import EMIT_CHECKPOINTS
from replication.domain.settings.registry.flow import (
    CLUSTERS,
    EMIT_HEARTBEATS,
    ENABLED,
    POLICY_CLASS,
    POLICY_SEPARATOR,
    TASKS_MAX,
)
from replication.domain.settings.registry.planning import HEARTBEATS_KEY
from replication.domain.settings.registry.topic_filters import TOPICS, TOPICS_EXCLUDE

_SHARED = (TOPICS.key, TOPICS_EXCLUDE.key, POLICY_CLASS.key, POLICY_SEPARATOR.key)
_CLIENTS = ("source.", "target.", "producer.", "consumer.", "admin.")
_KINDS: tuple[ConnectorKind, ...] = ("source", "checkpoint", "heartbeat")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flow:
    """The connectors of one flow; the lead is the source connector, or the first of the others without one."""

    lead: Connector
    others: Mapping[ConnectorKind, Connector]

    @property
    def id(self) -> FlowId:
        return FlowId(*self.lead.aliases)

    def of(self, kind: ConnectorKind) -> Connector | None:
        return self.lead if self.lead.kind == kind else self.others.get(kind)


def read_connectors(text: str, findings: Findings) -> list[RawProperty]:
    """Return the properties. Raises ConfigError for text that is not YAML or holds no connector of MirrorMaker."""
    connectors = parse_connectors(text, findings)
    return list(_joined(_flows(connectors, findings), findings))


def _flows(connectors: Sequence[Connector], findings: Findings) -> Sequence[_Flow]:
    sources = [connector for connector in connectors if connector.kind == "source"]
    flows = [_Flow(lead=source, others=_companions(source, sources, connectors, findings)) for source in sources]
    taken = {id(other) for flow in flows for other in flow.others.values()}
    alone: dict[tuple[str, str], dict[ConnectorKind, Connector]] = {}
    for connector in connectors:
        if connector.kind != "source" and id(connector) not in taken:
            alone.setdefault(connector.aliases, {}).setdefault(connector.kind, connector)
    for kinds in alone.values():
        lead, *others = (kinds[kind] for kind in _KINDS if kind in kinds)
        there = "->".join(lead.aliases)
        text = f"there is no MirrorSourceConnector of {there}: the flow is not enabled and copies no topics"
        findings.warning(lead.at("spec.class"), text)
        flows.append(_Flow(lead=lead, others={other.kind: other for other in others}))
    return flows


def _joined(flows: Sequence[_Flow], findings: Findings) -> Iterator[RawProperty]:
    aliases = dict.fromkeys(alias for flow in flows for alias in flow.lead.aliases if alias)
    yield RawProperty(key=CLUSTERS.key, value=", ".join(aliases), line=flows[0].lead.line)
    named = [flow for flow in flows if "" not in flow.lead.aliases]
    for flow in flows:
        if flow not in named:
            findings.error(flow.lead.at(ALIASES[0]), "and target.cluster.alias must both be set")
    for flow in named:
        lead = flow.lead
        yield _on(flow.id, ENABLED.key, str(lead.kind == "source").lower(), lead.line)
        yield from addresses(lead, findings)
        yield from _settings(flow)
        for other in flow.others.values():
            yield from _companion(flow, other, findings)
        has_checkpoints = flow.of("checkpoint") is not None
        yield _on(flow.id, EMIT_CHECKPOINTS.key, str(has_checkpoints).lower(), lead.line)
    yield from _heartbeats(named, findings)


def _companions(
    source: Connector, sources: Sequence[Connector], connectors: Sequence[Connector], findings: Findings
) -> Mapping[ConnectorKind, Connector]:
    """The other connectors of a flow: those with its aliases, or with the same two in the other order where that is
    the file's only flow (the examples of the documentation have it so)."""
    found: dict[ConnectorKind, Connector] = {}
    for connector in connectors:
        is_same = connector.aliases == source.aliases
        if connector.kind == "source" or connector.kind in found:
            continue
        if is_same or len(sources) == 1:
            found[connector.kind] = connector
            if not is_same:
                there, back = "->".join(source.aliases), "->".join(connector.aliases)
                findings.warning(
                    connector.at(ALIASES[0]), f"is of {back}, the source connector is of {there}; taken as {there}"
                )
    return found


def _settings(flow: _Flow) -> Iterator[RawProperty]:
    lead = flow.lead
    if lead.kind == "source" and lead.tasks_max is not None:
        yield _on(flow.id, TASKS_MAX.key, *lead.tasks_max)
    for key, (value, line) in lead.config.items():
        if key not in ALIASES and not is_address(key) and not _is_of_heartbeats(key):
            yield _on(flow.id, key, value, line)


def _companion(flow: _Flow, other: Connector, findings: Findings) -> Iterator[RawProperty]:
    for key, (value, line) in other.config.items():
        if key in _SHARED:
            _compare(flow.lead, other, key, findings)
        elif key not in flow.lead.config and not key.startswith(_CLIENTS) and not _is_of_heartbeats(key):
            yield _on(flow.id, key, value, line)


def _compare(lead: Connector, other: Connector, key: str, findings: Findings) -> None:
    theirs, ours = other.config[key][0], lead.config.get(key, ("", 0))[0]
    if theirs != ours:
        findings.warning(
            other.at(key), f"is {theirs!r}, the {lead.kind} connector has {ours!r}, which counts; all three must agree"
        )


def _heartbeats(flows: Sequence[_Flow], findings: Findings) -> Iterator[RawProperty]:
    """The documentation has heartbeats written at the source, so that they come through the flow; here the flow back
    writes them there, with the key of the flow. Written at the target they are the flow's own, as in MirrorMaker."""
    writers: dict[FlowId, tuple[_Flow, Connector, bool]] = {}
    for flow in flows:
        heartbeat = flow.of("heartbeat")
        if heartbeat is None:
            continue
        _check_heartbeat(heartbeat, findings)
        is_at_source = written_at(heartbeat) is not None and written_at(heartbeat) == source_address(flow.lead)
        writer = FlowId(flow.id.target, flow.id.source) if is_at_source else flow.id
        if writer in writers:
            text = f"writes to the same cluster as {writers[writer][1].name}, which counts"
            findings.warning(heartbeat.at(ALIASES[0]), text)
            continue
        writers[writer] = flow, heartbeat, is_at_source
    for writer, (flow, heartbeat, is_at_source) in writers.items():
        if is_at_source:
            yield _on(writer, HEARTBEATS_KEY.key, "opposite", heartbeat.line)
        for connector in (flow.lead, heartbeat):
            for key, (value, line) in connector.config.items():
                if _is_of_heartbeats(key):
                    yield _on(writer, key, value, line)
    pairs = dict.fromkeys(pair for flow in flows for pair in (flow.id, FlowId(flow.id.target, flow.id.source)))
    for pair in pairs:
        yield _on(pair, EMIT_HEARTBEATS.key, str(pair in writers).lower(), flows[0].lead.line)


def _is_of_heartbeats(key: str) -> bool:
    setting = find_key(key)
    return setting is not None and (setting.role == "heartbeat" or setting is EMIT_HEARTBEATS)


def _check_heartbeat(heartbeat: Connector, findings: Findings) -> None:
    if heartbeat.tasks_max is not None:
        prop = Property(key=f"{heartbeat.name}: tasksMax", value="", line=heartbeat.tasks_max[1])
        findings.note(prop, "is read, but has no effect: there is one heartbeat task")


def _on(flow: FlowId, key: str, value: str, line: int) -> RawProperty:
    return RawProperty(key=f"{flow}.{key}", value=value, line=line)
