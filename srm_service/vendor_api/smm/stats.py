"""Statistics of flows and topics as Streams Messaging Manager shows them: throughput, latencies, lag."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from replication.domain.health.flow_facts import FlowStatusWord
from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import METRICS, Metric
from srm_service.monitoring.contracts import FlowNow
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.topic_pairs import RemotePair
from srm_service.monitoring.flows.topics import topics_now
from srm_service.monitoring.series.group_values import groups_of_topics
from srm_service.monitoring.series.many_scopes import (
    Measured,
    flow_scopes,
    many_with_totals,
    topic_scopes,
)
from srm_service.monitoring.series.selectors import SeriesScope, Window
from srm_service.vendor_api.metric_values import latest_of_flow, values_answer
from srm_service.vendor_api.smm.serializers import SmmStatus

K = TypeVar("K")
_METRICS = {
    "throughput": METRICS["bytes_per_second"],
    "replication_latency": METRICS["replication_latency_ms"],
    "checkpoint_latency": METRICS["checkpoint_latency_ms"],
    "lag": METRICS["lag_offsets"],
}
_ACTIVE: tuple[FlowStatusWord, ...] = ("healthy", "degraded", "idle")


def smm_status(word: FlowStatusWord) -> SmmStatus:
    """Return ACTIVE for a flow that copies, or that would copy if it had records."""
    return "ACTIVE" if word in _ACTIVE else "INACTIVE"


def flow_stats(flows: Sequence[FlowNow], window: Window) -> list[dict[str, Any]]:
    """Return the fields of `ReplicationStatsSerializer` of each flow. Raises DatabaseError."""
    ids = [FlowId(flow.source, flow.target) for flow in flows]
    measured = _measured(flow_scopes(ids), window)
    return [
        {
            "source": flow.source,
            "target": flow.target,
            "status": smm_status(flow.status.status),
            "state": flow.status.status,
            "reason": flow.status.reason,
            "topics": flow.topics,
            "partitions": flow.partitions,
            "consumer_groups": None if flow.groups is None else flow.groups.total,
            **{
                name: values_answer(*measured[name][flow_id], latest_of_flow(flow, metric))
                for name, metric in _METRICS.items()
            },
        }
        for flow, flow_id in zip(flows, ids, strict=True)
    ]


def topic_stats(pairs: Sequence[RemotePair], live: LiveSnapshot, window: Window) -> list[dict[str, Any]]:
    """Return the fields of `TopicStatsSerializer` of each pair, in their order. Raises DatabaseError."""
    found: dict[RemotePair, dict[str, Any]] = {}
    for flow in dict.fromkeys(pair.flow for pair in pairs):
        found |= _of_flow(flow, [pair for pair in pairs if pair.flow == flow], live, window)
    return [found[pair] for pair in pairs]


def _of_flow(
    flow: FlowId, pairs: Collection[RemotePair], live: LiveSnapshot, window: Window
) -> dict[RemotePair, dict[str, Any]]:
    names = list(dict.fromkeys(pair.topic for pair in pairs))
    measured = _measured(topic_scopes(flow, names), window)
    now = dict(zip(names, topics_now(flow, names, live, window.now_ms), strict=True))
    groups = groups_of_topics(flow, names)

    def values(topic: str) -> dict[str, Any]:
        return {
            name: values_answer(*measured[name][topic], _latest(now[topic], metric))
            for name, metric in _METRICS.items()
        }

    return {
        pair: {
            "source": pair.source,
            "target": pair.target,
            "topic": pair.topic,
            "remote_topic": pair.remote_topic,
            "partitions": pair.partitions if pair.partitions is not None else now[pair.topic].partitions,
            "consumer_groups": groups.get(pair.topic, 0),
            **values(pair.topic),
        }
        for pair in pairs
    }


def _measured(scopes: Mapping[K, SeriesScope], window: Window) -> dict[str, dict[K, Measured]]:
    return {name: many_with_totals(scopes, metric, window) for name, metric in _METRICS.items()}


def _latest(topic: object, metric: Metric) -> float | None:
    value: float | None = None if metric.live is None else getattr(topic, metric.live, None)
    return value
