"""The values of the desired document: clusters, flows, and what a person asked of a flow."""

from dataclasses import dataclass, field
from typing import Literal

from replication.domain.control import Hold, Reset, ResetTo, ToOffset, ToTimestamp
from replication.domain.slot import Delivery, GapPolicy
from replication.domain.start_position import StartAt as Start

__all__ = [
    "ConnectorSettings",
    "DesiredCluster",
    "DesiredFlow",
    "FlowState",
    "Hold",
    "NamePatterns",
    "Pause",
    "PolicyChoice",
    "PolicyKind",
    "Reset",
    "ResetTo",
    "Start",
    "ToOffset",
    "ToTimestamp",
]

FlowState = Literal["run", "pause", "stop"]
PolicyKind = Literal["default", "identity", "template"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesiredCluster:
    """How to reach a cluster; `secret` is sealed with the transport keys and holds the client keys not to be shown."""

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
    """Which replication policy names the remote topics."""

    kind: PolicyKind = "default"
    separator: str = "."
    template: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Why a person paused the flow, and when the pause ends by itself (never, when until_ms is None)."""

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
    tasks_max: int = 1
    delivery: Delivery = "at_least_once"
    policy: PolicyChoice = field(default_factory=PolicyChoice)
    topics: NamePatterns = field(default_factory=NamePatterns)
    groups: NamePatterns = field(default_factory=NamePatterns)
    start: Start = "earliest"
    gap_policy: GapPolicy = "record_and_continue"
    throttle_bytes_per_second: int | None = None
    holds: tuple[Hold, ...] = ()
    resets: tuple[Reset, ...] = ()
    connectors: ConnectorSettings = field(default_factory=ConnectorSettings)

    def copies(self, now_ms: int) -> bool:
        """Whether records are to be copied now: enabled, and running or paused only until a time already over."""
        pause_is_over = (
            self.state == "pause"
            and self.pause is not None
            and self.pause.until_ms is not None
            and self.pause.until_ms <= now_ms
        )
        return self.enabled and (self.state == "run" or pause_is_over)
