"""MirrorMaker's metrics under the names of its MBeans, as exporters for Prometheus write them in lower case.

`kafka.connect.mirror:type=MirrorSourceConnector,source=,target=,topic=,partition=` with the attribute `record-count`
becomes `kafka_connect_mirror_mirrorsourceconnector_record_count`. As there, `topic` is the remote topic.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from prometheus_client.core import GaugeMetricFamily, Metric

from replication.domain.reporting.recent_figures import PartitionFigures
from replication.worker.http.driver_report import GroupLatency

SOURCE_PREFIX = "kafka_connect_mirror_mirrorsourceconnector_"
CHECKPOINT_PREFIX = "kafka_connect_mirror_mirrorcheckpointconnector_"
WORKER_PREFIX = "kafka_connect_connect_worker_metrics_"
CONNECTORS = {
    "source": "MirrorSourceConnector",
    "plan": "MirrorSourceConnector",
    "checkpoint": "MirrorCheckpointConnector",
    "heartbeat": "MirrorHeartbeatConnector",
}
# attribute of a connector's bean in this worker, description, the states of our tasks that it counts
CONNECTOR_ATTRIBUTES: tuple[tuple[str, str, frozenset[str]], ...] = (
    (
        "connector_running_task_count",
        "The number of running tasks of the connector on the worker.",
        frozenset({"running"}),
    ),
    (
        "connector_failed_task_count",
        "The number of failed tasks of the connector on the worker.",
        frozenset({"failed"}),
    ),
    (
        "connector_unassigned_task_count",
        "The number of unassigned tasks of the connector on the worker.",
        frozenset({"starting", "unassigned"}),
    ),
    (
        "connector_total_task_count",
        "The number of tasks of the connector on the worker.",
        frozenset({"starting", "running", "stopping", "failed", "unassigned"}),
    ),
)
_PARTITION = ("source", "target", "topic", "partition")
# attribute, description (both as in MirrorSourceMetrics), value
SOURCE_ATTRIBUTES: tuple[tuple[str, str, Callable[[PartitionFigures], float | None]], ...] = (
    ("record_count", "Number of source records replicated to the target cluster.", lambda one: one.records_total),
    (
        "record_rate",
        "Average number of source records replicated to the target cluster per second.",
        lambda one: one.records_per_second,
    ),
    ("byte_count", "Number of bytes replicated to the target cluster.", lambda one: one.bytes_total),
    ("byte_rate", "Average number of bytes replicated per second.", lambda one: one.bytes_per_second),
    (
        "record_age_ms",
        "The age of incoming source records when replicated to the target cluster.",
        lambda one: one.age.last,
    ),
    (
        "record_age_ms_avg",
        "The average age of incoming source records when replicated to the target cluster.",
        lambda one: one.age.avg,
    ),
    (
        "record_age_ms_max",
        "The max age of incoming source records when replicated to the target cluster.",
        lambda one: one.age.max,
    ),
    (
        "record_age_ms_min",
        "The min age of incoming source records when replicated to the target cluster.",
        lambda one: one.age.min,
    ),
    (
        "replication_latency_ms",
        "Time it takes records to replicate from source to target cluster.",
        lambda one: one.latency.last,
    ),
    (
        "replication_latency_ms_avg",
        "Average time it takes records to replicate from source to target cluster.",
        lambda one: one.latency.avg,
    ),
    (
        "replication_latency_ms_max",
        "Max time it takes records to replicate from source to target cluster.",
        lambda one: one.latency.max,
    ),
    (
        "replication_latency_ms_min",
        "Min time it takes records to replicate from source to target cluster.",
        lambda one: one.latency.min,
    ),
)
CHECKPOINT_ATTRIBUTES: tuple[tuple[str, str, Callable[[GroupLatency], float]], ...] = (
    (
        "checkpoint_latency_ms",
        "Time it takes consumer group offsets to replicate from source to target cluster.",
        lambda one: one.avg,
    ),
    (
        "checkpoint_latency_ms_avg",
        "Average time it takes consumer group offsets to replicate from source to target cluster.",
        lambda one: one.avg,
    ),
    (
        "checkpoint_latency_ms_max",
        "Max time it takes consumer group offsets to replicate from source to target cluster.",
        lambda one: one.max,
    ),
    (
        "checkpoint_latency_ms_min",
        "Min time it takes consumer group offsets to replicate from source to target cluster.",
        lambda one: one.min,
    ),
)


def mirror_metrics(
    states: Sequence[Mapping[str, Any]], partitions: Sequence[PartitionFigures], groups: Sequence[GroupLatency]
) -> Iterator[Metric]:
    """Yield the families; a value that MirrorMaker would report as NaN is omitted."""
    for attribute, text, pick in SOURCE_ATTRIBUTES:
        family = GaugeMetricFamily(SOURCE_PREFIX + attribute, text, labels=_PARTITION)
        for one in partitions:
            value = pick(one)
            if value is not None:
                family.add_metric([one.source, one.target, one.topic, str(one.partition)], float(value))
        yield family
    for attribute, text, take in CHECKPOINT_ATTRIBUTES:
        family = GaugeMetricFamily(
            CHECKPOINT_PREFIX + attribute, text, labels=["source", "target", "group", "topic", "partition"]
        )
        for row in groups:
            family.add_metric([row.source, row.target, row.group, row.topic, str(row.partition)], take(row))
        yield family
    connectors = {(state["source"], state["target"], CONNECTORS.get(state["kind"])) for state in states}
    counts = (
        ("connector_count", "The number of connectors run in this worker.", len(connectors)),
        ("task_count", "The number of tasks run in this worker.", sum(state["kind"] != "plan" for state in states)),
    )
    for name, text, count in counts:
        yield GaugeMetricFamily(WORKER_PREFIX + name, text, value=float(count))
    yield from _connector_counts(states)


def _connector_counts(states: Sequence[Mapping[str, Any]]) -> Iterator[Metric]:
    """Yield the tasks of each connector, of all flows together as in a Connect worker; plans are no tasks there."""
    words = [(CONNECTORS.get(state["kind"], ""), state["state"]) for state in states if state["kind"] != "plan"]
    for attribute, text, counted in CONNECTOR_ATTRIBUTES:
        family = GaugeMetricFamily(WORKER_PREFIX + attribute, text, labels=["connector"])
        for connector in sorted({name for name, _ in words}):
            family.add_metric([connector], float(sum(each == connector and word in counted for each, word in words)))
        yield family
