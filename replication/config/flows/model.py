"""The content of a configuration file, resolved: clusters, flows, and findings for the author of the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from replication.domain.desired.desired_flow import PolicyChoice
from replication.domain.offsets.start_position import StartAt
from replication.domain.plan.preflight import FindingSeverity
from replication.domain.settings.choices import DEFAULT_DELIVERY, Delivery, GapPolicy
from replication.domain.settings.registry.flow import GAP_POLICY, START, TASKS_MAX
from replication.domain.settings.registry.manager import ADVERTISEMENT_FACTOR

Level = Literal["default", "global", "workers", "connectors", "cluster", "flow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFinding:
    """One remark about a key; `message` ends with the remedy where there is one."""

    severity: FindingSeverity
    key: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line is not None else ""
        return f"{place}{self.key}: {self.message}"


class ConfigError(Exception):
    """The file cannot be used. Holds all errors, so that one run reports every one."""

    def __init__(self, findings: tuple[ConfigFinding, ...]) -> None:
        self.findings = findings
        super().__init__("\n".join(str(finding) for finding in findings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One property, unescaped, its `${provider:...}` expressions resolved; `line` is None outside files."""

    key: str
    value: str
    line: int | None
    is_external: bool = False  # a part of the value came from a file or a variable, so it may be a secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Beaten:
    """A property whose value lost, with its level."""

    level: Level
    origin: Property

    @property
    def key(self) -> str:
        return self.origin.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """A setting with the level that won and the properties it beat, strongest first."""

    name: str
    value: str
    level: Level
    origin: Property | None  # None: our default
    beaten: tuple[Beaten, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDefinition:
    """The address and client settings of a cluster. `secrets` are the client keys to be kept encrypted."""

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDefinition:
    """One replication flow with its effective settings; `connectors` holds the rest under MM2 names."""

    source: str
    target: str
    enabled: bool
    heartbeats: bool
    tasks_max: int = TASKS_MAX.default
    delivery: Delivery = DEFAULT_DELIVERY
    policy: PolicyChoice = field(default_factory=PolicyChoice)
    topics_allow: tuple[str, ...] = ()
    topics_deny: tuple[str, ...] = ()
    groups_allow: tuple[str, ...] = ()
    groups_deny: tuple[str, ...] = ()
    start: StartAt = START.default
    gap_policy: GapPolicy = GAP_POLICY.default
    connectors: dict[str, dict[str, str]] = field(default_factory=dict)
    effective: Mapping[str, Effective] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagerSettings:
    """The targets into which this system copies, and those that its service reports; empty means all.

    `remote_targets` are those that other services report.
    """

    driver_targets: tuple[str, ...] = ()
    service_targets: tuple[str, ...] = ()
    remote_targets: tuple[str, ...] = ()
    advertisement_factor: int = ADVERTISEMENT_FACTOR.default


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationConfig:
    """A whole file. `findings` holds warnings and notes; errors would have raised `ConfigError`."""

    clusters: tuple[ClusterDefinition, ...]
    flows: tuple[FlowDefinition, ...]
    findings: tuple[ConfigFinding, ...] = ()
    manager: ManagerSettings = field(default_factory=ManagerSettings)
