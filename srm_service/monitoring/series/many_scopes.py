"""One metric of many flows or topics over one window, each with its total and its points, from one reading."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import Metric
from srm_service.monitoring.contracts import SeriesAnswer, Statistics
from srm_service.monitoring.flows.freshness import flow_series_ids
from srm_service.monitoring.models import Series
from srm_service.monitoring.series.covered_time import IDLE_MS
from srm_service.monitoring.series.many_flows import least_step_ms
from srm_service.monitoring.series.selectors import (
    SeriesScope,
    Window,
    answer_of,
    bounds_of,
    level_of,
    tile_steps,
)
from srm_service.monitoring.series.tiles import TileRow, by_series, measured_spans, read_tiles, store_marks

K = TypeVar("K")
Measured = tuple[SeriesAnswer, Statistics]


def flow_scopes(flows: Collection[FlowId]) -> dict[FlowId, SeriesScope]:
    """Return the scopes of whole flows with their consumer groups. Two queries."""
    ids = flow_series_ids(set(flows))
    groups: dict[FlowId, list[int]] = {}
    found = Series.objects.filter(
        source__in={flow.source for flow in flows}, target__in={flow.target for flow in flows}
    ).exclude(consumer_group="")
    for number, source, target in found.values_list("id", "source", "target"):
        groups.setdefault(FlowId(source, target), []).append(number)
    return {
        flow: SeriesScope(
            level="flow", ids=(ids[flow],) if flow in ids else (), flows=(flow,), groups=tuple(groups.get(flow, ()))
        )
        for flow in flows
    }


def topic_scopes(flow: FlowId, topics: Collection[str]) -> dict[str, SeriesScope]:
    """Return the scopes of topics by their name on the source, as `topic_scope` has them. One query."""
    ids: dict[str, list[int]] = {topic: [] for topic in topics}
    found = Series.objects.filter(source=flow.source, target=flow.target, partition=-1, topic__in=list(topics))
    for number, topic in found.values_list("id", "topic"):
        ids[topic].append(number)
    return {
        topic: SeriesScope(level="topic", ids=tuple(numbers), flows=(flow,)) for topic, numbers in ids.items() if topic
    }


def many_with_totals(scopes: Mapping[K, SeriesScope], metric: Metric, window: Window) -> dict[K, Measured]:
    """Return a metric of tiles of each scope; many scopes get wider steps. Raises DatabaseError."""
    wider = replace(window, step_ms=max(window.step_ms, least_step_ms(len(scopes), window)))
    bounds = bounds_of(wider)
    rows = _rows(list(scopes.values()), metric, bounds, window.now_ms)
    return {
        key: _measured(scope, metric, bounds, [row for number in _ids(scope, metric) for row in rows.get(number, ())])
        for key, scope in scopes.items()
    }


def _ids(scope: SeriesScope, metric: Metric) -> tuple[int, ...]:
    if metric.source == "group_tiles":
        return scope.groups
    return scope.ids if metric.source == "tiles" else ()


def _rows(
    scopes: Sequence[SeriesScope], metric: Metric, bounds: Mapping[str, int], now_ms: int
) -> Mapping[int, list[TileRow]]:
    """Return the tiles of all scopes by series; they are of one level."""
    ids = [number for scope in scopes for number in _ids(scope, metric)]
    if not ids:
        return {}
    marks = store_marks({flow.target for scope in scopes for flow in scope.flows}, now_ms)
    later = {**bounds, "to_ms": bounds["to_ms"] + max(IDLE_MS, bounds["step_ms"])}
    return by_series(read_tiles(level_of(scopes[0], metric), ids, **later, marks=marks, histogram=metric.histogram))


def _measured(scope: SeriesScope, metric: Metric, bounds: dict[str, int], rows: list[TileRow]) -> Measured:
    covered = measured_spans(level_of(scope, metric), rows)
    whole = {**bounds, "step_ms": bounds["to_ms"] - bounds["from_ms"]}
    total = tile_steps(scope, metric, rows, whole, covered).get(bounds["from_ms"], Statistics(unit=metric.unit))
    return answer_of(metric, bounds, tile_steps(scope, metric, rows, bounds, covered)), total
