"""Metrics of many flows over one window: the numbers of the list and of a flow's page."""

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from django.db.models import Count

from replication.domain.identifiers import FlowId
from srm_service.monitoring.aggregate import read_prefix, statistics
from srm_service.monitoring.contracts import FlowNow, Statistics
from srm_service.monitoring.freshness import flow_series_ids
from srm_service.monitoring.metric_names import METRIC_NAMES, METRIC_UNITS, TILE_METRICS, MetricName
from srm_service.monitoring.models import Gap
from srm_service.monitoring.tiles import (
    HOUR_MS,
    MINUTE_MS,
    TILE_MS,
    HistogramPrefix,
    TileRow,
    by_series,
    finest_step_ms,
    read_tiles,
    store_marks,
)

FlowMetrics = Mapping[MetricName, Statistics]
_MOST_TILES = 3_000  # of all flows of a list together; beyond that wider tiles are read
_PREFIXES: tuple[HistogramPrefix, ...] = ("latency", "age")


def flow_metrics(
    flows: Sequence[FlowNow], *, from_ms: int, to_ms: int, now_ms: int, with_record_age: bool = False
) -> dict[FlowId, FlowMetrics]:
    """Statistics of each flow over [from_ms, to_ms). A fixed number of queries. Raises DatabaseError."""
    ids = {FlowId(flow.source, flow.target): flow for flow in flows}
    series = flow_series_ids(ids.keys())
    rows = _rows(series.values(), ids.keys(), from_ms, to_ms, now_ms, with_record_age)
    gaps = _gap_counts(ids.keys(), from_ms, to_ms)
    return {
        flow: _of_flow(now, {prefix: rows[prefix].get(series.get(flow, 0), []) for prefix in rows}, gaps.get(flow, 0))
        for flow, now in ids.items()
    }


def live_metrics(flow: FlowNow) -> FlowMetrics:
    """The same shape from live numbers alone, for when the metrics store does not answer."""
    return {name: Statistics(unit=METRIC_UNITS[name], latest=latest_value(flow, name)) for name in METRIC_NAMES}


def latest_value(flow: FlowNow, metric: MetricName) -> float | None:
    """A metric's value of this second."""
    numbers = flow.numbers
    values: dict[MetricName, float | None] = {
        "records_per_second": numbers.records_per_second,
        "bytes_per_second": numbers.bytes_per_second,
        "wire_bytes_per_second": numbers.wire_bytes_per_second,
        "lag_offsets": numbers.lag_offsets,
        "replication_latency_ms": numbers.latency_p50_ms,
        "heartbeat_age_ms": numbers.heartbeat_age_ms,
        "gaps": numbers.open_gaps,
    }
    return values.get(metric)


def window_step_ms(flows: int, from_ms: int, to_ms: int, now_ms: int) -> int:
    """The width of tiles to read for one number over a window: fine for short windows, never too many rows."""
    tiles = max(10, _MOST_TILES // max(1, flows))
    wanted = next((width for width in (TILE_MS, MINUTE_MS) if (to_ms - from_ms) <= width * tiles), HOUR_MS)
    return max(wanted, finest_step_ms(from_ms, now_ms))


def _rows(
    series: Collection[int], flows: Collection[FlowId], from_ms: int, to_ms: int, now_ms: int, with_record_age: bool
) -> dict[HistogramPrefix, Mapping[int, list[TileRow]]]:
    step_ms = window_step_ms(len(series), from_ms, to_ms, now_ms)
    marks = store_marks({flow.target for flow in flows}, now_ms)
    begin_ms = from_ms - from_ms % step_ms
    return {
        prefix: by_series(
            read_tiles("flow", series, from_ms=begin_ms, to_ms=to_ms, step_ms=step_ms, marks=marks, histogram=prefix)
        )
        for prefix in (_PREFIXES if with_record_age else _PREFIXES[:1])
    }


def _of_flow(flow: FlowNow, rows: Mapping[HistogramPrefix, Sequence[TileRow]], gaps: int) -> FlowMetrics:
    metrics = dict(live_metrics(flow))
    for name in TILE_METRICS:
        source = read_prefix(name) or "latency"
        if source in rows and name != "throttled_ratio":
            metrics[name] = statistics(name, rows[source], latest_value(flow, name))
    metrics["gaps"] = Statistics(unit=METRIC_UNITS["gaps"], latest=latest_value(flow, "gaps"), sum=gaps)
    return metrics


def _gap_counts(flows: Collection[FlowId], from_ms: int, to_ms: int) -> dict[FlowId, int]:
    targets = {flow.target for flow in flows}
    found = Gap.objects.filter(target__in=targets, detected_ms__gte=from_ms, detected_ms__lt=to_ms)
    counts = found.values("source", "target").annotate(gaps=Count("id"))
    return {FlowId(str(row["source"]), str(row["target"])): cast("int", row["gaps"]) for row in counts}
