"""What a source task slot is told to do: its partitions, clusters and rules."""

from dataclasses import dataclass, field
from typing import Literal

from replication.domain.control import Hold, Reset
from replication.domain.error_handling import ErrorHandling
from replication.domain.fetch_limits import FetchLimits
from replication.domain.identifiers import FlowId, TaskId, TopicPartition
from replication.domain.record_settings import RecordSettings
from replication.domain.start_position import StartAt
from replication.domain.throttle import Throttle

Delivery = Literal["at_least_once", "exactly_once"]
IsolationLevel = Literal["read_uncommitted", "read_committed"]
GapPolicy = Literal["stop", "record_and_continue", "restart_generation"]
TimestampType = Literal["CreateTime", "LogAppendTime"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterClient:
    """How to reach a cluster: bootstrap servers and client settings under Java's key names, secrets merged in."""

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPartition:
    """One source partition of a slot and where its records go."""

    upstream: TopicPartition
    remote_topic: str
    topic_id: bytes  # of the source topic; 16 zero bytes where the source has none
    max_message_bytes: int = 1_048_588  # of the remote topic
    timestamp_type: TimestampType = "CreateTime"  # of the remote topic


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
    retired_slots: range = range(0)  # of older generations and not used any more: fenced before this one starts
    offset_syncs_on_target: bool = False
    delivery: Delivery = "at_least_once"
    isolation_level: IsolationLevel = "read_uncommitted"
    gap_policy: GapPolicy = "record_and_continue"
    start: StartAt = "earliest"
    start_offsets: tuple[tuple[TopicPartition, int], ...] = ()  # `start` is for all others
    holds: tuple[Hold, ...] = ()
    resets: tuple[Reset, ...] = ()
    throttle: Throttle = field(default_factory=Throttle)
    records: RecordSettings = field(default_factory=RecordSettings)
    registers_producer: bool = False  # flows from the target may have to know its batches
    offset_lag_max: int = 100
    writes_offset_syncs: bool = True
    fetch_limits: FetchLimits = field(default_factory=FetchLimits)
    commit_interval_ms: int = 1_000
    transaction_interval_ms: int = 200  # exactly once: how long a transaction takes records
    errors: ErrorHandling = field(default_factory=ErrorHandling)
    metrics_period_ms: int = 5_000

    @property
    def keeps_names(self) -> bool:
        """Whether a copy has its original's name, so that only its producer tells the two apart."""
        return any(planned.upstream.topic == planned.remote_topic for planned in self.partitions)

    @property
    def task_id(self) -> TaskId:
        return TaskId(self.flow.source, "source", self.slot)
