"""What other apps get to know about flows."""

from dataclasses import dataclass


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
