"""All flows together: the number tiles at the top of the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog
from django.db import DatabaseError

from replication.domain.histogram import Histogram
from replication.domain.identifiers import FlowId
from srm_service.monitoring.contracts import FleetSeries, FlowNow, Overview
from srm_service.monitoring.live_state import LiveSnapshot
from srm_service.monitoring.series import FLEET_METRICS, FLEET_P95, fleet_series, rounded_range

_log = structlog.get_logger(__name__)
_Pick = Callable[[FlowNow], float | None]
FLEET_UNITS = {
    "records_per_second": "records/s",
    "bytes_per_second": "bytes/s",
    "lag_offsets": "offsets",
    "replication_latency_ms": "ms",
    FLEET_P95: "ms",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetMetric:
    """All flows added up now, and the flow with the largest value."""

    unit: str
    latest: float | None
    worst_flow: str | None


def fleet_metrics(overview: Overview, live: LiveSnapshot) -> dict[str, FleetMetric]:
    """The metrics of the tiles, as of this second."""
    latency, flows = _fleet_latency(overview, live), overview.flows
    return {
        "records_per_second": _sum("records/s", flows, lambda flow: flow.numbers.records_per_second),
        "bytes_per_second": _sum("bytes/s", flows, lambda flow: flow.numbers.bytes_per_second),
        "lag_offsets": _sum("offsets", flows, lambda flow: flow.numbers.lag_offsets),
        "replication_latency_ms": FleetMetric(
            unit="ms", latest=latency.quantile(0.50), worst_flow=_worst(flows, lambda flow: flow.numbers.latency_p50_ms)
        ),
        FLEET_P95: FleetMetric(
            unit="ms", latest=latency.quantile(0.95), worst_flow=_worst(flows, lambda flow: flow.numbers.latency_p95_ms)
        ),
    }


def fleet_series_or_nulls(overview: Overview, *, from_ms: int, to_ms: int, step_ms: int, now_ms: int) -> FleetSeries:
    """The series, or unknown values when the metrics store does not answer."""
    try:
        return fleet_series(overview.flows, from_ms=from_ms, to_ms=to_ms, step_ms=step_ms, now_ms=now_ms)
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return _nulls(*rounded_range(from_ms, to_ms, step_ms, now_ms))


def oldest_metrics_ms(overview: Overview) -> int | None:
    """The age of the oldest metrics among the flows; None when nothing was ever measured."""
    return max((flow.metrics_age_ms for flow in overview.flows if flow.metrics_age_ms is not None), default=None)


def _sum(unit: str, flows: Sequence[FlowNow], pick: _Pick) -> FleetMetric:
    known = [value for flow in flows if (value := pick(flow)) is not None]
    return FleetMetric(unit=unit, latest=sum(known) if known else None, worst_flow=_worst(flows, pick))


def _worst(flows: Sequence[FlowNow], pick: _Pick) -> str | None:
    return max(((value, flow.key) for flow in flows if (value := pick(flow)) is not None), default=(0.0, None))[1]


def _fleet_latency(overview: Overview, live: LiveSnapshot) -> Histogram:
    total = Histogram()
    for flow in overview.flows:
        for task in live.of(FlowId(flow.source, flow.target), "source"):
            total.merge(task.histogram())
    return total


def _nulls(from_ms: int, to_ms: int, step_ms: int) -> FleetSeries:
    nothing: tuple[None, ...] = (None,) * ((to_ms - from_ms) // step_ms)
    names = (*FLEET_METRICS, FLEET_P95)
    return FleetSeries(from_ms=from_ms, to_ms=to_ms, step_ms=step_ms, points=dict.fromkeys(names, nothing))
