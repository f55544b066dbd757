"""The data types in which other apps see flows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

from replication.domain.desired.desired_flow import PolicyChoice
from replication.domain.names.replication_policy import PolicyKind
from replication.domain.offsets.start_position import StartAt
from replication.domain.settings.choices import Delivery
from srm_service.core.description import Description

OutcomeWord = Literal["waiting", "applied", "refused", "overtaken", "expired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDto:
    """The desired state of a flow, as needed for its status and for lists.

    `is_reported`: its target is one of the targets of this service.
    """

    source: str
    target: str
    enabled: bool
    heartbeats: bool
    state: str
    pause_reason: str
    pause_by: str
    state_since_ms: int | None
    pause_until_ms: int | None
    tasks_max: int
    delivery: str
    allows_topics: bool
    policy_separator: str
    throttle_bytes_per_second: int | None = None
    throttle_until_ms: int | None = None
    is_reported: bool = True
    description: Description = field(default_factory=Description)

    @property
    def key(self) -> str:
        return f"{self.source}->{self.target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdersInForce:
    """Orders in force that slow or stop the copying of a running flow. Partitions of a counted topic do not count."""

    text: Annotated[str, "all of them in words, such as: Throttled to 1 kB/s, 2 topics paused"]
    throttle_bytes_per_second: Annotated[int | None, "of the whole flow; null: no order"] = None
    throttled_topics: int = 0
    throttled_partitions: int = 0
    paused_topics: int = 0
    paused_partitions: int = 0
    stopped_topics: int = 0
    stopped_partitions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSettings:
    """The settings of a flow that its form shows; `problem` says why they cannot be used."""

    source: str
    target: str
    enabled: bool
    heartbeats: bool
    tasks_max: int
    delivery: str
    policy: PolicyChoice
    topics_allow: tuple[str, ...]
    topics_deny: tuple[str, ...]
    groups_allow: tuple[str, ...]
    groups_deny: tuple[str, ...]
    start: StartAt
    gap_policy: str
    problem: str
    description: Description
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRules:
    """The settings of a flow that an audit needs to compare both sides."""

    policy_kind: PolicyKind
    policy_separator: str
    policy_template: str
    delivery: Delivery
    source_settings: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldDto:
    """A topic or partition that is not read; partition None is the whole topic."""

    id: int
    topic: str
    partition: int | None
    until_ms: int | None
    reason: str
    held_by: str
    since_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderScope:
    """The part of a flow that an order is for: a task, a topic or one of its partitions; the whole flow if empty."""

    topic: str = ""
    partition: int | None = None
    task: int | None = None

    @property
    def text(self) -> str:
        """The part in words; empty for the whole flow."""
        if self.task is not None:
            return f"task {self.task}"
        return self.topic if self.partition is None else f"partition {self.partition} of {self.topic}"


WHOLE_FLOW = OrderScope()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOnDriver:
    """A task that applied an order, and its driver at that time."""

    task: str
    driver: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDto:
    """An order; `revision` is None until a desired document that contains it is published."""

    id: int
    source: str
    target: str
    event: Annotated[str, "such as flow.pause"]
    topic: Annotated[str, "empty: no topic"]
    partition: int | None
    task: Annotated[int | None, "number of the source task; null: not for one task"]
    reason: str
    detail: Annotated[str, "the value that was ordered, e.g. the throttle"]
    until_ms: Annotated[int | None, "when it ends automatically; null: never"]
    ordered_by: str
    ordered_ms: int
    revision: int | None
    outcome: Annotated[
        OutcomeWord,
        "recorded within seconds: waiting; applied; refused, because a driver cannot use the flow's definition; "
        "overtaken by a later order; expired before it was applied",
    ]
    refusal: Annotated[str, "why it is refused; empty: it is not"]
    ended_ms: Annotated[int | None, "when the outcome was recorded; null: waiting, or given by an older release"]
    applied_by: tuple[TaskOnDriver, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StopDto:
    """A topic or partition that no task has; partition None is the whole topic."""

    id: int
    topic: str
    partition: int | None
    until_ms: int | None
    reason: str
    stopped_by: str
    since_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleDto:
    """A topic or partition with a throttle; partition None is the whole topic."""

    id: int
    topic: str
    partition: int | None
    bytes_per_second: Annotated[int, "shared by tasks by the number of the topic's partitions that they have"]
    until_ms: int | None
    reason: str
    throttled_by: str
    since_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetDto:
    """The reset of one partition; `to` in its REST form (reset_position.py)."""

    id: str
    topic: str
    partition: int
    to: str | Mapping[str, int]
    state: str  # "requested" | "done" | "overtaken"
    requested_by: str
    requested_ms: int
    ended_ms: int | None
