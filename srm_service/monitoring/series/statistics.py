"""Arithmetic on tiles: statistics over a window and points of a series. No database, no clock."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import orjson

from replication.domain.reporting.histogram import Histogram
from replication.domain.reporting.metric_defs import Metric
from srm_service.monitoring.contracts import Point, Statistics
from srm_service.monitoring.series.covered_time import Span, covered_ms, covered_spans
from srm_service.monitoring.series.tiles import TileRow

StepStatistics = Mapping[int, Statistics]  # by the start of the step in ms


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
    metric: Metric, rows: Sequence[TileRow], latest: float | None = None, *, measured_ms: int | None = None
) -> Statistics:
    """One metric over all the rows of one series; `measured_ms` of their time was covered (else told by the rows)."""
    if metric.kind in ("histogram", "quantile"):
        return histogram_statistics(metric, merged(rows), latest)
    if metric.kind == "sum":
        total = _total(metric, rows)
        return Statistics(unit=metric.unit, latest=latest, sum=total if rows else None, count=len(rows) or None)
    return _value_statistics(metric, rows, latest, measured_ms)


def histogram_statistics(metric: Metric, total: Histogram, latest: float | None = None) -> Statistics:
    """Statistics of milliseconds, weighted by records."""
    if not total.count:
        return Statistics(unit=metric.unit, latest=latest)
    return Statistics(
        unit=metric.unit,
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
    metric: Metric, rows: Iterable[TileRow], *, from_ms: int, to_ms: int, step_ms: int
) -> tuple[Point | None, ...]:
    """One point per step of [from_ms, to_ms); rows of several series at the same time are added up."""
    found = steps(metric, rows, from_ms=from_ms, to_ms=to_ms, step_ms=step_ms)
    return tuple(point_of(time_ms, found.get(time_ms)) for time_ms in range(from_ms, to_ms, step_ms))


def steps(
    metric: Metric,
    rows: Iterable[TileRow],
    *,
    from_ms: int,
    to_ms: int,
    step_ms: int,
    covered: Sequence[Span] | None = None,
) -> StepStatistics:
    """Statistics of each step of [from_ms, to_ms) that has data; rows of several series at a time are added up.

    `covered` is the time that was measured; the rows tell it where it is not given. Rows after `to_ms` tell it only.
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
    """A step as the chart draws it; a value that only adds up has its sum."""
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
    metric: Metric, rows: Sequence[TileRow], latest: float | None, measured_ms: int | None
) -> Statistics:
    values = list(_values(metric, rows))
    if not values:
        return Statistics(unit=metric.unit, latest=latest)
    ordered = sorted(value for _, value, _ in values)
    over_ms = tiles_ms = sum(width for _, _, width in values)
    if metric.kind in ("rate", "ratio"):
        over_ms = measured_time_ms(rows) if measured_ms is None else measured_ms
    return Statistics(
        unit=metric.unit,
        latest=latest,
        avg=math.fsum(value * width for _, value, width in values) / max(1, over_ms),  # wide tiles: more time
        min=0.0 if over_ms > tiles_ms else ordered[0],  # in silence that is covered nothing was copied
        max=_highest_reading(metric, rows) if metric.kind == "reading" else ordered[-1],
        sum=float(_total(metric, rows)) if metric.kind == "rate" else None,
        count=len(ordered),
        p50=_rank(ordered, 0.50),
        p95=_rank(ordered, 0.95),
        p99=_rank(ordered, 0.99),
    )


def measured_time_ms(rows: Iterable[TileRow]) -> int:
    """Return how much time the rows of a series cover."""
    return sum(end_ms - begin_ms for begin_ms, end_ms in covered_spans(map(_time_of, rows)))


def _total(metric: Metric, rows: Iterable[TileRow]) -> int:
    return sum(row.of(metric.columns[0]) or 0 for row in rows)


def _highest_reading(metric: Metric, rows: Iterable[TileRow]) -> float:
    """The highest reading of all series together, as if those of one moment coincided."""
    times: dict[tuple[int, int], int] = {}
    for row in rows:
        moment = (row.time_ms, row.width_ms)
        times[moment] = times.get(moment, 0) + (row.of(metric.columns[1]) or 0)
    return float(max(times.values()))


def _values(metric: Metric, rows: Iterable[TileRow]) -> list[tuple[int, float, int]]:
    """(time, value, width) of each moment; the series of one moment are added up."""
    times: dict[tuple[int, int], float] = {}
    for row in rows:
        value = _value(metric, row)
        if value is not None:
            moment = (row.time_ms, row.width_ms)
            known = times.get(moment, 0.0)
            times[moment] = max(known, value) if metric.kind == "max" else known + value
    return [(time_ms, value, width_ms) for (time_ms, width_ms), value in sorted(times.items())]


def _value(metric: Metric, row: TileRow) -> float | None:
    found = row.of(metric.columns[0])
    if metric.kind == "max":
        return _oldest_ms(row.of(metric.columns[1]), found)
    if found is None:
        return None
    if metric.kind == "rate":
        return float(found) * 1000 / row.width_ms
    if metric.kind == "ratio":
        return found / row.width_ms  # of one partition; the reader knows how many there are
    return float(found)


def _oldest_ms(oldest_ms: int | None, lag: int | None) -> float | None:
    """The age of the oldest record copied in this time; 0 when level, unknown when nothing was copied."""
    if oldest_ms is not None:
        return float(oldest_ms)
    return 0.0 if lag == 0 else None


def _time_of(row: TileRow) -> Span:
    return row.time_ms, row.time_ms + row.width_ms


def _rank(ordered: Sequence[float], q: float) -> float:
    return ordered[max(0, math.ceil(q * len(ordered)) - 1)]
