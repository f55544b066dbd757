"""Metrics per flow and per driver, and whether the sources of data of the service answer."""

from collections.abc import Iterator, Sequence
from typing import get_args

from prometheus_client.core import GaugeMetricFamily, Metric

from replication.domain.groups.group_summary import Readiness
from replication.domain.health.flow_facts import FLOW_STATUS_WORDS
from replication.domain.health.herder_status import DRIVER_METRIC, FLOW_METRIC, HERDER_MEANING
from srm_service.monitoring.contracts import FlowNow, Overview
from srm_service.monitoring.drivers import DriverNow
from srm_service.monitoring.flows.live_state import REDIS_PEER
from srm_service.monitoring.flows.overview import METRICS_PEER
from srm_service.monitoring.prometheus.families import Reading, families

_FLOW = ("source", "target")
FLOW_METRICS: tuple[Reading[FlowNow], ...] = (
    Reading("srm_flow_records_per_second", "Records copied per second", lambda flow: flow.numbers.records_per_second),
    Reading("srm_flow_bytes_per_second", "Bytes copied per second", lambda flow: flow.numbers.bytes_per_second),
    Reading("srm_flow_lag_offsets", "Offsets not yet copied", lambda flow: flow.numbers.lag_offsets),
    Reading(
        "srm_flow_catch_up_ms",
        "Estimated time until the flow has caught up, ms; omitted if it does not get closer",
        lambda flow: flow.estimate.catch_up_ms,
    ),
    Reading(
        "srm_flow_time_to_loss_ms",
        "Estimated time until retention deletes records that are not copied, ms; omitted if it does not get closer",
        lambda flow: flow.estimate.time_to_loss_ms,
    ),
    Reading("srm_flow_latency_p50_ms", "Replication latency, median, ms", lambda flow: flow.numbers.latency_p50_ms),
    Reading(
        "srm_flow_latency_p95_ms", "Replication latency, 95th percentile, ms", lambda flow: flow.numbers.latency_p95_ms
    ),
    Reading(
        "srm_flow_latency_p99_ms", "Replication latency, 99th percentile, ms", lambda flow: flow.numbers.latency_p99_ms
    ),
    Reading(
        "srm_flow_latency_max_ms", "Replication latency, slowest record, ms", lambda flow: flow.numbers.latency_max_ms
    ),
    Reading(
        "srm_flow_heartbeat_age_ms",
        "Age of the newest heartbeat at the target, ms",
        lambda flow: flow.numbers.heartbeat_age_ms,
    ),
    Reading("srm_flow_open_gaps", "Gaps that wait for an operator", lambda flow: flow.numbers.open_gaps),
    Reading("srm_flow_metrics_age_ms", "Age of the newest stored metrics, ms", lambda flow: flow.metrics_age_ms),
    Reading("srm_flow_live_age_ms", "Age of the oldest report of a source task, ms", lambda flow: flow.live_age_ms),
    Reading(
        "srm_flow_group_lag_offsets",
        "Offsets between the commits of consumer groups and the log ends of the source, all groups together",
        lambda flow: flow.numbers.group_lag_offsets,
    ),
    Reading(
        "srm_flow_group_round_age_ms",
        "Age of the last round that read and translated consumer groups, of the slowest checkpoint task, ms",
        lambda flow: flow.numbers.group_round_age_ms,
    ),
    Reading("srm_flow_topics", "Topics of the plan", lambda flow: flow.topics),
    Reading("srm_flow_partitions", "Partitions of the plan", lambda flow: flow.partitions),
    Reading("srm_flow_tasks_running", "Tasks that run", lambda flow: flow.tasks_running),
    Reading("srm_flow_tasks", "Tasks of the plan", lambda flow: flow.tasks_total),
)


def flow_families(now: Overview) -> Iterator[Metric]:
    """Yield the families of all flows, and the sources of data that answer."""
    yield _statuses(now)
    herder = GaugeMetricFamily(FLOW_METRIC, HERDER_MEANING, labels=_FLOW)
    for flow in now.flows:
        herder.add_metric([flow.source, flow.target], float(flow.herder_status))
    yield herder
    yield _groups(now)
    yield from families(FLOW_METRICS, _FLOW, [((flow.source, flow.target), flow) for flow in now.flows])
    answers = GaugeMetricFamily(
        "srm_service_data_up", "1 if this source of data answered; without it, metrics are missing", labels=["data"]
    )
    missing = {part.peer for part in now.partial}
    for peer in (REDIS_PEER, METRICS_PEER):
        answers.add_metric([peer], float(peer not in missing))
    yield answers


def driver_families(drivers: Sequence[DriverNow]) -> Iterator[Metric]:
    """Yield the herder status of each driver process."""
    family = GaugeMetricFamily(DRIVER_METRIC, f"Of the worst task: {HERDER_MEANING}", labels=["driver", "role"])
    for driver in drivers:
        family.add_metric([driver.id, driver.role], float(driver.herder_status))
    yield family


def _statuses(now: Overview) -> Metric:
    status = GaugeMetricFamily("srm_flow_status", "1 for the present status", labels=[*_FLOW, "status"])
    for flow in now.flows:
        for word in FLOW_STATUS_WORDS:
            status.add_metric([flow.source, flow.target, word], float(flow.status.status == word))
    return status


def _groups(now: Overview) -> Metric:
    """Return the number of groups by readiness; names of groups are no labels, because there may be many."""
    family = GaugeMetricFamily("srm_flow_groups", "Consumer groups by readiness", labels=[*_FLOW, "readiness"])
    for flow in now.flows:
        for word in get_args(Readiness):
            if flow.groups is not None:
                family.add_metric([flow.source, flow.target, word], float(getattr(flow.groups, word)))
    return family
