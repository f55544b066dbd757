"""The answers of the read side; `None` always means unknown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from replication.domain.groups.group_summary import GroupCounts
from replication.domain.health.flow_facts import FlowStatus
from replication.domain.health.herder_status import herder_status
from replication.domain.health.partition_state import PartitionState
from replication.domain.reporting.histogram import Histogram
from srm_service.core.contracts import Partial
from srm_service.core.description import Description
from srm_service.flows.contracts import OrdersInForce


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """One metric over a window; `latest` is the live value where there is one."""

    unit: str
    latest: Annotated[float | None, "the live value of this second"] = None
    avg: float | None = None
    min: float | None = None
    max: float | None = None
    sum: float | None = None
    count: int | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveNumbers:
    """A flow's numbers of this second."""

    records_per_second: float | None = None
    bytes_per_second: float | None = None
    wire_bytes_per_second: float | None = None
    lag_offsets: int | None = None
    latency_p50_ms: float | None = None
    latency_p95_ms: float | None = None
    latency_p99_ms: float | None = None
    latency_max_ms: float | None = None
    heartbeat_age_ms: int | None = None
    open_gaps: int | None = None
    group_lag_offsets: int | None = None
    group_round_age_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowLimit:
    """The limit of a flow's speed; the code is for programs."""

    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowEstimate:
    """The times when a flow has caught up and when retention overtakes it; None is unknown, or never."""

    catch_up_ms: int | None = None
    time_to_loss_ms: int | None = None
    limit: FlowLimit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowNow:
    """A flow at this moment: status, counts, numbers, and how fresh they are.

    `service` is the address of the service that reports it; None is this one.
    """

    source: str
    target: str
    status: FlowStatus
    numbers: LiveNumbers = field(default_factory=LiveNumbers)
    estimate: FlowEstimate = field(default_factory=FlowEstimate)
    groups: GroupCounts | None = None
    topics: int | None = None
    partitions: int | None = None
    tasks_running: int = 0
    tasks_total: int = 0
    metrics_age_ms: int | None = None
    metrics_warning: str | None = None
    live_age_ms: int | None = None
    served_by: str | None = None
    service: str | None = None
    orders_in_force: OrdersInForce | None = None
    description: Description = field(default_factory=Description)

    @property
    def key(self) -> str:
        return f"{self.source}->{self.target}"

    @property
    def herder_status(self) -> int:
        return herder_status(self.status.status).value


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All flows at one moment."""

    as_of_ms: int
    flows: tuple[FlowNow, ...]
    partial: tuple[Partial, ...] = ()
    remote_latency: Mapping[str, Histogram] = field(default_factory=dict)  # of flows of other services, by key
    silent: frozenset[str] = frozenset()  # addresses of other services that do not answer now

    @property
    def own_flows(self) -> tuple[FlowNow, ...]:
        """The flows that this service reports itself."""
        return tuple(flow for flow in self.flows if flow.service is None)

    def find(self, source: str, target: str) -> FlowNow | None:
        return next((flow for flow in self.flows if (flow.source, flow.target) == (source, target)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicNow:
    """A topic of a flow at this moment."""

    topic: str
    remote_topic: str | None = None
    partitions: int | None = None
    state: Annotated[PartitionState | None, "the worst of its partitions"] = None
    records_per_second: float | None = None
    bytes_per_second: float | None = None
    lag_offsets: int | None = None
    latency_p50_ms: float | None = None
    latency_p95_ms: float | None = None
    latency_max_ms: float | None = None
    updated_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """One step of a series."""

    time_ms: int
    avg: float
    min: float
    max: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesAnswer:
    """A metric over time; a step without data is None. `details` has the same steps with sum and percentiles."""

    metric: str
    unit: str
    from_ms: int
    to_ms: int
    step_ms: int
    points: tuple[Point | None, ...]
    details: tuple[Statistics | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetSeries:
    """All flows together over time, by name; every name has one entry per step of [from_ms, to_ms)."""

    from_ms: int
    to_ms: int
    step_ms: int
    points: Mapping[str, tuple[Point | None, ...]]
    totals: Mapping[str, Statistics]  # over the whole range
