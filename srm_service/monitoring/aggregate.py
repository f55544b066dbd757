"""Arithmetic on tiles: statistics over a window and points of a series. No database, no clock."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import orjson

from replication.domain.histogram import Histogram
from srm_service.monitoring.contracts import Point, Statistics
from srm_service.monitoring.covered_time import Span, covered_ms, covered_spans
from srm_service.monitoring.metric_names import METRIC_UNITS, MetricName
from srm_service.monitoring.tiles import HistogramPrefix, TileRow

StepStatistics = Mapping[int, Statistics]  # by the start of the step in ms
_RATE_COLUMNS = {
    "records_per_second": "records",
    "bytes_per_second": "bytes",
    "wire_bytes_per_second": "wire_bytes",
}
_READ_WITH: dict[MetricName, HistogramPrefix] = {"lag_ms": "age"}  # values that need a histogram beside the counts
_HISTOGRAM_METRICS: dict[MetricName, HistogramPrefix] = {
    "replication_latency_ms": "latency",
    "record_age_ms": "age",
    "checkpoint_latency_ms": "latency",  # of the tiles of consumer groups
}


def histogram_prefix(metric: MetricName) -> HistogramPrefix | None:
    """Which histogram of a tile a metric is read from; None when it is a count."""
    return _HISTOGRAM_METRICS.get(metric)


def read_prefix(metric: MetricName) -> HistogramPrefix | None:
    """Which histogram columns have to be read for a metric."""
    return _HISTOGRAM_METRICS.get(metric) or _READ_WITH.get(metric)


def merged(rows: Iterable[TileRow]) -> Histogram:
    """All latencies of some tiles as one histogram, from which any quantile is right."""
    filled = [row.histogram for row in rows if row.histogram is not None and row.histogram.counted]
    total = Histogram()
    if not filled:
        return total
    weights: dict[str, int] = {}  # keys stay text until the end: a list of topics merges thousands of tiles
    for tile in filled:
        total.count += tile.counted
        total.sum_ms += tile.sum_ms
        total.negative_count += tile.negative_count
        found = orjson.loads(tile.buckets or "{}")
        if not weights:
            weights = found
            continue
        for bucket, weight in found.items():
            weights[bucket] = weights[bucket] + weight if bucket in weights else weight
    total.min_ms = min(tile.min_ms or 0 for tile in filled)
    total.max_ms = max(tile.max_ms or 0 for tile in filled)
    total.buckets = {int(bucket): weight for bucket, weight in weights.items()}
    return total


def statistics(
    metric: MetricName, rows: Sequence[TileRow], latest: float | None = None, *, measured_ms: int | None = None
) -> Statistics:
    """One metric over all the rows of one series; `measured_ms` of their time was covered (else told by the rows)."""
    if histogram_prefix(metric) is not None:
        return histogram_statistics(metric, merged(rows), latest)
    if metric == "duplicates":
        total = sum(row.overlap_offsets for row in rows)
        return Statistics(
            unit=METRIC_UNITS[metric], latest=latest, sum=total if rows else None, count=len(rows) or None
        )
    return _value_statistics(metric, rows, latest, measured_ms)


def histogram_statistics(metric: MetricName, total: Histogram, latest: float | None = None) -> Statistics:
    """Statistics of milliseconds, weighted by records."""
    if not total.count:
        return Statistics(unit=METRIC_UNITS[metric], latest=latest)
    return Statistics(
        unit=METRIC_UNITS[metric],
        latest=latest,
        avg=total.mean_ms,
        min=float(total.min_ms),
        max=float(total.max_ms),
        sum=float(total.sum_ms),
        count=total.count,
        p50=total.quantile(0.50),
        p95=total.quantile(0.95),
        p99=total.quantile(0.99),
    )


def points(
    metric: MetricName, rows: Iterable[TileRow], *, from_ms: int, to_ms: int, step_ms: int
) -> tuple[Point | None, ...]:
    """One point per step of [from_ms, to_ms); rows of several series at the same time are added up."""
    found = steps(metric, rows, from_ms=from_ms, to_ms=to_ms, step_ms=step_ms)
    return tuple(point_of(time_ms, found.get(time_ms)) for time_ms in range(from_ms, to_ms, step_ms))


def steps(
    metric: MetricName,
    rows: Iterable[TileRow],
    *,
    from_ms: int,
    to_ms: int,
    step_ms: int,
    covered: Sequence[Span] | None = None,
) -> StepStatistics:
    """Statistics of each step of [from_ms, to_ms) that has data; rows of several series at a time are added up.

    `covered` is the time that was measured; the rows tell it where it is left out. Rows after `to_ms` tell it only.
    """
    given = list(rows)
    spans = covered_spans(map(_time_of, given)) if covered is None else covered
    found = {
        time_ms: statistics(metric, step, measured_ms=covered_ms(spans, time_ms, time_ms + step_ms))
        for time_ms, step in _steps(given, from_ms=from_ms, to_ms=to_ms, step_ms=step_ms)
        if step
    }
    return {time_ms: each for time_ms, each in found.items() if each.count}


def point_of(time_ms: int, step: Statistics | None) -> Point | None:
    """A step as the chart draws it; what only adds up stands with its sum."""
    if step is None or step.count is None:
        return None
    avg = step.sum if step.avg is None else step.avg
    if avg is None:
        return None
    low, high = (avg if step.min is None else step.min), (avg if step.max is None else step.max)
    return Point(time_ms, avg, low, high, step.count)


def divided(step: Statistics, by: int) -> Statistics:
    """A ratio that was added up over so many things."""
    values = {name: getattr(step, name) for name in ("avg", "min", "max", "p50", "p95", "p99")}
    return replace(step, **{name: value / by for name, value in values.items() if value is not None})


def quantile_points(
    rows: Iterable[TileRow], q: float, *, from_ms: int, to_ms: int, step_ms: int
) -> tuple[Point | None, ...]:
    """A latency quantile per step, over all series together, in the place of the average."""
    return tuple(
        _quantile_point(q, time_ms, step)
        for time_ms, step in _steps(rows, from_ms=from_ms, to_ms=to_ms, step_ms=step_ms)
    )


def _steps(
    rows: Iterable[TileRow], *, from_ms: int, to_ms: int, step_ms: int
) -> Iterator[tuple[int, Sequence[TileRow]]]:
    steps: dict[int, list[TileRow]] = {}
    for row in rows:
        steps.setdefault(row.time_ms - (row.time_ms - from_ms) % step_ms, []).append(row)
    return ((time_ms, steps.get(time_ms, ())) for time_ms in range(from_ms, to_ms, step_ms))


def _quantile_point(q: float, time_ms: int, rows: Sequence[TileRow]) -> Point | None:
    total = merged(rows)
    value = total.quantile(q)
    return None if value is None else Point(time_ms, value, float(total.min_ms), float(total.max_ms), total.count)


def _value_statistics(
    metric: MetricName, rows: Sequence[TileRow], latest: float | None, measured_ms: int | None
) -> Statistics:
    values = list(_values(metric, rows))
    if not values:
        return Statistics(unit=METRIC_UNITS[metric], latest=latest)
    ordered = sorted(value for _, value, _ in values)
    column = _RATE_COLUMNS.get(metric)
    over_ms = tiles_ms = sum(width for _, _, width in values)
    if column is not None or metric == "throttled_ratio":
        spans = covered_spans(map(_time_of, rows))
        over_ms = sum(end_ms - begin_ms for begin_ms, end_ms in spans) if measured_ms is None else measured_ms
    return Statistics(
        unit=METRIC_UNITS[metric],
        latest=latest,
        avg=math.fsum(value * width for _, value, width in values) / max(1, over_ms),  # wide tiles: more time
        min=0.0 if over_ms > tiles_ms else ordered[0],  # in silence that is covered nothing was copied
        max=_highest_lag(rows) if metric == "lag_offsets" else ordered[-1],
        sum=float(sum(getattr(row, column) for row in rows)) if column is not None else None,
        count=len(ordered),
        p50=_rank(ordered, 0.50),
        p95=_rank(ordered, 0.95),
        p99=_rank(ordered, 0.99),
    )


def _highest_lag(rows: Iterable[TileRow]) -> float:
    """The highest lag of all series together, taken as if those of one moment had met."""
    moments: dict[tuple[int, int], int] = {}
    for row in rows:
        moment = (row.time_ms, row.width_ms)
        moments[moment] = moments.get(moment, 0) + (row.lag_max or 0)
    return float(max(moments.values()))


def _values(metric: MetricName, rows: Iterable[TileRow]) -> list[tuple[int, float, int]]:
    """(time, value, width) of each moment; the series of one moment are added up."""
    column = _RATE_COLUMNS.get(metric)
    moments: dict[tuple[int, int], float] = {}
    for row in rows:
        value = _value(metric, column, row)
        if value is not None:
            moment = (row.time_ms, row.width_ms)
            known = moments.get(moment, 0.0)
            moments[moment] = max(known, value) if metric == "lag_ms" else known + value
    return [(time_ms, value, width_ms) for (time_ms, width_ms), value in sorted(moments.items())]


def _value(metric: MetricName, column: str | None, row: TileRow) -> float | None:
    if column is not None:
        return float(getattr(row, column)) * 1000 / row.width_ms
    if metric == "duplicates":
        return float(row.overlap_offsets)
    if metric == "throttled_ratio":
        return row.throttled_ms / row.width_ms  # of one partition; the reader knows how many there are
    if metric == "lag_ms":
        return _lag_ms(row)
    return None if row.lag_last is None else float(row.lag_last)


def _lag_ms(row: TileRow) -> float | None:
    """How old the oldest record copied in this time was; 0 when level, unknown when nothing moved."""
    if row.histogram is not None and row.histogram.counted:
        return float(row.histogram.max_ms or 0)
    return 0.0 if row.lag_last == 0 else None


def _time_of(row: TileRow) -> Span:
    return row.time_ms, row.time_ms + row.width_ms


def _rank(ordered: Sequence[float], q: float) -> float:
    return ordered[max(0, math.ceil(q * len(ordered)) - 1)]
