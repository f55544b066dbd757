"""What a source task slot is told to do: its partitions, clusters and rules."""

from dataclasses import dataclass, field
from typing import Literal

from replication.domain.identifiers import FlowId, TaskId, TopicPartition

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
    start: Literal["earliest", "latest"] | int = "earliest"  # an int is a timestamp in ms
    offset_lag_max: int = 100
    commit_interval_ms: int = 1_000
    metrics_period_ms: int = 5_000

    @property
    def task_id(self) -> TaskId:
        return TaskId(self.flow.source, "source", self.slot)
