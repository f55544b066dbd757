"""Flow definitions out of the levels."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import get_args

from replication.config.client_keys import engine_keys
from replication.config.dialects import KAFKA4_TOPICS_EXCLUDE, Dialect
from replication.config.findings import Findings
from replication.config.keys import KEYS, KeySpec, find_key
from replication.config.levels import Levels
from replication.config.model import Effective, FlowDefinition, PolicyDefinition
from replication.config.policies import (
    POLICY_KEY,
    RULE_KEY,
    flow_policy,
    internal_topics,
    java_policy,
    refusal,
)
from replication.config.record_keys import read_record_keys
from replication.config.resolve import Resolver
from replication.domain.audit_schedule import AUDIT_SCHEDULE, read_audit_schedule
from replication.domain.compression import read_compression
from replication.domain.desired_flow import PolicyChoice
from replication.domain.error_handling import ERROR_SETTINGS, read_error_handling
from replication.domain.errors import InvalidPolicyError
from replication.domain.filters import split_list
from replication.domain.identifiers import FlowId
from replication.domain.naming import PolicyKind, policy_for
from replication.domain.record_settings import (
    COMPRESSION,
    LINGER,
    LOOP_PROTECTION,
    REBATCHING,
    read_linger,
    read_loop_choice,
    read_rebatching,
)
from replication.domain.slot import Delivery, GapPolicy
from replication.domain.start_position import StartAt, parse_start, parse_start_offsets
from replication.domain.throttle import parse_rate, parse_schedule
from replication.domain.transaction_interval import TRANSACTION_INTERVALS, transaction_interval_ms


def _read_one(read: Callable[[Mapping[str, str]], object], name: str, value: str) -> object:
    return read({name: value})


_DELIVERY_FORMS: dict[str, Callable[[Mapping[str, str]], object]] = {
    **dict.fromkeys(TRANSACTION_INTERVALS, transaction_interval_ms),
    **dict.fromkeys(ERROR_SETTINGS, lambda settings: read_error_handling(settings, "")),
}
_FORMS: dict[str, Callable[[str], object]] = {
    "srm.start.offsets": parse_start_offsets,
    "srm.throttle.rate": parse_rate,
    "srm.throttle.schedule": parse_schedule,
    AUDIT_SCHEDULE: read_audit_schedule,
    COMPRESSION: read_compression,
    REBATCHING: read_rebatching,
    LINGER: read_linger,
    LOOP_PROTECTION: read_loop_choice,
    **{name: partial(_read_one, read, name) for name, read in _DELIVERY_FORMS.items()},
}


def read_flows(levels: Levels, dialect: Dialect, findings: Findings) -> tuple[FlowDefinition, ...]:
    """Every ordered pair that is enabled or has heartbeats (MirrorMakerConfig.clusterPairs)."""
    pairs = [FlowId(source, target) for source in levels.aliases for target in levels.aliases if source != target]
    flows = [_read_flow(pair, levels, dialect, findings) for pair in pairs]
    if flows and not any(flow.enabled for flow in flows):
        example = f"{pairs[0]}.enabled = true"
        findings.warning("clusters", f"no flow is enabled, only heartbeats are written; add for example {example}")
    _tell_circles(flows, levels, findings)
    return tuple(flow for flow in flows if flow.enabled or flow.heartbeats)


def _tell_circles(flows: Sequence[FlowDefinition], levels: Levels, findings: Findings) -> None:
    """Two flows that keep names and go both ways copy their copies, unless loop protection tells them apart."""
    unguarded = {
        (flow.source, flow.target)
        for flow in flows
        if flow.enabled and flow.policy.kind == "identity" and flow.connectors["source"].get(LOOP_PROTECTION) == "off"
    }
    for source, target in sorted(unguarded):
        if source < target and (target, source) in unguarded:
            there, back = FlowId(source, target), FlowId(target, source)
            origin = levels.flow(there).get(LOOP_PROTECTION) or levels.top.get(LOOP_PROTECTION)
            findings.error(
                origin or f"{there}.{LOOP_PROTECTION}",
                f"{there} and {back} keep topic names and are not protected: records would go in circles; set auto",
            )


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
        topics_deny=split_list(resolver.text(_spec("topics.exclude"), _topics_exclude(resolver, dialect))),
        groups_allow=split_list(resolver.text(_spec("groups"), dialect.groups)),
        groups_deny=split_list(resolver.text(_spec("groups.exclude"), dialect.groups_exclude)),
        start=_start(resolver, findings),
        gap_policy=_gap_policy(resolver, findings),
        connectors=_connectors(resolver, delivery, dialect, findings),
        effective=dict(resolver.effective),
    )


def _spec(name: str) -> KeySpec:
    spec = find_key(name)
    if spec is None:
        raise KeyError(name)
    return spec


def _topics_exclude(resolver: Resolver, dialect: Dialect) -> str:
    """Kafka 4's default is narrower, as its rule for internal topics is."""
    rule = resolver.given(_spec(RULE_KEY))
    return KAFKA4_TOPICS_EXCLUDE if rule is not None and rule.value == "kafka4" else dialect.topics_exclude


def _delivery(resolver: Resolver, findings: Findings) -> Delivery:
    found = resolver.given(_spec("exactly.once.source.support"))
    if found is None or found.value == "disabled":
        return "at_least_once"
    if found.value == "enabled":
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
        known = java_policy(name.value)
        if known is None and name.origin is not None:
            findings.error(name.origin, refusal(name.value))
        kind = known or "default"
    definition = PolicyDefinition(kind=kind, separator=separator, template=template.value if template else None)
    try:
        policy_for(kind, separator=separator, template=definition.template, source=pair.source, target=pair.target)
    except InvalidPolicyError as error:
        origin = template or resolver.given(_spec("replication.policy.separator"))
        findings.error(origin.origin if origin and origin.origin else str(pair), error.text)
    return definition


def _start(resolver: Resolver, findings: Findings) -> StartAt:
    given = resolver.given(_spec("srm.start"))
    if given is not None:
        try:
            return parse_start(given.value)
        except ValueError as error:
            findings.error(given.origin or str(given.name), str(error))
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


def _connectors(
    resolver: Resolver, delivery: Delivery, dialect: Dialect, findings: Findings
) -> dict[str, dict[str, str]]:
    """What the file says for each connector; the rest is left to the connectors' defaults."""
    connectors: dict[str, dict[str, str]] = {"source": {}, "checkpoint": {}, "heartbeat": {}}
    if dialect.syncs_groups:
        groups = resolver.boolean(_spec("sync.group.offsets.enabled"), default=True)
        connectors["checkpoint"]["sync.group.offsets.enabled"] = str(groups).lower()
    for spec in KEYS:
        is_connectors = spec.role in ("source", "checkpoint", "heartbeat")
        if is_connectors or (spec.role == "worker" and spec.effect in ("topic creation", "planning")):
            found = resolver.given(spec)
            if found is not None:
                _check_form(found, findings)
                connectors[spec.role if spec.role in connectors else "source"][spec.name] = found.value
    for key in engine_keys("consumer"):
        setting = resolver.consumer_setting(key.name)
        if setting is not None and key.name != "auto.offset.reset":
            connectors["source"][f"consumer.{key.name}"] = setting.value
    if delivery == "exactly_once":
        connectors["source"]["consumer.isolation.level"] = "read_committed"
    connectors["source"] |= read_record_keys(resolver, findings)
    _check_custom_policy(resolver, connectors["source"], findings)
    return connectors


def _check_custom_policy(resolver: Resolver, settings: Mapping[str, str], findings: Findings) -> None:
    """A policy of somebody's own, and the rule for internal topics, are tried once while the line is known."""
    try:
        flow_policy(PolicyChoice(), settings, "source", "target")
        internal_topics(PolicyChoice(), settings)
    except InvalidPolicyError as error:
        key = RULE_KEY if error.text.startswith(RULE_KEY) else POLICY_KEY
        found = resolver.given(_spec(key))
        findings.error(found.origin if found is not None and found.origin is not None else key, error.text)


def _check_form(found: Effective, findings: Findings) -> None:
    """Settings with a form of their own are read once here, so that a slip is told with its line."""
    parse = _FORMS.get(found.name)
    if parse is None:
        return
    try:
        parse(found.value)
    except ValueError as error:
        findings.error(found.origin or found.name, str(error))
