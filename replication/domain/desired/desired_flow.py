"""The values of the desired document: clusters, flows, and what a person asked of a flow."""

from dataclasses import dataclass, field
from typing import Literal

from replication.domain.control.orders import Hold, Reset, ResetTo, ToOffset, ToTimestamp
from replication.domain.names.replication_policy import DEFAULT_POLICY, PolicyKind
from replication.domain.offsets.start_position import StartAt as Start
from replication.domain.settings.choices import DEFAULT_DELIVERY, Delivery, GapPolicy
from replication.domain.settings.registry.flow import GAP_POLICY, POLICY_SEPARATOR, START, TASKS_MAX

__all__ = [
    "ConnectorSettings",
    "DesiredCluster",
    "DesiredFlow",
    "FlowState",
    "Hold",
    "NamePatterns",
    "Pause",
    "PolicyChoice",
    "Reset",
    "ResetTo",
    "Start",
    "ToOffset",
    "ToTimestamp",
]

FlowState = Literal["run", "pause", "stop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesiredCluster:
    """The address and client settings of a cluster; `secret` holds the secret ones, sealed with the transport keys."""

    bootstrap: tuple[str, ...]
    client: dict[str, str] = field(default_factory=dict)
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePatterns:
    """Allow and deny lists of regular expressions in Java's syntax; deny wins."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChoice:
    """The replication policy that names the remote topics."""

    kind: PolicyKind = DEFAULT_POLICY
    separator: str = POLICY_SEPARATOR.default
    template: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Why a person paused the flow, and when the pause ends automatically (never, when until_ms is None)."""

    reason: str
    by: str
    until_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorSettings:
    """Settings of the flow's connectors under their MirrorMaker 2 names."""

    source: dict[str, str] = field(default_factory=dict)
    checkpoint: dict[str, str] = field(default_factory=dict)
    heartbeat: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesiredFlow:
    """One replication flow into the document's target. `enabled=False` leaves at most its heartbeats."""

    source: str
    enabled: bool = True
    heartbeats: bool = True
    state: FlowState = "run"
    pause: Pause | None = None
    generation: int = 0
    tasks_max: int = TASKS_MAX.default
    delivery: Delivery = DEFAULT_DELIVERY
    policy: PolicyChoice = field(default_factory=PolicyChoice)
    topics: NamePatterns = field(default_factory=NamePatterns)
    groups: NamePatterns = field(default_factory=NamePatterns)
    reverse_topics: NamePatterns = field(default_factory=NamePatterns)  # whose groups' progress is translated back
    control_offset: int | None = None  # the last record of the flow's control topic that topics and groups contain
    start: Start = START.default
    gap_policy: GapPolicy = GAP_POLICY.default
    throttle_bytes_per_second: int | None = None
    holds: tuple[Hold, ...] = ()
    resets: tuple[Reset, ...] = ()
    connectors: ConnectorSettings = field(default_factory=ConnectorSettings)

    def copies(self, now_ms: int) -> bool:
        """True when records are to be copied now: enabled, and running or paused until a time already over."""
        pause_is_over = (
            self.state == "pause"
            and self.pause is not None
            and self.pause.until_ms is not None
            and self.pause.until_ms <= now_ms
        )
        return self.enabled and (self.state == "run" or pause_is_over)
