"""Flow definitions out of the levels."""

from collections.abc import Mapping, Sequence

from replication.config.files.dialects import KAFKA4_DEFAULTS, Dialect
from replication.config.files.findings import Findings
from replication.config.files.levels import Levels
from replication.config.flows.model import FlowDefinition
from replication.config.flows.policies import flow_policy, java_policy, refusal
from replication.config.settings.record_keys import read_record_keys
from replication.config.settings.resolve import Resolver
from replication.domain.desired.desired_flow import PolicyChoice
from replication.domain.errors import InvalidPolicyError
from replication.domain.identifiers import FlowId
from replication.domain.names.replication_policy import DEFAULT_POLICY, PolicyKind, policy_for
from replication.domain.offsets.start_position import StartAt
from replication.domain.settings.choices import Delivery
from replication.domain.settings.delivery import delivery_of, required_isolation
from replication.domain.settings.registry.all_settings import SETTINGS
from replication.domain.settings.registry.clients import AUTO_OFFSET_RESET, ISOLATION_LEVEL
from replication.domain.settings.registry.consumer_groups import GROUPS, GROUPS_EXCLUDE, SYNC_GROUP_OFFSETS
from replication.domain.settings.registry.flow import (
    CLUSTERS,
    EMIT_HEARTBEATS,
    ENABLED,
    EXACTLY_ONCE,
    GAP_POLICY,
    POLICY_CLASS,
    POLICY_SEPARATOR,
    POLICY_TEMPLATE,
    START,
    TASKS_MAX,
)
from replication.domain.settings.registry.planning import CUSTOM_POLICY
from replication.domain.settings.registry.records import LOOP_PROTECTION
from replication.domain.settings.registry.topic_filters import INTERNAL_TOPICS_RULE, TOPICS, TOPICS_EXCLUDE
from replication.domain.settings.setting import Setting
from replication.domain.settings.setting_error import SettingError
from replication.domain.settings.value_types import shown


def read_flows(levels: Levels, dialect: Dialect, findings: Findings) -> tuple[FlowDefinition, ...]:
    """Return every ordered pair that is enabled or has heartbeats (MirrorMakerConfig.clusterPairs)."""
    pairs = [FlowId(source, target) for source in levels.aliases for target in levels.aliases if source != target]
    flows = [_read_flow(pair, levels, dialect, findings) for pair in pairs]
    if flows and not any(flow.enabled for flow in flows):
        example = f"{pairs[0]}.{ENABLED} = true"
        findings.warning(CLUSTERS.key, f"no flow is enabled, only heartbeats are written; add for example {example}")
    _report_cycles(flows, levels, findings)
    return tuple(flow for flow in flows if flow.enabled or flow.heartbeats or _is_kept(flow, levels, dialect))


def _is_kept(flow: FlowDefinition, levels: Levels, dialect: Dialect) -> bool:
    return dialect.keeps_disabled and ENABLED.key in levels.flow(FlowId(flow.source, flow.target))


def _report_cycles(flows: Sequence[FlowDefinition], levels: Levels, findings: Findings) -> None:
    """Two flows that keep names and go both ways copy their copies, unless loop protection tells them apart."""
    unguarded = {
        (flow.source, flow.target)
        for flow in flows
        if flow.enabled and flow.policy.kind == "identity" and _is_unprotected(flow.connectors["source"])
    }
    for source, target in sorted(unguarded):
        if source < target and (target, source) in unguarded:
            there, back = FlowId(source, target), FlowId(target, source)
            origin = levels.flow(there).get(LOOP_PROTECTION.key) or levels.top.get(LOOP_PROTECTION.key)
            findings.error(
                origin or f"{there}.{LOOP_PROTECTION}",
                f"{there} and {back} keep topic names and are not protected: records would go in circles; set auto",
            )


def _is_unprotected(settings: Mapping[str, str]) -> bool:
    try:
        return LOOP_PROTECTION.read(settings) == "off"
    except SettingError:  # has been reported
        return False


def _read_flow(pair: FlowId, levels: Levels, dialect: Dialect, findings: Findings) -> FlowDefinition:
    resolver = Resolver(levels, pair, findings, dialect.defaults)
    delivery = delivery_of(resolver.read(EXACTLY_ONCE))
    return FlowDefinition(
        source=pair.source,
        target=pair.target,
        enabled=resolver.read(ENABLED),
        heartbeats=resolver.read(EMIT_HEARTBEATS),
        tasks_max=resolver.read(TASKS_MAX),
        delivery=delivery,
        policy=_policy(pair, resolver, findings),
        topics_allow=resolver.read(TOPICS),
        topics_deny=resolver.read(TOPICS_EXCLUDE, _kafka4_defaults(resolver)),
        groups_allow=resolver.read(GROUPS),
        groups_deny=resolver.read(GROUPS_EXCLUDE),
        start=_start(resolver),
        gap_policy=resolver.read(GAP_POLICY),
        connectors=_connectors(resolver, delivery, dialect, findings),
        effective=dict(resolver.effective),
    )


def _kafka4_defaults(resolver: Resolver) -> dict[str, str]:
    return KAFKA4_DEFAULTS if resolver.read(INTERNAL_TOPICS_RULE) == "kafka4" else {}


def _policy(pair: FlowId, resolver: Resolver, findings: Findings) -> PolicyChoice:
    separator, template = resolver.read(POLICY_SEPARATOR), resolver.read(POLICY_TEMPLATE)
    kind: PolicyKind = DEFAULT_POLICY
    if template is not None:
        kind = "template"
    elif (name := resolver.given(POLICY_CLASS)) is not None:
        known = java_policy(name.value)
        if known is None:
            findings.error(name.origin or name.name, refusal(name.value))
        kind = known or DEFAULT_POLICY
    try:
        policy_for(kind, separator=separator, template=template, source=pair.source, target=pair.target)
    except InvalidPolicyError as error:
        origin = resolver.given(POLICY_SEPARATOR if template is None else POLICY_TEMPLATE)
        findings.error(origin.origin if origin and origin.origin else str(pair), error.text)
    return PolicyChoice(kind=kind, separator=separator, template=template)


def _start(resolver: Resolver) -> StartAt:
    """Our setting, else the consumer's."""
    return resolver.read(AUTO_OFFSET_RESET) if resolver.given(START) is None else resolver.read(START)


def _connectors(
    resolver: Resolver, delivery: Delivery, dialect: Dialect, findings: Findings
) -> dict[str, dict[str, str]]:
    """Return the settings that the file has for each connector; absent ones take their defaults where they are read."""
    connectors: dict[str, dict[str, str]] = {"source": {}, "checkpoint": {}, "heartbeat": {}}
    if SYNC_GROUP_OFFSETS.key in dialect.defaults:
        connectors["checkpoint"][SYNC_GROUP_OFFSETS.key] = shown(resolver.read(SYNC_GROUP_OFFSETS))
    for setting in filter(_is_of_connectors, SETTINGS):
        found = resolver.given(setting)
        if found is not None:
            connectors[setting.role if setting.role in connectors else "source"][setting.key] = found.value
    isolation = required_isolation(delivery)
    if isolation is not None:
        connectors["source"][ISOLATION_LEVEL.key] = isolation
    connectors["source"] |= read_record_keys(resolver, findings)
    _check_custom_policy(resolver, connectors["source"], findings)
    return connectors


def _is_of_connectors(setting: Setting[object]) -> bool:
    """The flow's own settings are fields of it; its start is one of them, by either name."""
    is_workers = setting.role == "worker" and setting.effect in ("topic creation", "planning", "drivers")
    is_consumers = setting.role == "consumer" and setting.key != AUTO_OFFSET_RESET.key
    return setting.role in ("source", "checkpoint", "heartbeat") or is_workers or is_consumers


def _check_custom_policy(resolver: Resolver, settings: Mapping[str, str], findings: Findings) -> None:
    """Try a custom policy once while its line is known."""
    try:
        flow_policy(PolicyChoice(), settings, "source", "target")
    except InvalidPolicyError as error:
        found = resolver.given(CUSTOM_POLICY)
        findings.error(
            found.origin if found is not None and found.origin is not None else CUSTOM_POLICY.key, error.text
        )
