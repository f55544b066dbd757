"""The facts about a replication flow at one moment, from which its status follows (`flow_status`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

FlowStatusWord = Literal[
    "disabled", "paused", "idle", "unknown", "failed", "interrupted", "starting", "degraded", "healthy"
]
FLOW_STATUS_WORDS: tuple[FlowStatusWord, ...] = get_args(FlowStatusWord)
CLUSTER_UNREACHABLE = "cluster_unreachable"  # the cause codes by which tasks report this
RETENTION_NEAR = "retention_near"
RECORDS_WAIT = "records_wait"
LOOP_FROZEN = "loop_frozen"  # derived from the age of the numbers in a report
TOPIC_HELD_BACK = "topic_held_back"  # derived from the topics that the plan skips
AUDIT_DIFFERENCE = "audit_difference"  # reported by the service, not by a task
TaskState = Literal["starting", "running", "stopping", "failed", "unassigned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusCause:
    """The first failure, and its place."""

    code: str
    text: str
    topic: str | None = None
    partition: int | None = None
    since_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFact:
    """One task as its owner reported it; only reports that are fresh belong here."""

    state: TaskState
    since_ms: int
    cause: StatusCause | None = None
    partition_states: Mapping[str, int] = field(default_factory=dict)
    open_gaps: int = 0
    driver: str = ""
    records_per_second: float = 0.0
    frozen_ms: int = 0  # how old the numbers were when the report was sent: the copying loop does not run


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFact:
    """The connector's report. A cluster is reachable, not reachable, or (None) not tried yet."""

    task: TaskFact
    topics: int
    tasks: int
    checkpoint_tasks: int = 0
    groups_problem: StatusCause | None = None  # why consumer groups could not be listed
    source_reachable: bool | None = None
    target_reachable: bool | None = None
    wrong_topics: tuple[StatusCause, ...] = ()  # internal topics whose shape degrades the flow
    held_back: StatusCause | None = None  # the first topic that is selected and cannot be copied


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Beyond these a running flow is degraded; None switches one off."""

    metrics_stale_ms: int = 60_000
    metrics_grace_ms: int = 180_000  # after a start, before missing metrics count
    heartbeat_age_ms: int | None = 60_000
    frozen_ms: int = 5_000  # of a loop that measures once a second
    resume_grace_ms: int = 15_000  # after a resume, before missing reports count
    unplanned_grace_ms: int = 30_000  # after a start, before a missing planner or heartbeat task counts
    lag_offsets: int | None = None
    latency_p95_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFacts:
    """All that is known about a flow at one moment; None always means unknown."""

    source: str
    target: str
    enabled: bool
    paused: bool = False
    stopped: bool = False
    pause_reason: str = ""
    pause_by: str = ""
    pause_since_ms: int | None = None
    pause_until_ms: int | None = None
    resumed_ms: int | None = None  # when a pause or stop ended, if there was one
    allows_topics: bool = True
    plan: PlanFact | None = None
    wants_heartbeats: bool = False
    has_heartbeat_task: bool = False
    source_tasks: tuple[TaskFact, ...] = ()
    checkpoint_tasks: tuple[TaskFact, ...] = ()
    metrics_age_ms: int | None = None
    metrics_warning: str | None = None  # an executor that keeps the metrics of the target from arriving
    metric_states: Mapping[str, int] = field(default_factory=dict)  # partition states as the metrics store has them
    heartbeat_age_ms: int | None = None
    lag_offsets: int | None = None
    latency_p95_ms: float | None = None
    audit_difference: StatusCause | None = None  # what an audit found and no later one took back
    live_problem: str = ""  # why there is no live state, where that is known


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStatus:
    """The answer; `cause` is None exactly when nothing is wrong or nothing more is known than the reason says."""

    status: FlowStatusWord
    reason: str
    cause: StatusCause | None = None
    since_ms: int | None = None
