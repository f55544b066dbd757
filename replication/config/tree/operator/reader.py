"""Reads KafkaConnector resources: the three MirrorMaker connectors of a flow become the properties of one flow.

A checkpoint or heartbeat connector without a source connector becomes a flow that is not enabled.
"""

from collections.abc import Iterator, Mapping, Sequence

from replication.config.files.findings import Findings
from replication.config.settings.prefixes import BOOTSTRAP, CLUSTER_PREFIXES, find_key
from replication.config.tree.formats.collecting import Collector
from replication.config.tree.operator.addresses import ranked
from replication.config.tree.operator.flows import ConnectorFlow, heartbeat_writer, join
from replication.config.tree.operator.resource_keys import (
    ALIASES,
    DERIVED,
    MIRRORMAKER2,
    NAME,
    RESOURCE,
    SHARED,
    generated_name,
    holders,
    is_heartbeats_key,
    is_of,
    own,
)
from replication.config.tree.operator.texts import TASKS_MAX, Connector, Text
from replication.config.tree.properties import PropertyPlace, TreeProperty
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.consumer_groups import EMIT_CHECKPOINTS
from replication.domain.settings.registry.flow import CLUSTERS, EMIT_HEARTBEATS, ENABLED
from replication.domain.settings.registry.flow import TASKS_MAX as TASKS
from replication.domain.settings.registry.planning import HEARTBEATS_KEY

_Named = tuple[str, Text]


def read_flows(connectors: Sequence[Connector], *, name: str, findings: Findings) -> tuple[TreeProperty, ...]:
    """Return the properties of all flows; `name` is the file's name."""
    flows = join(connectors, findings)
    if not flows:
        return ()
    collector = Collector(name, findings)
    aliases = dict.fromkeys(alias for flow in flows for alias in flow.lead.aliases)
    clusters = PropertyPlace(level="global", name=CLUSTERS.key)
    collector.add(clusters, ", ".join(aliases), line=flows[0].lead.line)
    writers = _writers(flows, findings)
    for flow in flows:
        for part, text in _of_flow(flow, writers, findings):
            collector.add(_on(flow.id, part), text.value, line=text.line, comment=text.comment)
    for writer, part, text in _heartbeats(flows, writers):
        collector.add(_on(writer, part), text.value, line=text.line, comment=text.comment)
    return collector.properties()


def _on(flow: FlowId, name: str) -> PropertyPlace:
    return PropertyPlace(level="flow", source=flow.source, target=flow.target, name=name)


def _of_flow(flow: ConnectorFlow, writers: Mapping[FlowId, ConnectorFlow], findings: Findings) -> Iterator[_Named]:
    lead = flow.lead
    has_writer = any(flow is each for each in writers.values())
    _report_addresses(lead, findings)
    is_enabled = Text(value=str(lead.kind == "source").lower(), line=lead.line)
    yield ENABLED.key, (lead.config.get(ENABLED.key) if lead.kind == "source" else None) or is_enabled
    yield from ((f"{MIRRORMAKER2}{part}", text) for part, text in flow.mirror.items())
    yield from _parts(lead, flow)
    yield from _lead(flow, writers, has_writer)
    for other in flow.others.values():
        yield from _parts(other, flow)
        yield from _companion(flow, other, has_writer, findings)
    checkpoint = flow.of("checkpoint")
    has_checkpoints = Text(value=str(checkpoint is not None).lower(), line=lead.line)
    given = None if checkpoint is None else checkpoint.config.get(EMIT_CHECKPOINTS.key)
    yield EMIT_CHECKPOINTS.key, given or has_checkpoints


def _lead(flow: ConnectorFlow, writers: Mapping[FlowId, ConnectorFlow], has_writer: bool) -> Iterator[_Named]:
    """Yield the config of the lead; keys that follow from resources or are for other connectors stay its own."""
    lead = flow.lead
    is_tasks = lead.kind == "source" and TASKS_MAX not in lead.parts
    if is_tasks and TASKS.key in lead.config:
        yield TASKS.key, lead.config[TASKS.key]
    for key, text in lead.config.items():
        is_known = key in ALIASES or _is_derived_of(lead, key) or (is_tasks and key == TASKS.key)
        if is_known or _is_of_writer(lead, key, has_writer):
            continue
        is_own = key.startswith(RESOURCE) or key in DERIVED or (key == TASKS.key and lead.kind == "source")
        is_own = is_own or (is_heartbeats_key(key) and flow.id in writers)
        is_plain = not is_own and is_of(key, lead.kind, flow.kinds, lead.kind)
        yield (key if is_plain else own(lead.kind, f"config.{key}")), text


def _parts(connector: Connector, flow: ConnectorFlow) -> Iterator[_Named]:
    """Yield the parts of a resource beside its config, its name first and its number of tasks last."""
    generated = Text(value=generated_name(flow.id, connector.kind), line=connector.line)
    parts = {NAME: generated, **connector.parts}
    order = (NAME, "apiVersion", "metadata.", "spec.")
    for part in sorted(parts, key=lambda each: next(at for at, name in enumerate(order) if each.startswith(name))):
        if part != TASKS_MAX:
            yield own(connector.kind, part), parts[part]
    if TASKS_MAX in parts:
        is_plain = connector.kind == "source" and connector is flow.lead
        yield TASKS.key if is_plain else own(connector.kind, TASKS_MAX), parts[TASKS_MAX]


def _companion(flow: ConnectorFlow, other: Connector, has_writer: bool, findings: Findings) -> Iterator[_Named]:
    for key, text in other.config.items():
        if key in ALIASES or _is_derived_of(other, key) or _is_of_writer(other, key, has_writer):
            continue
        leads = flow.lead.value(key)
        is_shared = is_of(key, other.kind, flow.kinds, flow.lead.kind) and key not in DERIVED
        if key in SHARED and leads != text.value:
            lead = f"the {flow.lead.kind} connector has {leads or ''!r}, which counts"
            findings.warning(other.at(key), f"is {text.value!r}, {lead}; all three must agree")
        if is_shared and leads == text.value and not text.comment:
            continue
        is_plain = is_shared and leads is None and not is_of(key, flow.lead.kind, flow.kinds, flow.lead.kind)
        if not is_plain and find_key(key) is not None and flow.lead.kind in holders(key) and key not in SHARED:
            findings.note(other.at(key), f"has no effect: it is a key of the {flow.lead.kind} connector")
        yield (key if is_plain and not key.startswith(RESOURCE) else own(other.kind, f"config.{key}")), text


def _is_derived_of(connector: Connector, key: str) -> bool:
    """Return whether a key says in its own connector what also follows from the resource."""
    return (connector.kind, key) in (
        ("source", ENABLED.key),
        ("checkpoint", EMIT_CHECKPOINTS.key),
    )


def _is_of_writer(connector: Connector, key: str, has_writer: bool) -> bool:
    """Return whether a key is a setting of the flow that writes the heartbeats."""
    is_setting = key == EMIT_HEARTBEATS.key or (key != HEARTBEATS_KEY.key and is_heartbeats_key(key))
    return has_writer and connector.kind == "heartbeat" and is_setting


def _writers(flows: Sequence[ConnectorFlow], findings: Findings) -> dict[FlowId, ConnectorFlow]:
    """Return the flow whose heartbeat connector writes for a flow; the first of two counts."""
    writers: dict[FlowId, ConnectorFlow] = {}
    for flow in flows:
        heartbeat = flow.of("heartbeat")
        if heartbeat is None:
            continue
        if TASKS_MAX in heartbeat.parts:
            tasks = heartbeat.at(TASKS_MAX)
            findings.note(
                type(tasks)(key=f"{heartbeat.name}: tasksMax", value=tasks.value, line=tasks.line),
                "is read, but has no effect: there is one heartbeat task",
            )
        writer = heartbeat_writer(flow)
        if writer in writers:
            first = writers[writer].of("heartbeat")
            name = "another" if first is None else first.name
            findings.warning(heartbeat.at(ALIASES[0]), f"writes to the same cluster as {name}, which counts")
        else:
            writers[writer] = flow
    return writers


def _heartbeats(
    flows: Sequence[ConnectorFlow], writers: dict[FlowId, ConnectorFlow]
) -> Iterator[tuple[FlowId, str, Text]]:
    """The documentation has heartbeats written at the source, so that they come through the flow; here the flow back
    writes them there, with the key of the flow. Written at the target they are the flow's own, as in MirrorMaker."""
    given: dict[FlowId, Text] = {}
    for writer, flow in writers.items():
        heartbeat = flow.of("heartbeat")
        if heartbeat is None:
            continue
        if writer != flow.id:
            yield writer, HEARTBEATS_KEY.key, Text(value="opposite", line=heartbeat.line)
        for key, text in heartbeat.config.items():
            if key == EMIT_HEARTBEATS.key:
                given[writer] = text
            elif _is_of_writer(heartbeat, key, True):
                yield writer, key, text
    for pair in dict.fromkeys(pair for flow in flows for pair in (flow.id, FlowId(flow.id.target, flow.id.source))):
        derived = Text(value=str(pair in writers).lower(), line=flows[0].lead.line)
        yield pair, EMIT_HEARTBEATS.key, given.get(pair, derived)


def _report_addresses(lead: Connector, findings: Findings) -> None:
    """Report the addresses that others beat, and one that is missing."""
    sides = [ranked(lead.config, "source"), ranked(lead.config, "target")]
    for keys in sides:
        for winner, *beaten in keys.values():
            for key in beaten:
                if lead.value(key) != lead.value(winner):
                    text = f"is not used: {winner} counts, because all clients reach a cluster in one way"
                    findings.warning(lead.at(key), text)
    for mine, other, alias, prefix in zip(
        sides, reversed(sides), reversed(lead.aliases), CLUSTER_PREFIXES, strict=True
    ):
        if lead.kind == "heartbeat" and BOOTSTRAP not in mine and BOOTSTRAP in other:
            text = f"is missing; the address of {alias} is taken, correct it before the flow is enabled"
            findings.warning(lead.at(f"{prefix}{BOOTSTRAP}"), text)
