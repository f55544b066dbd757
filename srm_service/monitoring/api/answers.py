"""Answers as plain data. Lists are built without serializers: those describe the shape, a test compares the two."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from replication.domain.reporting.metric_defs import FLEET_METRICS, METRICS
from srm_service.monitoring.contracts import (
    FleetSeries,
    FlowNow,
    Overview,
    Point,
    SeriesAnswer,
    Statistics,
    TopicNow,
)
from srm_service.monitoring.drivers import DriverNow
from srm_service.monitoring.flow_columns import rest_columns
from srm_service.monitoring.flows.fleet import FleetMetric, oldest_metrics_ms
from srm_service.monitoring.flows.revisions import FlowRevisions
from srm_service.monitoring.series.flow_metrics import FlowMetrics

_TOPIC = tuple(column.name for column in fields(TopicNow))  # asdict copies deeply, which 1,000 rows feel
_STATISTICS = tuple(column.name for column in fields(Statistics))
_FLOW, _TASKS = tuple(rest_columns()), tuple(rest_columns("tasks"))


def flow_answer(
    flow: FlowNow,
    metrics: FlowMetrics,
    permissions: Sequence[str],
    proven_until_ms: int | None,
    revisions: FlowRevisions,
) -> dict[str, Any]:
    return {
        **{name: column.value(flow) for name, column in _FLOW},
        "tasks": {name: column.value(flow) for name, column in _TASKS},
        "metrics": {name: _statistics(name, values) for name, values in metrics.items()},
        "proven_until_ms": proven_until_ms,
        "revisions": {
            **asdict(revisions),
            "tasks": list(map(asdict, revisions.tasks)),
            "rejected": list(map(asdict, revisions.rejected)),
        },
        "permissions": [right for right in permissions if right.startswith("flows.")],
    }


def topic_answer(topic: TopicNow, metrics: FlowMetrics | None) -> dict[str, Any]:
    found = None if metrics is None else {name: _statistics(name, values) for name, values in metrics.items()}
    return {**{column: getattr(topic, column) for column in _TOPIC}, "metrics": found}


def driver_answer(driver: DriverNow) -> dict[str, Any]:
    return {**asdict(driver), "targets": list(driver.targets)}


def series_answer(series: SeriesAnswer) -> dict[str, Any]:
    return {
        "metric": series.metric,
        "unit": series.unit,
        "sum_unit": METRICS[series.metric].sum_unit,
        "from_ms": series.from_ms,
        "to_ms": series.to_ms,
        "step_ms": series.step_ms,
        "points": [point_answer(point) for point in series.points],
        "details": [None if each is None else [each.sum, each.p50, each.p95, each.p99] for each in series.details],
    }


def summary_answer(
    now: Overview, metrics: Mapping[str, FleetMetric], series: FleetSeries, *, clusters: int
) -> dict[str, Any]:
    bounds = {"from_ms": series.from_ms, "to_ms": series.to_ms, "step_ms": series.step_ms}
    return {
        "as_of_ms": now.as_of_ms,
        "flows": len(now.flows),
        "clusters": clusters,
        "by_status": dict(Counter(flow.status.status for flow in now.flows)),
        "metrics": {name: asdict(metric) for name, metric in metrics.items()},
        "series": {
            metric.name: {
                "metric": metric.name,
                "unit": metric.unit,
                **bounds,
                "points": [point_answer(point) for point in series.points[metric.name]],
            }
            for metric in FLEET_METRICS
        },
        "metrics_age_ms": oldest_metrics_ms(now),
        "partial": [asdict(part) for part in now.partial],
    }


def _statistics(name: str, values: Statistics) -> dict[str, Any]:
    columns = {column: getattr(values, column) for column in _STATISTICS}
    return {**columns, "sum_unit": METRICS[name].sum_unit}


def point_answer(point: Point | None) -> list[float] | None:
    return None if point is None else [point.time_ms, point.avg, point.min, point.max, point.count]
