"""Metrics per topic and per partition; `topic` is the name on the source, `remote_topic` that of the copy."""

from collections.abc import Iterable, Iterator

from prometheus_client.core import GaugeMetricFamily, Metric

from replication.domain.identifiers import FlowId
from srm_service.monitoring.contracts import TopicNow
from srm_service.monitoring.flows.partitions import PartitionReport
from srm_service.monitoring.prometheus.families import Reading, families

_TOPIC = ("source", "target", "topic", "remote_topic")
_PARTITION = (*_TOPIC, "partition")
FlowTopic = tuple[FlowId, TopicNow]
FlowPartition = tuple[FlowId, str, PartitionReport]
TOPIC_METRICS: tuple[Reading[TopicNow], ...] = (
    Reading("srm_topic_records_per_second", "Records copied per second", lambda topic: topic.records_per_second),
    Reading("srm_topic_bytes_per_second", "Bytes copied per second", lambda topic: topic.bytes_per_second),
    Reading("srm_topic_lag_offsets", "Offsets not yet copied", lambda topic: topic.lag_offsets),
    Reading("srm_topic_partitions", "Partitions of the topic", lambda topic: topic.partitions),
    Reading("srm_topic_latency_p50_ms", "Replication latency, median, ms", lambda topic: topic.latency_p50_ms),
    Reading("srm_topic_latency_p95_ms", "Replication latency, 95th percentile, ms", lambda topic: topic.latency_p95_ms),
    Reading("srm_topic_latency_max_ms", "Replication latency, slowest record, ms", lambda topic: topic.latency_max_ms),
)
PARTITION_METRICS: tuple[Reading[PartitionReport], ...] = (
    Reading("srm_partition_records_per_second", "Records copied per second", lambda one: one.records_per_second),
    Reading("srm_partition_bytes_per_second", "Bytes copied per second", lambda one: one.bytes_per_second),
    Reading("srm_partition_lag_offsets", "Offsets not yet copied", lambda one: one.lag_offsets),
    Reading("srm_partition_lag_ms", "Age of the last copied record, ms; 0 if there is no lag", lambda one: one.lag_ms),
    Reading("srm_partition_source_start_offset", "Start of the source partition", lambda one: one.source_start),
    Reading("srm_partition_source_end_offset", "End of the source partition", lambda one: one.source_end),
    Reading("srm_partition_copied_to_offset", "Next source offset to copy", lambda one: one.copied_to),
    Reading("srm_partition_target_end_offset", "End of the remote partition", lambda one: one.target_end),
)


def topic_families(topics: Iterable[FlowTopic]) -> Iterator[Metric]:
    """Yield the families of some topics; a state is 1 in the series of its word."""
    rows = [(_labels(flow, topic.topic, topic.remote_topic), topic) for flow, topic in topics]
    yield from families(TOPIC_METRICS, _TOPIC, rows)
    state = GaugeMetricFamily("srm_topic_state", "1; the worst state of the partitions", labels=[*_TOPIC, "state"])
    for labels, topic in rows:
        if topic.state is not None:
            state.add_metric([*labels, topic.state], 1.0)
    yield state


def partition_families(partitions: Iterable[FlowPartition]) -> Iterator[Metric]:
    """Yield the families of some partitions."""
    rows = [
        ((*_labels(flow, topic, report.remote_topic), str(report.partition)), report)
        for flow, topic, report in partitions
    ]
    yield from families(PARTITION_METRICS, _PARTITION, rows)
    state = GaugeMetricFamily("srm_partition_state", "1; the state of the partition", labels=[*_PARTITION, "state"])
    for labels, report in rows:
        if report.state is not None:
            state.add_metric([*labels, report.state], 1.0)
    yield state


def _labels(flow: FlowId, topic: str, remote_topic: str | None) -> tuple[str, ...]:
    return flow.source, flow.target, topic, remote_topic or ""
