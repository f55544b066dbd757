"""Flow definitions out of the levels."""

from typing import Literal, get_args

from replication.config.dialects import Dialect
from replication.config.findings import Findings
from replication.config.keys import KEYS, KeySpec, find_key
from replication.config.levels import Levels
from replication.config.model import FlowDefinition, PolicyDefinition
from replication.config.resolve import Resolver
from replication.domain.errors import InvalidPolicyError
from replication.domain.filters import split_list
from replication.domain.identifiers import FlowId
from replication.domain.naming import PolicyKind, policy_for
from replication.domain.slot import Delivery, GapPolicy

_POLICY_CLASSES: dict[str, PolicyKind] = {
    "DefaultReplicationPolicy": "default",
    "IdentityReplicationPolicy": "identity",
}
_POLICY_PACKAGE = "org.apache.kafka.connect.mirror."


def read_flows(levels: Levels, dialect: Dialect, findings: Findings) -> tuple[FlowDefinition, ...]:
    """Every ordered pair that is enabled or has heartbeats (MirrorMakerConfig.clusterPairs)."""
    pairs = [FlowId(source, target) for source in levels.aliases for target in levels.aliases if source != target]
    flows = [_read_flow(pair, levels, dialect, findings) for pair in pairs]
    if flows and not any(flow.enabled for flow in flows):
        example = f"{pairs[0]}.enabled = true"
        findings.warning("clusters", f"no flow is enabled, only heartbeats are written; add for example {example}")
    return tuple(flow for flow in flows if flow.enabled or flow.heartbeats)


def _read_flow(pair: FlowId, levels: Levels, dialect: Dialect, findings: Findings) -> FlowDefinition:
    resolver = Resolver(levels, pair)
    delivery = _delivery(resolver, findings)
    return FlowDefinition(
        source=pair.source,
        target=pair.target,
        enabled=resolver.boolean(_spec("enabled"), default=False),
        heartbeats=resolver.boolean(_spec("emit.heartbeats.enabled"), default=True),
        tasks_max=resolver.count(_spec("tasks.max"), default=1),
        delivery=delivery,
        policy=_policy(pair, resolver, findings),
        topics_allow=split_list(resolver.text(_spec("topics"), dialect.topics)),
        topics_deny=split_list(resolver.text(_spec("topics.exclude"), dialect.topics_exclude)),
        groups_allow=split_list(resolver.text(_spec("groups"), dialect.groups)),
        groups_deny=split_list(resolver.text(_spec("groups.exclude"), dialect.groups_exclude)),
        start=_start(resolver),
        gap_policy=_gap_policy(resolver, findings),
        connectors=_connectors(resolver, delivery),
        effective=dict(resolver.effective),
    )


def _spec(name: str) -> KeySpec:
    spec = find_key(name)
    if spec is None:
        raise KeyError(name)
    return spec


def _delivery(resolver: Resolver, findings: Findings) -> Delivery:
    found = resolver.given(_spec("exactly.once.source.support"))
    if found is None or found.value == "disabled":
        return "at_least_once"
    if found.value == "enabled":
        if found.origin is not None:
            findings.warning(
                found.origin,
                "exactly-once delivery is not available yet; flows to this cluster do not start until it is disabled",
            )
        return "exactly_once"
    if found.value == "preparing":
        return "at_least_once"
    if found.origin is not None:
        findings.error(found.origin, f"must be enabled, preparing or disabled, not {found.value!r}")
    return "at_least_once"


def _policy(pair: FlowId, resolver: Resolver, findings: Findings) -> PolicyDefinition:
    separator = resolver.text(_spec("replication.policy.separator"), ".")
    template = resolver.given(_spec("srm.replication.policy.template"))
    name = resolver.given(_spec("replication.policy.class"))
    kind: PolicyKind = "default"
    if template is not None:
        kind = "template"
    elif name is not None:
        known = _POLICY_CLASSES.get(name.value.removeprefix(_POLICY_PACKAGE))
        if known is None and name.origin is not None:
            findings.error(
                name.origin,
                f"the class {name.value} cannot be loaded here; use DefaultReplicationPolicy, "
                "IdentityReplicationPolicy or srm.replication.policy.template",
            )
        kind = known or "default"
    definition = PolicyDefinition(kind=kind, separator=separator, template=template.value if template else None)
    try:
        policy_for(kind, separator=separator, template=definition.template, source=pair.source, target=pair.target)
    except InvalidPolicyError as error:
        origin = template or resolver.given(_spec("replication.policy.separator"))
        findings.error(origin.origin if origin and origin.origin else str(pair), error.text)
    return definition


def _start(resolver: Resolver) -> Literal["earliest", "latest"]:
    found = resolver.consumer_setting("auto.offset.reset")
    return "latest" if found is not None and found.value == "latest" else "earliest"


def _gap_policy(resolver: Resolver, findings: Findings) -> GapPolicy:
    found = resolver.given(_spec("srm.gap.policy"))
    if found is None:
        return "record_and_continue"
    known: GapPolicy | None = next((policy for policy in get_args(GapPolicy) if policy == found.value), None)
    if known is None and found.origin is not None:
        findings.error(found.origin, f"must be one of {', '.join(get_args(GapPolicy))}, not {found.value!r}")
    return known or "record_and_continue"


def _connectors(resolver: Resolver, delivery: Delivery) -> dict[str, dict[str, str]]:
    """What the file says for each connector; the rest is left to the connectors' defaults."""
    connectors: dict[str, dict[str, str]] = {"source": {}, "checkpoint": {}, "heartbeat": {}}
    for spec in KEYS:
        if spec.role in ("source", "checkpoint", "heartbeat") or spec.effect == "topic creation":
            found = resolver.given(spec)
            if found is not None:
                connectors[spec.role if spec.role in connectors else "source"][spec.name] = found.value
    isolation = resolver.consumer_setting("isolation.level")
    if delivery == "exactly_once":
        connectors["source"]["consumer.isolation.level"] = "read_committed"
    elif isolation is not None:
        connectors["source"]["consumer.isolation.level"] = isolation.value
    return connectors
