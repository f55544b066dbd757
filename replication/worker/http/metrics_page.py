"""The metrics page of a driver process in the format of Prometheus (docs/operations/monitoring.md)."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from replication.domain.health.flow_facts import StatusCause, TaskFact
from replication.domain.health.herder_status import (
    DRIVER_METRIC,
    FLOW_METRIC,
    HERDER_MEANING,
    herder_status_of_tasks,
)
from replication.worker.http.driver_report import DriverReport
from replication.worker.http.http_port import PageContent
from replication.worker.http.mirror_metrics import mirror_metrics
from replication.worker.reporting.documents import DriverProcess

_TASK = ("source", "target", "task", "kind")
# field of the live state, name, text; totals begin again with each start of the task
_GAUGES = (
    ("generation", "srm_task_lease_generation", "Plan generation of the task's lease"),
    ("records_per_second", "srm_task_records_per_second", "Records copied per second"),
    ("bytes_per_second", "srm_task_bytes_per_second", "Bytes copied per second, as stored in the source"),
    ("lag_offsets", "srm_task_lag_offsets", "Offsets not yet copied"),
    ("open_gaps", "srm_task_open_gaps", "Gaps that wait for an operator"),
    ("partitions", "srm_task_partitions", "Partitions of the task"),
    ("age_ms", "srm_task_heartbeat_age_ms", "Age of the newest heartbeat that came through the flow"),
    ("group_lag", "srm_task_group_lag_offsets", "Records between commits and the log ends of the source"),
    ("checkpoint_age_ms", "srm_task_checkpoint_age_ms", "Age of the newest checkpoint of the slowest group"),
)
_TOTALS = (
    ("records_total", "srm_task_records", "Records copied"),
    ("bytes_total", "srm_task_bytes", "Bytes copied, as stored in the source"),
    ("resent_total", "srm_task_resent_records", "Records sent again"),
    ("refused_total", "srm_task_rejected_records", "Rejected records"),
    ("filtered_total", "srm_task_filtered_records", "Records dropped by transforms"),
    ("looped_total", "srm_task_looped_records", "Records dropped by loop protection"),
    ("gaps_total", "srm_task_gaps", "Gaps since the task started"),
    ("transactions_aborted", "srm_task_aborted_transactions", "Aborted transactions"),
    ("checkpoints_total", "srm_task_checkpoints", "Checkpoints written"),
)


def metrics_page(report: DriverReport) -> PageContent:
    """Render the page; an unknown value is omitted, never 0."""
    registry = CollectorRegistry()
    registry.register(_Process(report))
    return PageContent(status=HTTPStatus.OK, content_type=CONTENT_TYPE_LATEST, body=generate_latest(registry))


class _Process(Collector):
    def __init__(self, report: DriverReport) -> None:
        self._report = report

    def collect(self) -> Iterator[Metric]:
        report, states = self._report, self._report.states
        yield from _process(report)
        yield from _herder(report.process, states)
        yield from _tasks(states)
        yield from mirror_metrics(states, report.partitions(), report.group_latencies())


def _process(report: DriverReport) -> Iterator[Metric]:
    process, load, health = report.process, report.load, report.health
    labels = {
        "driver": process.driver,
        "parent": process.parent or process.driver,
        "role": process.role,
        "boot": process.boot,
        "host": process.host,
        "version": process.version,
    }
    info = GaugeMetricFamily("srm_driver_info", "This process; the value is 1", labels=list(labels))
    info.add_metric(list(labels.values()), 1.0)
    yield info
    numbers = (
        ("srm_driver_start_time_seconds", "Start of the process, seconds of Unix time", process.started_ms / 1000),
        (
            "srm_driver_ready",
            "1 if the process is ready for tasks, see /readyz",
            not health.not_ready(),
        ),
        ("srm_driver_redis_up", "1 if Redis answered in the last round", health.has_redis),
        ("srm_driver_cpu_ratio", "CPU seconds per second", load.cpu_ratio),
        ("srm_driver_resident_bytes", "Resident memory", load.rss_bytes),
        ("srm_driver_loop_lag_ms", "Most by which the network loop ran late in ten seconds, ms", load.loop_lag_ms),
    )
    yield from (GaugeMetricFamily(name, text, value=float(value)) for name, text, value in numbers if value is not None)
    if report.raw_metrics is not None:
        text = "Raw metric records that were not sent"
        yield CounterMetricFamily(
            "srm_driver_dropped_raw_metrics", text, value=float(report.raw_metrics.dropped_records)
        )


def _herder(process: DriverProcess, states: tuple[Mapping[str, Any], ...]) -> Iterator[Metric]:
    """Return the herder status of this driver, and of its part of each flow."""
    by_flow: dict[tuple[str, str], list[TaskFact]] = defaultdict(list)
    for state in states:
        by_flow[(state["source"], state["target"])].append(_fact(state))
    flows = GaugeMetricFamily(
        FLOW_METRIC, f"This driver's part of a flow: {HERDER_MEANING}", labels=["source", "target"]
    )
    for flow, facts in sorted(by_flow.items()):
        flows.add_metric(list(flow), float(herder_status_of_tasks(facts)))
    yield flows
    whole = GaugeMetricFamily(DRIVER_METRIC, f"The worst of its tasks: {HERDER_MEANING}", labels=["driver", "role"])
    every = [fact for facts in by_flow.values() for fact in facts]
    whole.add_metric([process.driver, process.role], float(herder_status_of_tasks(every)))
    yield whole


def _fact(state: Mapping[str, Any]) -> TaskFact:
    cause, measured_ms = state.get("cause"), state.get("measured_ms")
    return TaskFact(
        state=state["state"],
        since_ms=state["since_ms"],
        cause=None if cause is None else StatusCause(code=cause["code"], text=cause["text"]),
        frozen_ms=0 if measured_ms is None else max(0, state["sent_ms"] - measured_ms),
    )


def _tasks(states: tuple[Mapping[str, Any], ...]) -> Iterator[Metric]:
    counts = Counter((state["kind"], state["state"]) for state in states)
    tasks = GaugeMetricFamily("srm_driver_tasks", "Tasks of this process", labels=["kind", "state"])
    for (kind, word), count in sorted(counts.items()):
        tasks.add_metric([kind, word], float(count))
    yield tasks
    for name, metric, text in _GAUGES:
        yield _family(GaugeMetricFamily(metric, text, labels=_TASK), states, name)
    for name, metric, text in _TOTALS:
        yield _family(CounterMetricFamily(metric, text, labels=_TASK), states, name)
    partitions = GaugeMetricFamily("srm_task_partition_states", "Partitions by state", labels=[*_TASK, "state"])
    for state in states:
        for word, count in (state.get("states") or {}).items():
            partitions.add_metric([*_labels(state), word], float(count))
    yield partitions


def _family(
    family: GaugeMetricFamily | CounterMetricFamily, states: tuple[Mapping[str, Any], ...], name: str
) -> GaugeMetricFamily | CounterMetricFamily:
    for state in states:
        value = state.get(name)
        if isinstance(value, int | float):
            family.add_metric(_labels(state), float(value))
    return family


def _labels(state: Mapping[str, Any]) -> list[str]:
    return [str(state[name]) for name in _TASK]
