"""Clusters and flows as a graph. Both directions between two clusters are edges of their own."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from replication.domain.groups.group_summary import GroupCounts
from replication.domain.health.flow_facts import FlowStatusWord
from srm_service.clusters.contracts import ClusterDto
from srm_service.core.contracts import Partial
from srm_service.monitoring.contracts import FlowNow, Overview


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyNode:
    """A cluster, and the sums over the flows that write to it and read from it; null is unknown."""

    alias: str
    flows_in: int
    flows_out: int
    records_per_second_in: float | None
    records_per_second_out: float | None
    bytes_per_second_in: float | None
    bytes_per_second_out: float | None
    lag_offsets_in: Annotated[int | None, "of all flows into the cluster; null if that of one is unknown"]
    by_status: Annotated[dict[str, int], "its flows by status, in both directions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyEdge:
    """A flow: one direction between two clusters, with its own status and numbers."""

    key: str
    source: str
    target: str
    status: FlowStatusWord
    reason: str
    since_ms: int | None
    is_bidirectional: Annotated[bool, "a flow in the other direction exists"]
    topics: int | None
    partitions: int | None
    groups: Annotated[int | None, "consumer groups of the flow"]
    records_per_second: float | None
    bytes_per_second: float | None
    lag_offsets: int | None
    latency_p95_ms: float | None
    catch_up_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """All clusters and flows at one moment, or the neighbours of one cluster."""

    as_of_ms: int
    nodes: tuple[TopologyNode, ...]
    edges: tuple[TopologyEdge, ...]
    partial: tuple[Partial, ...] = ()


def topology_of(now: Overview, clusters: Iterable[ClusterDto], *, around: str = "") -> Topology:
    """Return the graph; `around` keeps the flows of one cluster, and their ends."""
    flows = [flow for flow in now.flows if around in ("", flow.source, flow.target)]
    ends = {end for flow in flows for end in (flow.source, flow.target)}
    aliases = {cluster.alias for cluster in clusters if around in ("", cluster.alias)} | ends
    pairs = {(flow.source, flow.target) for flow in now.flows}
    return Topology(
        as_of_ms=now.as_of_ms,
        nodes=tuple(_node(alias, now.flows) for alias in sorted(aliases)),
        edges=tuple(_edge(flow, (flow.target, flow.source) in pairs) for flow in flows),
        partial=now.partial,
    )


def _node(alias: str, flows: Iterable[FlowNow]) -> TopologyNode:
    into = [flow for flow in flows if flow.target == alias]
    out = [flow for flow in flows if flow.source == alias]
    lags = [flow.numbers.lag_offsets for flow in into]
    known = [lag for lag in lags if lag is not None]
    return TopologyNode(
        alias=alias,
        flows_in=len(into),
        flows_out=len(out),
        records_per_second_in=_sum(flow.numbers.records_per_second for flow in into),
        records_per_second_out=_sum(flow.numbers.records_per_second for flow in out),
        bytes_per_second_in=_sum(flow.numbers.bytes_per_second for flow in into),
        bytes_per_second_out=_sum(flow.numbers.bytes_per_second for flow in out),
        lag_offsets_in=sum(known) if lags and len(known) == len(lags) else None,
        by_status=dict(sorted(Counter(flow.status.status for flow in (*into, *out)).items())),
    )


def _edge(flow: FlowNow, is_bidirectional: bool) -> TopologyEdge:
    groups: GroupCounts | None = flow.groups
    return TopologyEdge(
        key=flow.key,
        source=flow.source,
        target=flow.target,
        status=flow.status.status,
        reason=flow.status.reason,
        since_ms=flow.status.since_ms,
        is_bidirectional=is_bidirectional,
        topics=flow.topics,
        partitions=flow.partitions,
        groups=None if groups is None else groups.total,
        records_per_second=flow.numbers.records_per_second,
        bytes_per_second=flow.numbers.bytes_per_second,
        lag_offsets=flow.numbers.lag_offsets,
        latency_p95_ms=flow.numbers.latency_p95_ms,
        catch_up_ms=flow.estimate.catch_up_ms,
    )


def _sum(values: Iterable[float | None]) -> float | None:
    """Return the sum of what is known; None if nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
