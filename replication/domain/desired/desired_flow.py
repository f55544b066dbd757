"""The values of the desired document: clusters, flows, and what a person asked of a flow."""

from dataclasses import dataclass, field
from typing import Literal

from replication.domain.control.orders import (
    Hold,
    Reset,
    ResetTo,
    RestartOrder,
    Stop,
    ToOffset,
    TopicThrottle,
    ToTimestamp,
)
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
    "RestartOrder",
    "Start",
    "Stop",
    "ToOffset",
    "ToTimestamp",
    "TopicThrottle",
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
    """The reason of a pause or stop by a person, and when that ends automatically (never, when until_ms is None)."""

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
    throttle_until_ms: int | None = None
    topic_throttles: tuple[TopicThrottle, ...] = ()
    holds: tuple[Hold, ...] = ()
    stops: tuple[Stop, ...] = ()
    resets: tuple[Reset, ...] = ()
    restarts: tuple[RestartOrder, ...] = ()
    connectors: ConnectorSettings = field(default_factory=ConnectorSettings)

    def state_at(self, now_ms: int) -> FlowState:
        """Return the state that is in force: a pause or stop whose time is over has ended."""
        until_ms = None if self.pause is None else self.pause.until_ms
        return "run" if until_ms is not None and until_ms <= now_ms else self.state

    def copies(self, now_ms: int) -> bool:
        """Return True if records are to be copied now: enabled, and neither paused nor stopped."""
        return self.enabled and self.state_at(now_ms) == "run"

    def beats(self, now_ms: int) -> bool:
        """Return True if heartbeats are to be sent now: a paused or disabled flow has them, a stopped one has not."""
        return self.heartbeats and self.state_at(now_ms) != "stop"

    def stops_at(self, now_ms: int) -> tuple[Stop, ...]:
        """Return the stops of topics that are in force."""
        return tuple(stop for stop in self.stops if stop.is_in_force(now_ms)) if self.stops else ()
