"""One metric of many flows over time, from one reading of the tiles."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import Metric
from srm_service.monitoring.contracts import Point
from srm_service.monitoring.flows.freshness import flow_series_ids
from srm_service.monitoring.series.selectors import Window, rounded_range
from srm_service.monitoring.series.statistics import points, quantile_points
from srm_service.monitoring.series.tiles import HOUR_MS, MINUTE_MS, TILE_MS, TileRow, by_series, read_tiles, store_marks

_MOST_TILES = 24_000  # 200 flows for two hours: a tile a minute


@dataclass(frozen=True, slots=True, kw_only=True)
class ManySeries:
    """Points of each flow; point n covers the time from_ms + n * step_ms."""

    metric: Metric
    from_ms: int
    to_ms: int
    step_ms: int
    points: Mapping[FlowId, tuple[Point | None, ...]]


def many_series(flows: Collection[FlowId], metric: Metric, window: Window) -> ManySeries:
    """Return a metric of tiles for each flow; many flows get wider steps. Two queries. Raises DatabaseError."""
    begin_ms, end_ms, step_ms = rounded_range(
        window.from_ms, window.to_ms, max(window.step_ms, least_step_ms(len(flows), window)), window.now_ms
    )
    bounds = {"from_ms": begin_ms, "to_ms": end_ms, "step_ms": step_ms}
    ids = flow_series_ids(set(flows))
    marks = store_marks({flow.target for flow in flows}, window.now_ms)
    rows = by_series(read_tiles("flow", ids.values(), **bounds, marks=marks, histogram=metric.histogram))
    found = {flow: _points(metric, rows.get(ids.get(flow, -1), ()), bounds) for flow in flows}
    return ManySeries(metric=metric, **bounds, points=found)


def least_step_ms(flows: int, window: Window) -> int:
    """Return the step that keeps the number of tiles of so many series bounded."""
    least_ms = (window.to_ms - window.from_ms) * flows // _MOST_TILES
    return next((width for width in (TILE_MS, MINUTE_MS) if width >= least_ms), HOUR_MS)


def _points(metric: Metric, rows: Sequence[TileRow], bounds: Mapping[str, int]) -> tuple[Point | None, ...]:
    if metric.kind == "quantile" and metric.quantile is not None:
        return quantile_points(rows, metric.quantile, **bounds)
    return points(metric, rows, **bounds)
