"""One metric of many flows over time, from one reading of the tiles."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import Metric
from srm_service.monitoring.contracts import Point
from srm_service.monitoring.flows.freshness import flow_series_ids
from srm_service.monitoring.series.selectors import Window, rounded_range
from srm_service.monitoring.series.statistics import StepStatistics, point_of, steps
from srm_service.monitoring.series.tiles import HOUR_MS, MINUTE_MS, TILE_MS, by_series, read_tiles, store_marks

_MOST_TILES = 24_000  # 200 flows for two hours: a tile a minute


@dataclass(frozen=True, slots=True, kw_only=True)
class ManySeries:
    """Steps of each flow that have data, by the time at which they begin, epoch ms."""

    metric: Metric
    from_ms: int
    to_ms: int
    step_ms: int
    found: Mapping[FlowId, StepStatistics]

    def points(self, flow: FlowId) -> tuple[Point | None, ...]:
        """Return the points of a flow; point n covers the time from_ms + n * step_ms."""
        found = self.found[flow]
        return tuple(point_of(time_ms, found.get(time_ms)) for time_ms in self._times)

    def p95(self, flow: FlowId) -> tuple[float | None, ...] | None:
        """Return the p95 of the records of each point, ms; None if the metric is no histogram of records."""
        if self.metric.histogram is None:
            return None
        found = self.found[flow]
        return tuple(found[time_ms].p95 if time_ms in found else None for time_ms in self._times)

    @property
    def _times(self) -> Sequence[int]:
        return range(self.from_ms, self.to_ms, self.step_ms)


def many_series(flows: Collection[FlowId], metric: Metric, window: Window) -> ManySeries:
    """Return a metric of tiles for each flow; many flows get wider steps. Two queries. Raises DatabaseError."""
    begin_ms, end_ms, step_ms = rounded_range(
        window.from_ms, window.to_ms, max(window.step_ms, least_step_ms(len(flows), window)), window.now_ms
    )
    ids = flow_series_ids(set(flows))
    marks = store_marks({flow.target for flow in flows}, window.now_ms)
    tiles = read_tiles(
        "flow",
        ids.values(),
        from_ms=begin_ms,
        to_ms=end_ms,
        step_ms=step_ms,
        marks=marks,
        histogram=metric.histogram,
    )
    rows = by_series(tiles)
    found = {
        flow: steps(metric, rows.get(ids.get(flow, -1), ()), from_ms=begin_ms, to_ms=end_ms, step_ms=step_ms)
        for flow in flows
    }
    return ManySeries(metric=metric, from_ms=begin_ms, to_ms=end_ms, step_ms=step_ms, found=found)


def least_step_ms(flows: int, window: Window) -> int:
    """Return the step that keeps the number of tiles of so many series bounded."""
    least_ms = (window.to_ms - window.from_ms) * flows // _MOST_TILES
    return next((width for width in (TILE_MS, MINUTE_MS) if width >= least_ms), HOUR_MS)
