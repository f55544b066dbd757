"""Metrics of many flows or topics over one window: the numbers of lists and of a flow's page."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from django.db.models import Count, QuerySet

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import GAPS, HEARTBEAT_AGE, METRICS, Metric, TileLevel
from srm_service.core.kept import Inputs, Kept
from srm_service.monitoring.contracts import FlowNow, Statistics
from srm_service.monitoring.flows.freshness import flow_series_ids
from srm_service.monitoring.models import Gap, Series
from srm_service.monitoring.series.gauges import gauge_windows
from srm_service.monitoring.series.statistics import divided, histogram_statistics, measured_time_ms, merged, statistics
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

_KEPT_MS = 5_000
FlowMetrics = Mapping[str, Statistics]  # by the metric's name
_MOST_TILES = 3_000  # of all flows of a list together; beyond that wider tiles are read
_OF_TILES = tuple(  # one reading of the tiles gives these
    metric
    for metric in METRICS.values()
    if metric.source == "tiles" and metric.kind != "ratio" and metric.histogram in (None, "latency")
)
_OF_AGES = tuple(metric for metric in METRICS.values() if metric.histogram == "age")
_THROTTLED, _CHECKPOINTS = METRICS["throttled_ratio"], METRICS["checkpoint_latency_ms"]
_kept: Kept[tuple[frozenset[FlowId], int, int], Mapping[FlowId, FlowMetrics]] = Kept(seconds=_KEPT_MS / 1_000, most=32)
_with_live: Kept[Inputs, Mapping[FlowId, dict[str, Statistics]]] = Kept(seconds=1.0, most=16)
TOPIC_METRICS = {
    name: METRICS[name] for name in ("records_per_second", "bytes_per_second", "lag_offsets", "replication_latency_ms")
}
_kept_topics: Kept[tuple[FlowId, tuple[str, ...], int, int], Mapping[str, FlowMetrics]] = Kept(
    seconds=_KEPT_MS / 1_000, most=32
)
LIST_METRICS = {metric.name: metric for metric in (*_OF_TILES, _CHECKPOINTS, HEARTBEAT_AGE, GAPS)}


def flow_metrics(
    flows: Sequence[FlowNow], *, from_ms: int, to_ms: int, now_ms: int
) -> Mapping[FlowId, dict[str, Statistics]]:
    """`LIST_METRICS` of each flow over [from_ms, to_ms). A fixed number of queries. Raises DatabaseError.

    Statistics of tiles are kept for five seconds: a tile has ten, and lists are asked for each second. Two windows with
    the same key begin and end in the same tiles.
    """
    ids = {FlowId(flow.source, flow.target): flow for flow in flows}
    window = {"from_ms": from_ms, "to_ms": to_ms, "now_ms": now_ms}
    key = frozenset(ids), from_ms // _KEPT_MS, (to_ms - 1) // _KEPT_MS
    stored = _kept.get(key, lambda: _stored_metrics(ids.keys(), **window))
    gaps = _gap_counts(ids.keys(), from_ms, to_ms)

    def make() -> Mapping[FlowId, dict[str, Statistics]]:
        return {flow: _of_flow(now, stored[flow], gaps.get(flow, 0)) for flow, now in ids.items()}

    return _with_live.get(Inputs(stored, *flows, equal=(gaps,)), make)


def topic_metrics(
    flow: FlowId, topics: Sequence[str], *, from_ms: int, to_ms: int, now_ms: int
) -> Mapping[str, FlowMetrics]:
    """Return `TOPIC_METRICS` of topics, by their name on the source, over [from_ms, to_ms), without live values.

    A fixed number of queries, kept as those of `flow_metrics`. Raises DatabaseError.
    """
    window = {"from_ms": from_ms, "to_ms": to_ms, "now_ms": now_ms}
    key = flow, tuple(topics), from_ms // _KEPT_MS, (to_ms - 1) // _KEPT_MS
    return _kept_topics.get(key, lambda: _stored_topics(flow, topics, **window))


def more_metrics(flow: FlowNow, *, from_ms: int, to_ms: int, now_ms: int) -> dict[str, Statistics]:
    """Return the metrics of one flow that lists do not have. A fixed number of queries. Raises DatabaseError."""
    window = {"from_ms": from_ms, "to_ms": to_ms, "now_ms": now_ms}
    own = Series.objects.filter(source=flow.source, target=flow.target)
    partitions = own.filter(partition__gte=0).count()
    flow_ids = flow_series_ids({FlowId(flow.source, flow.target)}).values()
    rows = list(_tiles("flow", flow_ids, {flow.target}, "age", **window))
    throttled = statistics(_THROTTLED, rows)
    return {
        **{metric.name: statistics(metric, rows, latest_value(flow, metric)) for metric in _OF_AGES},
        _THROTTLED.name: divided(throttled, partitions) if partitions else throttled,
    }


def unknown_metrics() -> dict[str, Statistics]:
    """Return the same shape as `more_metrics`, for when the metrics store does not answer."""
    return {name: Statistics(unit=metric.unit) for name, metric in METRICS.items() if name not in LIST_METRICS}


def live_metrics(flow: FlowNow) -> dict[str, Statistics]:
    """Return `LIST_METRICS` from live numbers alone, for when the metrics store does not answer."""
    return {
        name: Statistics(unit=metric.unit, latest=latest_value(flow, metric)) for name, metric in LIST_METRICS.items()
    }


def latest_value(flow: FlowNow, metric: Metric) -> float | None:
    """Return a metric's value of this second; None where there is none or it is unknown."""
    value: float | None = None if metric.live is None else getattr(flow.numbers, metric.live)
    return value


def window_step_ms(flows: int, from_ms: int, to_ms: int, now_ms: int) -> int:
    """The width of tiles to read for one number over a window: fine for short windows, never too many rows."""
    tiles = max(10, _MOST_TILES // max(1, flows))
    wanted = next((width for width in (TILE_MS, MINUTE_MS) if (to_ms - from_ms) <= width * tiles), HOUR_MS)
    return max(wanted, finest_step_ms(from_ms, now_ms))


def _tiles(
    level: TileLevel,
    series: "Collection[int] | QuerySet[Any]",
    targets: Collection[str],
    histogram: str,
    *,
    from_ms: int,
    to_ms: int,
    now_ms: int,
    among: int | None = None,
) -> Iterator[TileRow]:
    """The tiles of series, which are a part of so many: all parts have tiles of the same width."""
    step_ms = window_step_ms(len(series) if among is None else among, from_ms, to_ms, now_ms)
    marks = store_marks(targets, now_ms)
    begin_ms = from_ms - from_ms % step_ms
    return read_tiles(level, series, from_ms=begin_ms, to_ms=to_ms, step_ms=step_ms, marks=marks, histogram=histogram)


def _stored_metrics(flows: Collection[FlowId], *, from_ms: int, to_ms: int, now_ms: int) -> dict[FlowId, FlowMetrics]:
    """The statistics of tiles and of heartbeats, without live values."""
    series = flow_series_ids(flows)
    window = {"from_ms": from_ms, "to_ms": to_ms, "now_ms": now_ms}
    rows = by_series(_tiles("flow", series.values(), {flow.target for flow in flows}, "latency", **window))
    beats = gauge_windows(series.values(), HEARTBEAT_AGE, **window)
    checkpoints = _checkpoint_latencies(flows, **window)
    of_tiles = {flow: _of_series(rows.get(series.get(flow, 0), ()), beats.get(series.get(flow, 0))) for flow in flows}
    return {flow: {**found, **checkpoints.get(flow, {})} for flow, found in of_tiles.items()}


def _stored_topics(
    flow: FlowId, topics: Sequence[str], *, from_ms: int, to_ms: int, now_ms: int
) -> dict[str, FlowMetrics]:
    """A topic that was copied under several names has one row of each moment: they are added up."""
    own = Series.objects.filter(source=flow.source, target=flow.target, partition=-1).exclude(topic="")
    topic_of: dict[int, str] = dict(own.filter(topic__in=list(topics)).values_list("id", "topic"))
    rows: dict[str, list[TileRow]] = {topic: [] for topic in topics}
    window = {"from_ms": from_ms, "to_ms": to_ms, "now_ms": now_ms}
    if topic_of:
        for row in _tiles("topic", list(topic_of), {flow.target}, "latency", **window, among=own.count()):
            rows[topic_of[row.series_id]].append(row)
    return {topic: _of_series(found, None, TOPIC_METRICS.values()) for topic, found in rows.items()}


def _checkpoint_latencies(
    flows: Collection[FlowId], *, from_ms: int, to_ms: int, now_ms: int
) -> dict[FlowId, FlowMetrics]:
    """The checkpoint latency over all groups of each flow that has any. At most six queries."""
    sources, targets = {flow.source for flow in flows}, {flow.target for flow in flows}
    groups = Series.objects.filter(source__in=sources, target__in=targets, topic="", partition=-1)
    groups = groups.exclude(consumer_group="")
    flow_of = {row.id: FlowId(row.source, row.target) for row in groups}
    rows: dict[FlowId, list[TileRow]] = {flow: [] for flow in flow_of.values() if flow in flows}
    if not rows:
        return {}
    for row in _tiles("group", groups, targets, "latency", from_ms=from_ms, to_ms=to_ms, now_ms=now_ms):
        flow = flow_of.get(row.series_id)
        if flow in rows:
            rows[flow].append(row)
    return {flow: {_CHECKPOINTS.name: statistics(_CHECKPOINTS, found)} for flow, found in rows.items()}


def _of_series(
    rows: Sequence[TileRow], beats: Statistics | None, metrics: Iterable[Metric] = _OF_TILES
) -> dict[str, Statistics]:
    latency, measured_ms = merged(rows), measured_time_ms(rows)  # once for all metrics
    found = {
        metric.name: statistics(metric, rows, measured_ms=measured_ms)
        if metric.histogram is None
        else histogram_statistics(metric, latency)
        for metric in metrics
    }
    return found if beats is None else {**found, HEARTBEAT_AGE.name: beats}


def _of_flow(flow: FlowNow, stored: FlowMetrics, gaps: int) -> dict[str, Statistics]:
    metrics = live_metrics(flow)
    for name, found in stored.items():
        metrics[name] = replace(found, latest=metrics[name].latest)
    metrics[GAPS.name] = replace(metrics[GAPS.name], sum=gaps)
    return metrics


def _gap_counts(flows: Collection[FlowId], from_ms: int, to_ms: int) -> dict[FlowId, int]:
    targets = {flow.target for flow in flows}
    found = Gap.objects.filter(target__in=targets, detected_ms__gte=from_ms, detected_ms__lt=to_ms)
    counts = found.values("source", "target").annotate(gaps=Count("id"))
    return {FlowId(str(row["source"]), str(row["target"])): cast("int", row["gaps"]) for row in counts}
