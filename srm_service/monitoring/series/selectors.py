"""A metric over time: of a partition, a topic, a flow, a cluster, and of all flows together."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import FLEET_METRICS, Metric, TileLevel
from srm_service.monitoring.contracts import FleetSeries, FlowNow, Point, SeriesAnswer, Statistics
from srm_service.monitoring.flows.freshness import flow_series_ids
from srm_service.monitoring.models import Series
from srm_service.monitoring.series.covered_time import IDLE_MS, Span
from srm_service.monitoring.series.gauges import gap_steps, gauge_steps
from srm_service.monitoring.series.statistics import (
    StepStatistics,
    divided,
    point_of,
    points,
    quantile_points,
    statistics,
    steps,
)
from srm_service.monitoring.series.tiles import (
    HOUR_MS,
    MINUTE_MS,
    TILE_MS,
    TileRow,
    finest_step_ms,
    measured_spans,
    read_tiles,
    store_marks,
)

MAX_POINTS = 2_000
_MOST_FLEET_TILES = 6_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesScope:
    """The subject of a series."""

    level: TileLevel
    ids: tuple[int, ...]
    flows: tuple[FlowId, ...]
    partitions: int = 0  # of the source, as far as measured
    groups: tuple[int, ...] = ()  # series of the flow's consumer groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The time asked for, epoch ms."""

    from_ms: int
    to_ms: int
    step_ms: int
    now_ms: int


def rounded_range(from_ms: int, to_ms: int, step_ms: int, now_ms: int) -> tuple[int, int, int]:
    """A range made of whole steps, none finer than asked for or kept, each made of whole tiles of the width read."""
    step_ms = max(finest_step_ms(from_ms, now_ms), step_ms)
    width_ms = next(width for width in (HOUR_MS, MINUTE_MS, TILE_MS) if step_ms >= width)
    step_ms += -step_ms % width_ms
    begin_ms = from_ms - from_ms % step_ms
    return begin_ms, to_ms + (-to_ms) % step_ms, step_ms


def flow_scope(flow: FlowId) -> SeriesScope:
    """A flow as a whole."""
    ids = tuple(flow_series_ids({flow}).values())
    groups = Series.objects.filter(source=flow.source, target=flow.target).exclude(consumer_group="")
    partitions = Series.objects.filter(source=flow.source, target=flow.target, partition__gte=0)
    return SeriesScope(level="flow", ids=ids, flows=(flow,), partitions=partitions.count(), groups=_ids(groups))


def topic_scope(flow: FlowId, topic: str, partition: int | None = None) -> SeriesScope | None:
    """A topic by its name on the source, or one of its partitions; a renamed remote topic's series are added up.

    None when nothing was ever measured of it.
    """
    rows = Series.objects.filter(source=flow.source, target=flow.target, topic=topic)
    ids = _ids(rows.filter(partition=-1 if partition is None else partition)) if topic else ()
    count = rows.filter(partition__gte=0).values("partition").distinct().count() if partition is None else 1
    level: TileLevel = "topic" if partition is None else "partition"
    return SeriesScope(level=level, ids=ids, flows=(flow,), partitions=count) if ids else None


def group_scope(flow: FlowId, group: str) -> SeriesScope:
    """A consumer group of a flow; empty while nothing was measured of it."""
    ids = _ids(Series.objects.filter(source=flow.source, target=flow.target, consumer_group=group))
    return SeriesScope(level="group", ids=ids, flows=(flow,), groups=ids)


def cluster_scope(flows: Collection[FlowId]) -> SeriesScope:
    """All flows into or out of a cluster together: rates and lags added up, latencies merged."""
    ids = flow_series_ids(set(flows))
    return SeriesScope(level="flow", ids=tuple(ids.values()), flows=tuple(flows))


def series(scope: SeriesScope, metric: Metric, window: Window) -> SeriesAnswer:
    """A metric over time; every point is null for one that is not measured. Raises DatabaseError."""
    bounds = bounds_of(window)
    return answer_of(metric, bounds, _by_step(scope, metric, bounds, window.now_ms)(bounds["step_ms"]))


def series_with_total(scope: SeriesScope, metric: Metric, window: Window) -> tuple[SeriesAnswer, Statistics]:
    """A metric over time, and over the whole window, both from one reading of the tiles. Raises DatabaseError."""
    bounds = bounds_of(window)
    by_step = _by_step(scope, metric, bounds, window.now_ms)
    begin_ms, end_ms = bounds["from_ms"], bounds["to_ms"]
    total = by_step(end_ms - begin_ms).get(begin_ms, Statistics(unit=metric.unit))
    return answer_of(metric, bounds, by_step(bounds["step_ms"])), total


def bounds_of(window: Window) -> dict[str, int]:
    """Return the range and the step of a window, in whole steps."""
    begin_ms, end_ms, step_ms = rounded_range(window.from_ms, window.to_ms, window.step_ms, window.now_ms)
    return {"from_ms": begin_ms, "to_ms": end_ms, "step_ms": step_ms}


def answer_of(metric: Metric, bounds: dict[str, int], found: StepStatistics) -> SeriesAnswer:
    """Return the series of these steps."""
    times = range(bounds["from_ms"], bounds["to_ms"], bounds["step_ms"])
    return SeriesAnswer(
        metric=metric.name,
        unit=metric.unit,
        **bounds,
        points=tuple(point_of(time_ms, found.get(time_ms)) for time_ms in times),
        details=tuple(found.get(time_ms) for time_ms in times),
    )


def _by_step(
    scope: SeriesScope, metric: Metric, bounds: dict[str, int], now_ms: int
) -> Callable[[int], StepStatistics]:
    """Return the function from the width of a step to its statistics. Tiles are read once, no wider than a step."""
    if metric.source == "tiles" or (metric.source == "group_tiles" and scope.groups):
        rows = _tiles(scope, metric, bounds, now_ms)
        covered = measured_spans(level_of(scope, metric), rows)
        return lambda step_ms: tile_steps(scope, metric, rows, {**bounds, "step_ms": step_ms}, covered)
    if metric.source == "gauges" and scope.level == "flow":
        return lambda step_ms: gauge_steps(scope.ids, metric, now_ms=now_ms, **{**bounds, "step_ms": step_ms})
    if metric.source == "gaps" and scope.level == "flow":
        return lambda step_ms: gap_steps(scope.flows, metric, **{**bounds, "step_ms": step_ms})
    return lambda step_ms: {}


def tile_steps(
    scope: SeriesScope, metric: Metric, rows: list[TileRow], bounds: dict[str, int], covered: Sequence[Span]
) -> StepStatistics:
    """Return the statistics of each step from tiles; a ratio is that of one partition."""
    found = steps(metric, rows, **bounds, covered=covered)
    if metric.kind == "ratio":
        return {time_ms: divided(each, scope.partitions) for time_ms, each in found.items() if scope.partitions}
    return found


def _tiles(scope: SeriesScope, metric: Metric, bounds: dict[str, int], now_ms: int) -> list[TileRow]:
    """Of the steps and a little later: the next tile tells whether the silence before it was measured."""
    level = level_of(scope, metric)
    ids = scope.groups if level == "group" else scope.ids
    if not ids:
        return []
    marks = store_marks({flow.target for flow in scope.flows}, now_ms)
    wider = {**bounds, "to_ms": bounds["to_ms"] + max(IDLE_MS, bounds["step_ms"])}
    return list(read_tiles(level, ids, **wider, marks=marks, histogram=metric.histogram))


def level_of(scope: SeriesScope, metric: Metric) -> TileLevel:
    """Return the level of the tiles that have a metric of a scope."""
    return "group" if metric.source == "group_tiles" else scope.level


def _ids(rows: QuerySet[Series]) -> tuple[int, ...]:
    return tuple(rows.values_list("id", flat=True))


def fleet_series(flows: Sequence[FlowNow], *, from_ms: int, to_ms: int, step_ms: int, now_ms: int) -> FleetSeries:
    """All flows added up, for the tiles of the page; many flows get wider steps. Raises DatabaseError."""
    least_ms = (to_ms - from_ms) * len(flows) // _MOST_FLEET_TILES
    if least_ms > step_ms:
        step_ms = next((width for width in (TILE_MS, MINUTE_MS) if width >= least_ms), HOUR_MS)
    begin_ms, end_ms, step_ms = rounded_range(from_ms, to_ms, step_ms, now_ms)
    ids = flow_series_ids({FlowId(flow.source, flow.target) for flow in flows})
    marks = store_marks({flow.target for flow in flows}, now_ms)
    rows = list(
        read_tiles(
            "flow", ids.values(), from_ms=begin_ms, to_ms=end_ms, step_ms=step_ms, marks=marks, histogram="latency"
        )
    )
    bounds = {"from_ms": begin_ms, "to_ms": end_ms, "step_ms": step_ms}
    return FleetSeries(
        **bounds,
        points={metric.name: _fleet_points(metric, rows, bounds) for metric in FLEET_METRICS},
        totals={metric.name: statistics(metric, rows) for metric in FLEET_METRICS},
    )


def _fleet_points(metric: Metric, rows: Sequence[TileRow], bounds: dict[str, int]) -> tuple[Point | None, ...]:
    if metric.kind == "quantile" and metric.quantile is not None:
        return quantile_points(rows, metric.quantile, **bounds)
    return points(metric, rows, **bounds)
