"""One statistic of all topics of a flow over a range, by which the service orders their list.

The database adds the tiles up: a flow of thousands of topics gives one row each. The rules are those of
`series.statistics`, of the same tiles as the numbers of the list.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from django.db import connections
from rest_framework.exceptions import ValidationError

from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import METRICS, Metric
from srm_service.core.kept import Kept
from srm_service.monitoring.models import LEVEL_WIDTHS, Series
from srm_service.monitoring.series.covered_time import IDLE_MS
from srm_service.monitoring.series.flow_metrics import window_step_ms
from srm_service.monitoring.series.statistics import merged
from srm_service.monitoring.series.tiles import TileHistogram, TileRow, segments, store_marks

RankStatistic = Literal["avg", "min", "max", "p95"]
LATENCY = METRICS["replication_latency_ms"]
_KEPT_MS = 5_000
_MOST_HISTOGRAMS = 200_000  # they are added up here, not by the database
_Window = tuple[int, int, int]  # from, to and now in epoch ms
_kept: Kept[tuple[FlowId, str, str, int, int], Mapping[str, float]] = Kept(seconds=_KEPT_MS / 1_000, most=16)

# A topic that was copied under several names has several series: they are added up under the first one.
_OWN = """
WITH own AS (
    SELECT id, MIN(id) OVER (PARTITION BY topic) AS first_id FROM series
    WHERE source = %s AND target = %s AND partition = -1 AND topic <> ''
)
"""
_STEPS = """
, steps AS (
    SELECT first_id, time_ms, width_ms, SUM(value) AS value, SUM(high) AS high
    FROM ({tiles}) AS tiles GROUP BY first_id, time_ms, width_ms
)
"""
_TILES = """
SELECT own.first_id, time_ms, {width_ms} AS width_ms, {value} AS value, {high} AS high
FROM own JOIN {table} AS tile ON tile.id = own.id WHERE time_ms >= {from_ms} AND time_ms < {to_ms}
"""
_SPREADS = """
SELECT first_id, SUM(value * width_ms), MIN(value), MAX(value), MAX(high),
       SUM(CASE WHEN value IS NULL THEN 0 ELSE width_ms END),
       SUM(width_ms + CASE WHEN silence_ms BETWEEN 0 AND {idle_ms} THEN silence_ms ELSE 0 END)
FROM (
    SELECT steps.*, time_ms - LAG(time_ms + width_ms) OVER (PARTITION BY first_id ORDER BY time_ms) AS silence_ms
    FROM steps
) AS covered GROUP BY first_id HAVING COUNT(value) > 0
"""
_RANKED = """
SELECT first_id, value FROM (
    SELECT first_id, value, ROW_NUMBER() OVER (PARTITION BY first_id ORDER BY value) AS place,
           COUNT(*) OVER (PARTITION BY first_id) AS number
    FROM steps WHERE value IS NOT NULL
) AS ranked WHERE place = (95 * number + 99) / 100
"""
_HISTOGRAMS = """
SELECT own.first_id, time_ms, latency_count, latency_min_ms, latency_max_ms, latency_sum_ms, latency_negative_count,
       latency_hist
FROM own JOIN {table} AS tile ON tile.id = own.id
WHERE time_ms >= {from_ms} AND time_ms < {to_ms} AND latency_count > 0
"""


def ranks_in_range(
    flow: FlowId, metric: Metric, statistic: RankStatistic, *, from_ms: int, to_ms: int, now_ms: int
) -> Mapping[str, float]:
    """Return the values of the topics that have one, by name; of a latency always the 95th percentile.

    At most eight queries; kept for five seconds. Raises DatabaseError, and ValidationError for a range whose latencies
    are too many.
    """
    key = flow, metric.name, statistic, from_ms // _KEPT_MS, (to_ms - 1) // _KEPT_MS
    return _kept.get(key, lambda: _ranks(flow, metric, statistic, (from_ms, to_ms, now_ms)))


def _ranks(flow: FlowId, metric: Metric, statistic: RankStatistic, window: _Window) -> dict[str, float]:
    own = Series.objects.filter(source=flow.source, target=flow.target, partition=-1).exclude(topic="")
    names: dict[int, str] = dict(own.values_list("id", "topic"))
    if not names:
        return {}
    if metric.histogram is not None:
        values = _latencies(flow, len(names), window)
    else:
        values = _values(flow, metric, statistic, len(names), window)
    return {names[series]: value for series, value in values if series in names}


def _values(
    flow: FlowId, metric: Metric, statistic: RankStatistic, topics: int, window: _Window
) -> Iterator[tuple[int, float]]:
    is_rate = metric.kind == "rate"
    parts = [
        _TILES.format(
            width_ms=width_ms,
            value=f"{metric.columns[0]} * 1000.0 / {width_ms}" if is_rate else metric.columns[0],
            high="CAST(NULL AS BIGINT)" if is_rate else metric.columns[1],
            table=table,
            from_ms=begin_ms,
            to_ms=end_ms,
        )
        for table, width_ms, begin_ms, end_ms in _tables(flow, topics, window)
    ]
    if not parts:
        return
    steps = _OWN + _STEPS.format(tiles=" UNION ALL ".join(parts))
    if statistic == "p95":
        for series, value in _rows(steps + _RANKED, flow):
            yield series, float(value)
        return
    for series, total, low, top, high, tiles_ms, covered_ms in _rows(steps + _SPREADS.format(idle_ms=IDLE_MS), flow):
        over_ms = covered_ms if is_rate else tiles_ms
        found = {
            "avg": total / max(1, over_ms),
            "min": 0 if over_ms > tiles_ms else low,  # in silence that is covered nothing was copied
            "max": top if is_rate else high or 0,
        }
        yield series, float(found[statistic])


def _latencies(flow: FlowId, topics: int, window: _Window) -> Iterator[tuple[int, float]]:
    tiles: dict[int, list[TileRow]] = {}
    parts = list(_tables(flow, topics, window))
    if topics * sum((end_ms - begin_ms) // width_ms for _, width_ms, begin_ms, end_ms in parts) > _MOST_HISTOGRAMS:
        text = f"{topics} topics have too many latencies in this range: shorten it, or order by another column"
        raise ValidationError({"ordering": text})
    for table, width_ms, begin_ms, end_ms in parts:
        sql = _OWN + _HISTOGRAMS.format(table=table, from_ms=begin_ms, to_ms=end_ms)
        for series, time_ms, *histogram in _rows(sql, flow):
            tiles.setdefault(series, []).append(TileRow(series, time_ms, width_ms, (), TileHistogram(*histogram)))
    for series, rows in tiles.items():
        value = merged(rows).quantile(0.95)
        if value is not None:
            yield series, value


def _tables(flow: FlowId, topics: int, window: _Window) -> Iterator[tuple[str, int, int, int]]:
    """The tile tables that hold the range, each with the width of its tiles and its part of the range."""
    from_ms, to_ms, now_ms = window
    step_ms, marks = window_step_ms(topics, from_ms, to_ms, now_ms), store_marks({flow.target}, now_ms)
    end_ms = min(to_ms, marks.complete_to_ms)
    for width, width_ms, part_from_ms, part_to_ms in segments(from_ms - from_ms % step_ms, end_ms, step_ms, marks):
        yield LEVEL_WIDTHS[("topic", width)]._meta.db_table, width_ms, part_from_ms, part_to_ms


def _rows(sql: str, flow: FlowId) -> list[tuple[Any, ...]]:
    with connections[Series.objects.db].cursor() as cursor:
        cursor.execute(sql, [flow.source, flow.target])
        return list(cursor.fetchall())
