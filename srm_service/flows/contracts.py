"""What other apps get to know about flows."""

from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.naming import PolicyKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDto:
    """The wanted side of a flow, as far as status and lists need it."""

    source: str
    target: str
    enabled: bool
    heartbeats: bool
    state: str
    pause_reason: str
    pause_by: str
    pause_since_ms: int | None
    pause_until_ms: int | None
    tasks_max: int
    delivery: str
    allows_topics: bool
    policy_separator: str

    @property
    def key(self) -> str:
        return f"{self.source}->{self.target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRules:
    """How a flow copies, as far as a comparison of both sides has to know it."""

    policy_kind: PolicyKind
    policy_separator: str
    policy_template: str
    reads_committed: bool
    source_settings: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldDto:
    """What a person keeps from being read; partition None = the whole topic."""

    id: int
    topic: str
    partition: int | None
    until_ms: int | None
    reason: str
    held_by: str
    since_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetDto:
    """One partition's order to go on elsewhere; `to` as REST writes it (places.py)."""

    id: str
    topic: str
    partition: int
    to: str | Mapping[str, int]
    state: str  # "requested" | "done" | "overtaken"
    requested_by: str
    requested_ms: int
    ended_ms: int | None
