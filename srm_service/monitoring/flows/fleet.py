"""All flows together: the number tiles at the top of the page."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import structlog
from django.db import DatabaseError

from replication.domain.identifiers import FlowId
from replication.domain.reporting.histogram import Histogram
from replication.domain.reporting.metric_defs import FLEET_METRICS, Metric
from srm_service.monitoring.contracts import FleetSeries, FlowNow, Overview, Statistics
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.series.flow_metrics import latest_value
from srm_service.monitoring.series.selectors import fleet_series, rounded_range

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetMetric(Statistics):
    """All flows together: now, and over a range; and the flow with the largest value now."""

    worst_flow: Annotated[str | None, "key of the flow with the largest value now"]


def fleet_metrics(overview: Overview, live: LiveSnapshot, series: FleetSeries) -> dict[str, FleetMetric]:
    """The metrics of the tiles: as of this second, and over the range of the series."""
    latency = _fleet_latency(overview, live)
    return {
        metric.name: _fleet_metric(metric, overview.flows, latency, series.totals[metric.name])
        for metric in FLEET_METRICS
    }


def fleet_series_or_nulls(overview: Overview, *, from_ms: int, to_ms: int, step_ms: int, now_ms: int) -> FleetSeries:
    """The series, or unknown values when the metrics store does not answer."""
    try:
        return fleet_series(overview.own_flows, from_ms=from_ms, to_ms=to_ms, step_ms=step_ms, now_ms=now_ms)
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return _nulls(*rounded_range(from_ms, to_ms, step_ms, now_ms))


def oldest_metrics_ms(overview: Overview) -> int | None:
    """The age of the oldest metrics among the flows; None when nothing was ever measured."""
    return max((flow.metrics_age_ms for flow in overview.flows if flow.metrics_age_ms is not None), default=None)


def _fleet_metric(metric: Metric, flows: Sequence[FlowNow], latency: Histogram, over_range: Statistics) -> FleetMetric:
    """A quantile is read from the latencies of all flows; other values add up."""
    known = [(value, flow.key) for flow in flows if (value := latest_value(flow, metric)) is not None]
    total = sum(value for value, _ in known) if known else None
    latest = total if metric.quantile is None else latency.quantile(metric.quantile)
    return FleetMetric(**{**asdict(over_range), "latest": latest}, worst_flow=max(known)[1] if known else None)


def _fleet_latency(overview: Overview, live: LiveSnapshot) -> Histogram:
    total = Histogram()
    for latency in overview.remote_latency.values():
        total.merge(latency)
    for flow in overview.own_flows:
        for task in live.of(FlowId(flow.source, flow.target), "source"):
            if not task.is_frozen:
                total.merge(task.histogram())
    return total


def _nulls(from_ms: int, to_ms: int, step_ms: int) -> FleetSeries:
    nothing: tuple[None, ...] = (None,) * ((to_ms - from_ms) // step_ms)
    return FleetSeries(
        from_ms=from_ms,
        to_ms=to_ms,
        step_ms=step_ms,
        points={metric.name: nothing for metric in FLEET_METRICS},
        totals={metric.name: Statistics(unit=metric.unit) for metric in FLEET_METRICS},
    )
