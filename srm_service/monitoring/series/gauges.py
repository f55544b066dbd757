"""Metrics over time that are not in tiles: heartbeat ages from gauges, gaps from their own table."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Max, Min, QuerySet, Sum

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import Metric, TileWidth
from srm_service.monitoring.contracts import Statistics
from srm_service.monitoring.models import GAUGE_WIDTHS, Gap
from srm_service.monitoring.series.tiles import HOUR_MS, MINUTE_MS, finest_step_ms


def gauge_steps(
    ids: Collection[int], metric: Metric, *, from_ms: int, to_ms: int, step_ms: int, now_ms: int
) -> Mapping[int, Statistics]:
    """Readings of a metric's gauge by step, of all series together. One query."""
    rows = _rows(ids, metric, from_ms, to_ms, now_ms)
    found: dict[int, Statistics] = {}
    for time_ms, count, low, high, total in rows.values_list("time_ms", "count", "min", "max", "sum"):
        start_ms = time_ms - (time_ms - from_ms) % step_ms
        found[start_ms] = _added(found.get(start_ms), metric, count, low, high, total)
    return found


def gauge_windows(
    ids: Collection[int], metric: Metric, *, from_ms: int, to_ms: int, now_ms: int
) -> Mapping[int, Statistics]:
    """Readings of a metric's gauge over the whole time, by series. One query."""
    rows = _rows(ids, metric, from_ms, to_ms, now_ms).values("id")
    added = rows.annotate(n=Sum("count"), low=Min("min"), high=Max("max"), total=Sum("sum")).order_by("id")
    return {row["id"]: _added(None, metric, row["n"], row["low"], row["high"], row["total"]) for row in added}


def gap_steps(
    flows: Collection[FlowId], metric: Metric, *, from_ms: int, to_ms: int, step_ms: int
) -> Mapping[int, Statistics]:
    """Gaps detected by step. One query."""
    rows = Gap.objects.filter(
        target__in={flow.target for flow in flows}, detected_ms__gte=from_ms, detected_ms__lt=to_ms
    ).values_list("source", "target", "detected_ms")
    wanted = set(flows)
    counts = Counter(
        detected_ms - (detected_ms - from_ms) % step_ms
        for source, target, detected_ms in rows
        if FlowId(source, target) in wanted
    )
    return {time_ms: Statistics(unit=metric.unit, sum=float(n), count=n) for time_ms, n in counts.items()}


def _rows(ids: Collection[int], metric: Metric, from_ms: int, to_ms: int, now_ms: int) -> QuerySet[Any]:
    """Return the rows of the finest width that is kept for the whole time."""
    finest_ms = finest_step_ms(from_ms, now_ms)
    width: TileWidth = "1h" if finest_ms == HOUR_MS else "1m" if finest_ms == MINUTE_MS else "10s"
    return GAUGE_WIDTHS[width]._default_manager.filter(
        id__in=list(ids), name=metric.name, time_ms__gte=from_ms, time_ms__lt=to_ms
    )


def _added(before: Statistics | None, metric: Metric, count: int, low: int, high: int, total: int) -> Statistics:
    count_before = 0 if before is None or before.count is None else before.count
    sum_before = 0.0 if before is None or before.sum is None else before.sum
    lows = [float(low), *([] if before is None or before.min is None else [before.min])]
    highs = [float(high), *([] if before is None or before.max is None else [before.max])]
    added = sum_before + total
    return Statistics(
        unit=metric.unit,
        avg=added / (count_before + count),
        min=min(lows),
        max=max(highs),
        sum=added,
        count=count_before + count,
    )
