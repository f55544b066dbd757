"""The specification of a source task slot: its partitions, clusters and rules."""

from dataclasses import dataclass, field, replace
from typing import Literal

from replication.domain.assignment.retries import RetryPolicy
from replication.domain.control.orders import Hold, Reset, RestartOrder, TopicThrottle
from replication.domain.control.throttle import Throttle
from replication.domain.identifiers import FlowId, TaskId, TopicPartition, transactional_id
from replication.domain.offsets.start_position import StartAt
from replication.domain.plan.topic_join import TopicJoin
from replication.domain.rejected_records.error_policy import ErrorHandling
from replication.domain.settings.choices import DEFAULT_DELIVERY, Delivery, GapPolicy, IsolationLevel, TargetPolicy
from replication.domain.settings.fetch_limits import FetchLimits
from replication.domain.settings.record_settings import RecordSettings
from replication.domain.settings.registry.clients import ISOLATION_LEVEL
from replication.domain.settings.registry.flow import GAP_POLICY, START, TARGET_POLICY
from replication.domain.settings.registry.records import OFFSET_LAG_MAX, OFFSET_SYNCS, TRANSACTION_INTERVAL

TimestampType = Literal["CreateTime", "LogAppendTime"]
RejectionRules = tuple[ErrorHandling, int]  # what decides if a partition stops at a record or batch
LOGIN_PREFIXES = ("sasl.", "ssl.")  # of the client settings that running slots change by connecting again


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterClient:
    """The address of a cluster: bootstrap servers and client settings under Java's key names, secrets merged in."""

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str] = field(default_factory=dict, repr=False)

    def is_same_but_login(self, other: "ClusterClient") -> bool:
        """Return whether both reach the cluster in the same way; user, password and certificates may differ."""
        return self._without_login() == other._without_login()

    def _without_login(self) -> "ClusterClient":
        client = {key: value for key, value in self.client.items() if not key.startswith(LOGIN_PREFIXES)}
        return replace(self, client=client)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPartition:
    """One source partition of a slot and where its records go."""

    upstream: TopicPartition
    remote_topic: str
    topic_id: bytes  # of the source topic; 16 zero bytes where the source has none
    max_message_bytes: int = 1_048_588  # of the remote topic
    timestamp_type: TimestampType = "CreateTime"  # of the remote topic
    joined: TopicJoin | None = None  # of the topic; None in plans that older releases began
    since_layout: int = 0  # in which the partition came to its slot; another slot may have it until it has that layout


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotSpec:
    """Everything a source task needs to copy its partitions; immutable, replaced as a whole when the plan changes."""

    flow: FlowId
    slot: int
    generation: int
    plan_version: int
    source: ClusterClient
    target: ClusterClient
    partitions: tuple[PlannedPartition, ...]
    offset_syncs_topic: str
    layout: int = 0  # of the plan: how often partitions have moved between slots in this generation
    slots: int = 1  # of the plan
    moved_away: tuple[tuple[TopicPartition, int], ...] = ()  # from this slot, and to which one
    slots_without_generation: int = 0  # earlier releases may run as many under ids that name no generation
    offset_syncs_on_target: bool = False
    delivery: Delivery = DEFAULT_DELIVERY
    isolation_level: IsolationLevel = ISOLATION_LEVEL.default
    gap_policy: GapPolicy = GAP_POLICY.default
    target_policy: TargetPolicy = TARGET_POLICY.default
    start: StartAt = START.default
    start_offsets: tuple[tuple[TopicPartition, int], ...] = ()  # `start` is for all others
    holds: tuple[Hold, ...] = ()
    resets: tuple[Reset, ...] = ()
    restarts: tuple[RestartOrder, ...] = ()
    throttle: Throttle = field(default_factory=Throttle)
    topic_throttles: tuple[TopicThrottle, ...] = ()  # the slot's shares
    records: RecordSettings = field(default_factory=RecordSettings)
    offset_lag_max: int = OFFSET_LAG_MAX.default
    writes_offset_syncs: bool = OFFSET_SYNCS.default
    fetch_limits: FetchLimits = field(default_factory=FetchLimits)
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    commit_interval_ms: int = 1_000
    transaction_interval_ms: int = TRANSACTION_INTERVAL.default  # exactly once: how long a transaction takes records
    errors: ErrorHandling = field(default_factory=ErrorHandling)
    metrics_period_ms: int = 5_000

    @property
    def transactional_id(self) -> str:
        return transactional_id(self.flow, self.slot, self.generation)

    @property
    def rejection_rules(self) -> RejectionRules:
        return self.errors, self.records.max_unpacked_bytes

    @property
    def task_id(self) -> TaskId:
        return TaskId(self.flow.source, "source", self.slot)
