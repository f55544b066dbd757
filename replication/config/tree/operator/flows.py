"""Joins the connectors of a file into flows: a source connector with its companions, or companions without one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from replication.config.files.findings import Findings
from replication.config.flows.clusters import is_alias
from replication.config.settings.prefixes import BOOTSTRAP
from replication.config.tree.operator.addresses import RANKED
from replication.config.tree.operator.resource_keys import ALIASES, KINDS, ConnectorKind
from replication.config.tree.operator.texts import Connector, Text
from replication.domain.identifiers import FlowId

_WRITES = tuple(f"{prefix}{BOOTSTRAP}" for prefix in RANKED["target"])


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorFlow:
    """The connectors of one flow; the lead is the source connector, or the first of the others without one."""

    lead: Connector
    others: Mapping[ConnectorKind, Connector]

    @property
    def id(self) -> FlowId:
        return FlowId(*self.lead.aliases)

    @property
    def kinds(self) -> frozenset[ConnectorKind]:
        return frozenset({self.lead.kind, *self.others})

    @property
    def mirror(self) -> Mapping[str, Text]:
        """The parts of the KafkaMirrorMaker2 resource of the flow; none if it has KafkaConnector resources only."""
        return next((each.mirror for each in (self.lead, *self.others.values()) if each.mirror), {})

    def of(self, kind: ConnectorKind) -> Connector | None:
        return self.lead if self.lead.kind == kind else self.others.get(kind)


def join(connectors: Sequence[Connector], findings: Findings) -> list[ConnectorFlow]:
    """Return the flows with both aliases in the order of the file; connectors that cannot be told apart are errors."""
    named = []
    for connector in connectors:
        wrong = next((alias for alias in connector.aliases if not is_alias(alias)), None)
        if "" in connector.aliases:
            findings.error(connector.at(ALIASES[0]), f"and {ALIASES[1]} must both be set")
        elif wrong is not None:
            text = f"alias {wrong!r} may hold letters, digits, '.', '_' and '-' only"
            findings.error(connector.at(ALIASES[connector.aliases.index(wrong)]), text)
        else:
            named.append(connector)
    sources = _different([each for each in named if each.kind == "source"], findings)
    others = [each for each in named if each.kind != "source"]
    flows = [ConnectorFlow(lead=source, others=_companions(source, sources, others, findings)) for source in sources]
    taken = {id(other) for flow in flows for other in flow.others.values()}
    flows += _alone([each for each in others if id(each) not in taken], flows, findings)
    order = {id(connector): at for at, connector in enumerate(connectors)}
    return sorted(flows, key=lambda flow: order[id(flow.lead)])


def heartbeat_writer(flow: ConnectorFlow) -> FlowId:
    """Return the flow that writes the heartbeats: those at the source are written by the flow back."""
    heartbeat = flow.of("heartbeat")
    written = None if heartbeat is None else _first(heartbeat, _WRITES)
    source = _first(flow.lead, tuple(f"{prefix}{BOOTSTRAP}" for prefix in RANKED["source"]))
    return FlowId(flow.id.target, flow.id.source) if written is not None and written == source else flow.id


def _first(connector: Connector, keys: Sequence[str]) -> str | None:
    return next((connector.value(key) for key in keys if key in connector.config), None)


def _different(connectors: Sequence[Connector], findings: Findings) -> list[Connector]:
    """Return one connector for each flow and kind; a second one is an error."""
    found: dict[tuple[ConnectorKind, tuple[str, str]], Connector] = {}
    for connector in connectors:
        first = found.setdefault((connector.kind, connector.aliases), connector)
        if first is not connector:
            flow = "->".join(connector.aliases)
            text = f"{first.name} is a {connector.kind} connector of {flow} too; join them into one"
            findings.error(connector.at("spec.class"), text)
    return list(found.values())


def _companions(
    source: Connector, sources: Sequence[Connector], others: Sequence[Connector], findings: Findings
) -> Mapping[ConnectorKind, Connector]:
    """Return the other connectors of a flow: those with its aliases, or with the same two in the other order.

    The examples of the documentation have the other order. It counts if the flow is the only one of the file, and not
    for mirrors of a KafkaMirrorMaker2.
    """
    found: dict[ConnectorKind, Connector] = {}
    for connector in sorted(others, key=lambda each: each.aliases != source.aliases):
        is_same = connector.aliases == source.aliases
        if connector.kind in found or not (is_same or (len(sources) == 1 and not connector.mirror)):
            continue
        found[connector.kind] = connector
        if not is_same:
            there, back = "->".join(source.aliases), "->".join(connector.aliases)
            text = f"is of {back}, the source connector is of {there}; taken as {there}"
            findings.warning(connector.at(ALIASES[0]), text)
    return {kind: found[kind] for kind in KINDS if kind in found}


def _alone(connectors: Sequence[Connector], flows: Sequence[ConnectorFlow], findings: Findings) -> list[ConnectorFlow]:
    """Return flows without a source connector."""
    known = {(kind, flow.lead.aliases) for flow in flows for kind in flow.others}
    alone: dict[tuple[str, str], dict[ConnectorKind, Connector]] = {}
    for connector in _different(connectors, findings):
        if (connector.kind, connector.aliases) in known:
            text = f"there are two {connector.kind} connectors of {'->'.join(connector.aliases)}; join them into one"
            findings.error(connector.at("spec.class"), text)
        else:
            alone.setdefault(connector.aliases, {})[connector.kind] = connector
    found = []
    for kinds in alone.values():
        lead, *others = (kinds[kind] for kind in KINDS if kind in kinds)
        flow = "->".join(lead.aliases)
        text = f"there is no MirrorSourceConnector of {flow}: the flow is not enabled and copies no topics"
        findings.warning(lead.at("spec.class"), text)
        found.append(ConnectorFlow(lead=lead, others={other.kind: other for other in others}))
    return found
