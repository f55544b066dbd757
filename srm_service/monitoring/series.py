"""A metric over time: of a flow, of a topic, and of all flows together."""

from collections.abc import Collection, Sequence

from replication.domain.identifiers import FlowId
from srm_service.monitoring.aggregate import histogram_prefix, points, quantile_points
from srm_service.monitoring.contracts import FleetSeries, FlowNow, Point, SeriesAnswer
from srm_service.monitoring.freshness import flow_series_ids
from srm_service.monitoring.metric_names import METRIC_UNITS, TILE_METRICS, MetricName
from srm_service.monitoring.models import Series
from srm_service.monitoring.tiles import (
    HOUR_MS,
    MINUTE_MS,
    TILE_MS,
    Level,
    TileRow,
    finest_step_ms,
    read_tiles,
    store_marks,
)

MAX_POINTS = 2_000
_MOST_FLEET_TILES = 6_000
FLEET_METRICS: tuple[MetricName, ...] = (
    "records_per_second",
    "bytes_per_second",
    "lag_offsets",
    "replication_latency_ms",
)
FLEET_P95 = "replication_latency_p95_ms"


def rounded_range(from_ms: int, to_ms: int, step_ms: int, now_ms: int) -> tuple[int, int, int]:
    """A range made of whole steps, none finer than the tiles kept for it."""
    finest_ms = finest_step_ms(from_ms, now_ms)
    step_ms = max(finest_ms, step_ms - step_ms % finest_ms)
    begin_ms = from_ms - from_ms % step_ms
    return begin_ms, to_ms + (-to_ms) % step_ms, step_ms


def flow_series(
    flow: FlowId, metric: MetricName, *, from_ms: int, to_ms: int, step_ms: int, now_ms: int
) -> SeriesAnswer:
    """A flow's metric; every point is null for one that the tiles do not hold."""
    ids = flow_series_ids({flow}).values()
    return _answer("flow", ids, {flow.target}, metric, rounded_range(from_ms, to_ms, step_ms, now_ms), now_ms)


def topic_series(
    flow: FlowId, topic: str, metric: MetricName, *, from_ms: int, to_ms: int, step_ms: int, now_ms: int
) -> SeriesAnswer:
    """A topic's metric, by its name on the source; a renamed remote topic's series are added up."""
    rows = Series.objects.filter(source=flow.source, target=flow.target, topic=topic, partition=-1)
    ids = list(rows.values_list("id", flat=True)) if topic else []
    return _answer("topic", ids, {flow.target}, metric, rounded_range(from_ms, to_ms, step_ms, now_ms), now_ms)


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
    series: dict[str, tuple[Point | None, ...]] = {metric: points(metric, rows, **bounds) for metric in FLEET_METRICS}
    return FleetSeries(**bounds, points={**series, FLEET_P95: quantile_points(rows, 0.95, **bounds)})


def _answer(
    level: Level,
    ids: Collection[int],
    targets: Collection[str],
    metric: MetricName,
    bounds: tuple[int, int, int],
    now_ms: int,
) -> SeriesAnswer:
    begin_ms, end_ms, step_ms = bounds
    rows: list[TileRow] = []
    if ids and metric in TILE_METRICS:
        marks = store_marks(targets, now_ms)
        prefix = histogram_prefix(metric)
        rows = list(
            read_tiles(level, ids, from_ms=begin_ms, to_ms=end_ms, step_ms=step_ms, marks=marks, histogram=prefix)
        )
    return SeriesAnswer(
        metric=metric,
        unit=METRIC_UNITS[metric],
        from_ms=begin_ms,
        to_ms=end_ms,
        step_ms=step_ms,
        points=points(metric, rows, from_ms=begin_ms, to_ms=end_ms, step_ms=step_ms),
    )
