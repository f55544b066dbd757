"""A small Prometheus page: each flow's status and live numbers, and the queries that count the metrics of targets."""

from collections.abc import Callable, Iterable, Sequence
from typing import get_args

import structlog
from django.db import DatabaseError
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from rest_framework.request import Request
from rest_framework.views import APIView

from replication.domain.groups.group_summary import Readiness
from replication.domain.health.flow_facts import FLOW_STATUS_WORDS
from replication.domain.health.herder_status import DRIVER_METRIC, FLOW_METRIC, HERDER_MEANING
from replication.domain.reporting.query_figures import PROMETHEUS_PREFIX, QUERY_FIGURES
from srm_service.core.api.negotiation import AnyAccepted
from srm_service.core.auth.permissions import MetricsPermission
from srm_service.core.clock import now_ms
from srm_service.monitoring.contracts import FlowNow, Overview
from srm_service.monitoring.drivers import DriverNow, drivers_now
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.flows.query_status import QueryNow, queries_now

_log = structlog.get_logger(__name__)

_NUMBERS: tuple[tuple[str, str, Callable[[FlowNow], float | None]], ...] = (
    ("srm_flow_records_per_second", "Records copied per second", lambda flow: flow.numbers.records_per_second),
    ("srm_flow_bytes_per_second", "Bytes copied per second", lambda flow: flow.numbers.bytes_per_second),
    ("srm_flow_lag_offsets", "Offsets not yet copied", lambda flow: flow.numbers.lag_offsets),
    ("srm_flow_latency_p95_ms", "Replication latency, 95th percentile, ms", lambda flow: flow.numbers.latency_p95_ms),
    (
        "srm_flow_heartbeat_age_ms",
        "Age of the newest heartbeat at the target, ms",
        lambda f: f.numbers.heartbeat_age_ms,
    ),
    ("srm_flow_metrics_age_ms", "Age of the newest stored metrics, ms", lambda flow: flow.metrics_age_ms),
    (
        "srm_flow_group_lag_offsets",
        "Offsets between the commits of consumer groups and the log ends of the source, all groups together",
        lambda flow: flow.numbers.group_lag_offsets,
    ),
    (
        "srm_flow_group_round_age_ms",
        "Age of the last round that read and translated consumer groups, of the slowest checkpoint task, ms",
        lambda flow: flow.numbers.group_round_age_ms,
    ),
    ("srm_flow_tasks_running", "Tasks that run", lambda flow: flow.tasks_running),
    ("srm_flow_tasks", "Tasks of the plan", lambda flow: flow.tasks_total),
)


class _Flows(Collector):
    def __init__(self, now: Overview) -> None:
        self._now = now

    def collect(self) -> Iterable[Metric]:
        status = GaugeMetricFamily("srm_flow_status", "1 for the present status", labels=["source", "target", "status"])
        for flow in self._now.flows:
            for word in FLOW_STATUS_WORDS:
                status.add_metric([flow.source, flow.target, word], float(flow.status.status == word))
        yield status
        herder = GaugeMetricFamily(FLOW_METRIC, HERDER_MEANING, labels=["source", "target"])
        for flow in self._now.flows:
            herder.add_metric([flow.source, flow.target], float(flow.herder_status))
        yield herder
        yield _groups(self._now)
        for name, text, pick in _NUMBERS:
            family = GaugeMetricFamily(name, text, labels=["source", "target"])
            for flow in self._now.flows:
                value = pick(flow)
                if value is not None:
                    family.add_metric([flow.source, flow.target], value)
            yield family


def _groups(now: Overview) -> Metric:
    """Return the number of groups by readiness; names of groups are no labels, because there may be many."""
    family = GaugeMetricFamily(
        "srm_flow_groups", "Consumer groups by readiness", labels=["source", "target", "readiness"]
    )
    for flow in now.flows:
        for word in get_args(Readiness):
            if flow.groups is not None:
                family.add_metric([flow.source, flow.target, word], float(getattr(flow.groups, word)))
    return family


class _Drivers(Collector):
    def __init__(self, drivers: Sequence[DriverNow]) -> None:
        self._drivers = drivers

    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily(DRIVER_METRIC, f"Of the worst task: {HERDER_MEANING}", labels=["driver", "role"])
        for driver in self._drivers:
            family.add_metric([driver.id, driver.role], float(driver.herder_status))
        yield family


class _Queries(Collector):
    def __init__(self, queries: Sequence[QueryNow]) -> None:
        self._queries = queries

    def collect(self) -> Iterable[Metric]:
        for figure in QUERY_FIGURES:
            family = GaugeMetricFamily(f"{PROMETHEUS_PREFIX}{figure.name}", figure.text, labels=["target"])
            for query in self._queries:
                value = query.figures[figure.name]
                if value is not None:
                    family.add_metric([query.target], value)
            yield family
        warning = GaugeMetricFamily(
            f"{PROMETHEUS_PREFIX}executor_warning",
            "1 if an executor of Spark is slow, fails or was lost; the flow's metrics_warning names it",
            labels=["target"],
        )
        for query in self._queries:
            warning.add_metric([query.target], float(query.has_warning))
        yield warning


def _queries() -> Sequence[QueryNow]:
    try:
        return queries_now(now_ms())
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return ()


class PrometheusView(APIView):
    """An unknown value is omitted, never 0."""

    content_negotiation_class = AnyAccepted
    permission_classes = [MetricsPermission]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        registry = CollectorRegistry()
        registry.register(_Flows(overview()))
        registry.register(_Drivers(drivers_now(live_snapshot())))
        registry.register(_Queries(_queries()))
        return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
