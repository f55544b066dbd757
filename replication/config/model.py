"""What a property file says, resolved: clusters, flows, and everything worth telling its author."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from replication.domain.naming import PolicyKind
from replication.domain.slot import Delivery, GapPolicy

Severity = Literal["error", "warning", "note"]
Level = Literal["default", "global", "workers", "connectors", "cluster", "flow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One remark about a key; `message` ends with the remedy where there is one."""

    severity: Severity
    key: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line is not None else ""
        return f"{place}{self.key}: {self.message}"


class ConfigError(Exception):
    """The file cannot be used. Holds all errors at once, so that one run tells everything."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("\n".join(str(finding) for finding in findings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One line of the file, unescaped, its `${provider:...}` expressions resolved."""

    key: str
    value: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """A setting with the level that won and the properties it beat, strongest first."""

    name: str
    value: str
    level: Level
    origin: Property | None  # None: our default
    beaten: tuple[Property, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDefinition:
    """How to reach a cluster. `secrets` are the client keys to be kept encrypted."""

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDefinition:
    """How remote topics are named."""

    kind: PolicyKind = "default"
    separator: str = "."
    template: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDefinition:
    """One replication flow with its effective settings; `connectors` holds the rest under MM2 names."""

    source: str
    target: str
    enabled: bool
    heartbeats: bool
    tasks_max: int = 1
    delivery: Delivery = "at_least_once"
    policy: PolicyDefinition = PolicyDefinition()
    topics_allow: tuple[str, ...] = ()
    topics_deny: tuple[str, ...] = ()
    groups_allow: tuple[str, ...] = ()
    groups_deny: tuple[str, ...] = ()
    start: Literal["earliest", "latest"] | int = "earliest"  # an int is a timestamp in ms
    gap_policy: GapPolicy = "record_and_continue"
    connectors: dict[str, dict[str, str]] = field(default_factory=dict)
    effective: Mapping[str, Effective] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationConfig:
    """A whole file. `findings` holds warnings and notes; errors would have raised `ConfigError`."""

    clusters: tuple[ClusterDefinition, ...]
    flows: tuple[FlowDefinition, ...]
    findings: tuple[Finding, ...] = ()
