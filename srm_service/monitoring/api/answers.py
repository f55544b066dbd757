"""Answers as plain data. Lists are built without serializers: those describe the shape, a test compares the two."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from replication.domain.flow_status import StatusCause
from srm_service.monitoring.contracts import FleetSeries, FlowNow, Overview, Partial, Point, SeriesAnswer, TopicNow
from srm_service.monitoring.drivers import DriverNow
from srm_service.monitoring.fleet import FLEET_UNITS, FleetMetric, oldest_metrics_ms
from srm_service.monitoring.flow_ahead import FlowAhead
from srm_service.monitoring.flow_metrics import FlowMetrics

_TOPIC = tuple(column.name for column in fields(TopicNow))  # asdict copies deeply, which 1,000 rows feel
_STATISTICS = ("unit", "latest", "avg", "min", "max", "sum", "count", "p50", "p95", "p99")


def flow_answer(flow: FlowNow, metrics: FlowMetrics, permissions: Sequence[str], ahead: FlowAhead) -> dict[str, Any]:
    return {
        "source": flow.source,
        "target": flow.target,
        "status": flow.status.status,
        "reason": flow.status.reason,
        "cause": cause_answer(flow.status.cause),
        "since_ms": flow.status.since_ms,
        "metrics_age_ms": flow.metrics_age_ms,
        "live_age_ms": flow.live_age_ms,
        "served_by": flow.served_by,
        "topics": flow.topics,
        "partitions": flow.partitions,
        "groups": None,
        "tasks": {"running": flow.tasks_running, "total": flow.tasks_total},
        "metrics": {
            name: {column: getattr(values, column) for column in _STATISTICS} for name, values in metrics.items()
        },
        "catch_up_ms": flow.outlook.catch_up_ms,
        "catch_up": None if ahead.catch_up is None else asdict(ahead.catch_up),
        "time_to_loss_ms": flow.outlook.time_to_loss_ms,
        "limit": None if flow.outlook.limit is None else asdict(flow.outlook.limit),
        "proven_until_ms": ahead.proven_until_ms,
        "permissions": [right for right in permissions if right.startswith("flows.")],
    }


def cause_answer(cause: StatusCause | None) -> dict[str, Any] | None:
    return None if cause is None else asdict(cause)


def list_answer(
    items: Iterable[dict[str, Any]], *, as_of_ms: int, next_cursor: str | None = None, partial: Iterable[Partial] = ()
) -> dict[str, Any]:
    return {
        "items": list(items),
        "next_cursor": next_cursor,
        "as_of_ms": as_of_ms,
        "partial": [asdict(part) for part in partial],
    }


def topic_answer(topic: TopicNow) -> dict[str, Any]:
    return {column: getattr(topic, column) for column in _TOPIC}


def driver_answer(driver: DriverNow) -> dict[str, Any]:
    return {**asdict(driver), "targets": list(driver.targets)}


def series_answer(series: SeriesAnswer) -> dict[str, Any]:
    return {
        "metric": series.metric,
        "unit": series.unit,
        "from_ms": series.from_ms,
        "to_ms": series.to_ms,
        "step_ms": series.step_ms,
        "points": [_point(point) for point in series.points],
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
            name: {"metric": name, "unit": FLEET_UNITS[name], **bounds, "points": [_point(point) for point in points]}
            for name, points in series.points.items()
        },
        "metrics_age_ms": oldest_metrics_ms(now),
        "partial": [asdict(part) for part in now.partial],
    }


def _point(point: Point | None) -> list[float] | None:
    return None if point is None else [point.time_ms, point.avg, point.min, point.max, point.count]
