"""Metrics of many flows over one window: the numbers of the list and of a flow's page."""

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from django.db.models import Count

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import GAPS, METRICS, TILE_VALUES, Metric
from srm_service.monitoring.contracts import FlowNow, Statistics
from srm_service.monitoring.flows.freshness import flow_series_ids
from srm_service.monitoring.models import Gap
from srm_service.monitoring.series.statistics import statistics
from srm_service.monitoring.series.tiles import (
    HOUR_MS,
    MINUTE_MS,
    TILE_MS,
    TileRow,
    by_series,
    finest_step_ms,
    read_tiles,
    store_marks,
)

FlowMetrics = Mapping[str, Statistics]  # by the metric's name
_MOST_TILES = 3_000  # of all flows of a list together; beyond that wider tiles are read
_HISTOGRAMS = tuple(value.name for value in TILE_VALUES if value.kind == "histogram")
_OF_FLOWS = tuple(  # a ratio needs the number of partitions, which a list does not read
    metric for metric in METRICS.values() if metric.source == "tiles" and metric.kind != "ratio"
)


def flow_metrics(
    flows: Sequence[FlowNow], *, from_ms: int, to_ms: int, now_ms: int, with_record_age: bool = False
) -> dict[FlowId, FlowMetrics]:
    """Statistics of each flow over [from_ms, to_ms). A fixed number of queries. Raises DatabaseError."""
    ids = {FlowId(flow.source, flow.target): flow for flow in flows}
    series = flow_series_ids(ids.keys())
    rows = _rows(series.values(), ids.keys(), from_ms, to_ms, now_ms, with_record_age)
    gaps = _gap_counts(ids.keys(), from_ms, to_ms)
    return {
        flow: _of_flow(
            now, {name: found.get(series.get(flow, 0), []) for name, found in rows.items()}, gaps.get(flow, 0)
        )
        for flow, now in ids.items()
    }


def live_metrics(flow: FlowNow) -> FlowMetrics:
    """The same shape from live numbers alone, for when the metrics store does not answer."""
    return {metric.name: Statistics(unit=metric.unit, latest=latest_value(flow, metric)) for metric in METRICS.values()}


def latest_value(flow: FlowNow, metric: Metric) -> float | None:
    """Return a metric's value of this second; None where there is none or it is unknown."""
    value: float | None = None if metric.live is None else getattr(flow.numbers, metric.live)
    return value


def window_step_ms(flows: int, from_ms: int, to_ms: int, now_ms: int) -> int:
    """The width of tiles to read for one number over a window: fine for short windows, never too many rows."""
    tiles = max(10, _MOST_TILES // max(1, flows))
    wanted = next((width for width in (TILE_MS, MINUTE_MS) if (to_ms - from_ms) <= width * tiles), HOUR_MS)
    return max(wanted, finest_step_ms(from_ms, now_ms))


def _rows(
    series: Collection[int], flows: Collection[FlowId], from_ms: int, to_ms: int, now_ms: int, with_record_age: bool
) -> dict[str, Mapping[int, list[TileRow]]]:
    step_ms = window_step_ms(len(series), from_ms, to_ms, now_ms)
    marks = store_marks({flow.target for flow in flows}, now_ms)
    begin_ms = from_ms - from_ms % step_ms
    return {
        histogram: by_series(
            read_tiles("flow", series, from_ms=begin_ms, to_ms=to_ms, step_ms=step_ms, marks=marks, histogram=histogram)
        )
        for histogram in (_HISTOGRAMS if with_record_age else _HISTOGRAMS[:1])
    }


def _of_flow(flow: FlowNow, rows: Mapping[str, Sequence[TileRow]], gaps: int) -> FlowMetrics:
    metrics = dict(live_metrics(flow))
    for metric in _OF_FLOWS:
        histogram = metric.histogram or _HISTOGRAMS[0]
        if histogram in rows:
            metrics[metric.name] = statistics(metric, rows[histogram], latest_value(flow, metric))
    metrics[GAPS.name] = Statistics(unit=GAPS.unit, latest=latest_value(flow, GAPS), sum=gaps)
    return metrics


def _gap_counts(flows: Collection[FlowId], from_ms: int, to_ms: int) -> dict[FlowId, int]:
    targets = {flow.target for flow in flows}
    found = Gap.objects.filter(target__in=targets, detected_ms__gte=from_ms, detected_ms__lt=to_ms)
    counts = found.values("source", "target").annotate(gaps=Count("id"))
    return {FlowId(str(row["source"]), str(row["target"])): cast("int", row["gaps"]) for row in counts}
