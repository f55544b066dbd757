"""Findings about the shape of an internal topic: its cleanup policy, its partitions, its replicas."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from replication.domain.names.internal_topic import InternalTopic
from replication.domain.plan.preflight import Client, FindingSeverity, PreflightFinding, policies_of
from replication.domain.plan.topic_config import ConfigChange, ConfigValue, alter_command, delete_command

CLEANUP_POLICY = "internal_topic_cleanup_policy"
PARTITIONS = "internal_topic_partitions"
MIN_ISR = "internal_topic_min_isr"
SHAPE_CODES = frozenset({CLEANUP_POLICY, PARTITIONS, MIN_ISR})
_POLICY_CONFIG, _MIN_ISR_CONFIG = "cleanup.policy", "min.insync.replicas"
JUDGED_CONFIGS = (_POLICY_CONFIG, _MIN_ISR_CONFIG)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTopic:
    """An internal topic as its cluster describes it; None and no configs are unknown."""

    name: str
    partitions: int | None
    replication_factor: int | None
    configs: Mapping[str, ConfigValue]


def may_lack_replicas(configs: Mapping[str, ConfigValue]) -> bool:
    """Return True if the judgement depends on the replication factor: one replica is always there."""
    return (_number(configs.get(_MIN_ISR_CONFIG)) or 0) > 1


def internal_topic_findings(client: Client, declared: InternalTopic, found: FoundTopic) -> Iterator[PreflightFinding]:
    """Yield an error for each difference that blocks the flow, and a warning for each that degrades it."""
    severity: FindingSeverity = "error" if declared.fault == "blocks" else "warning"
    for code, text, remedy in _differences(client, declared, found):
        yield PreflightFinding(
            severity=severity,
            code=code,
            text=f"cluster {client.cluster}: {found.name} has {text}",
            remedy=remedy,
            cluster=client.cluster,
        )


def _differences(client: Client, declared: InternalTopic, found: FoundTopic) -> Iterator[tuple[str, str, str]]:
    """Yield code, difference and remedy."""
    policies, wanted = policies_of(found.configs), declared.cleanup_policy
    if policies and policies != {wanted}:
        change = ConfigChange(topic=found.name, set={_POLICY_CONFIG: wanted})
        text = f"cleanup.policy={','.join(sorted(policies))} instead of {wanted}: {declared.risk}"
        yield CLEANUP_POLICY, text, f"set it: {alter_command(client.servers, change)}"
    if declared.risk_of_partitions and found.partitions is not None and found.partitions > 1:
        text = f"{found.partitions} partitions instead of 1: {declared.risk_of_partitions}"
        yield PARTITIONS, text, f"delete it, the flow creates it again: {delete_command(client.servers, found.name)}"
    needed = _number(found.configs.get(_MIN_ISR_CONFIG))
    if needed is not None and found.replication_factor is not None and found.replication_factor < needed:
        change = ConfigChange(topic=found.name, set={_MIN_ISR_CONFIG: str(found.replication_factor)})
        text = (
            f"replication factor {found.replication_factor} and {_MIN_ISR_CONFIG}={needed}: the brokers refuse every "
            "write to it"
        )
        yield MIN_ISR, text, f"add replicas, or lower the config: {alter_command(client.servers, change)}"


def _number(config: ConfigValue | None) -> int | None:
    value = None if config is None else config.value
    return int(value) if value is not None and value.isdecimal() else None
