"""The topics of a flow: as planned and live where known, filled up from the metrics store."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import structlog
from django.db import DatabaseError
from django.db.models import QuerySet

from replication.domain.health.partition_state import known_state
from replication.domain.identifiers import FlowId
from srm_service.core.contracts import Partial
from srm_service.core.kept import Kept
from srm_service.monitoring.contracts import TopicNow
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.models import PartitionNow, Series
from srm_service.monitoring.series.statistics import merged
from srm_service.monitoring.series.tiles import TILE_MS, TileRow, by_series, read_tiles, store_marks

_FEW = 100  # names to ask for one by one, however many topics the flow has
LATENCY_WINDOW_MS = 4 * TILE_MS  # a list of 1,000 topics must stay quick
NOW_MS = 180_000  # idle partitions are reported once a minute; what is older is not the state of now
_kept: "Kept[tuple[FlowId, tuple[str, ...]], dict[str, TopicNow]]" = Kept(seconds=1.0, most=32)  # stored each 5 s
_log = structlog.get_logger(__name__)


class _TopicSeries(NamedTuple):
    series_id: int
    topic: str
    remote_topic: str


class _Now(NamedTuple):
    """The columns of `partition_now` that a list shows."""

    series_id: int
    state: str
    lag: int | None
    last_ms: int
    records_per_second: float | None
    bytes_per_second: float | None


def topic_names(flow: FlowId, live: LiveSnapshot) -> tuple[list[str], tuple[Partial, ...]]:
    """Names on the source, sorted: all that are planned, live or ever measured."""
    names = {str(topic.get("upstream")) for topic in planned_topics(flow, live)}
    names |= _live_rates(flow, live).keys()
    try:
        measured = Series.objects.filter(source=flow.source, target=flow.target, partition=-1).exclude(topic="")
        names |= set(measured.values_list("topic", flat=True))
    except DatabaseError as error:
        _log.warning("the metrics store does not answer", error=str(error))
        return sorted(names), (Partial(peer="metrics", error="the metrics store does not answer"),)
    return sorted(names), ()


def is_planned(flow: FlowId, topic: str, live: LiveSnapshot) -> bool:
    """Return True if a topic is part of the flow although nothing may have been measured of it yet."""
    return any(str(each.get("upstream")) == topic for each in planned_topics(flow, live)) or topic in _live_rates(
        flow, live
    )


def topics_now(flow: FlowId, names: Sequence[str], live: LiveSnapshot, now_ms: int) -> tuple[TopicNow, ...]:
    """The named topics, in that order. A fixed number of queries; live numbers win over stored ones."""
    try:
        stored = _kept.get((flow, tuple(names)), lambda: _stored(flow, names, now_ms))
    except DatabaseError:
        stored = {}
    planned = {str(topic.get("upstream")): topic for topic in planned_topics(flow, live)}
    rates = _live_rates(flow, live)
    return tuple(
        _with_live(_with_plan(stored.get(name, TopicNow(topic=name)), planned.get(name)), rates.get(name), live)
        for name in names
    )


def live_topics(flow: FlowId, live: LiveSnapshot) -> tuple[TopicNow, ...]:
    """The busiest topics as the tasks report them this second."""
    rates = _live_rates(flow, live)
    return tuple(_with_live(TopicNow(topic=name), rates[name], live) for name in sorted(rates))


def topics_in_memory(flow: FlowId, live: LiveSnapshot) -> dict[str, TopicNow]:
    """The topics of the plan, and the busiest ones as the tasks report them this second, by name."""
    planned = {str(topic.get("upstream")): topic for topic in planned_topics(flow, live)}
    rates = _live_rates(flow, live)
    return {
        name: _with_live(_with_plan(TopicNow(topic=name), planned.get(name)), rates.get(name), live)
        for name in planned.keys() | rates.keys()
    }


def planned_topics(flow: FlowId, live: LiveSnapshot) -> list[Mapping[str, Any]]:
    """Return the topics of the flow's plan document; none without a plan."""
    topics = live.plans.get(flow, {}).get("topics")
    return [topic for topic in topics if isinstance(topic, dict)] if isinstance(topics, list) else []


def _live_rates(flow: FlowId, live: LiveSnapshot) -> dict[str, list[Sequence[Any]]]:
    """The `topic_rates` rows of each topic; a topic may be spread over several tasks.

    A topic of a task whose loop does not run has none: a part of its numbers would be old.
    """
    rates: dict[str, list[Sequence[Any]]] = {}
    frozen: set[str] = set()
    for task in live.of(flow, "source"):
        rows = task.fields.get("topic_rates")
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, list) and len(row) >= 5:
                rates.setdefault(str(row[0]), []).append(row)
                if task.is_frozen:
                    frozen.add(str(row[0]))
    return {topic: rows for topic, rows in rates.items() if topic not in frozen}


def _with_plan(topic: TopicNow, planned: Mapping[str, Any] | None) -> TopicNow:
    if planned is None:
        return topic
    return replace(topic, remote_topic=str(planned.get("remote")), partitions=int(planned.get("partitions", 0)))


def _with_live(topic: TopicNow, rows: Sequence[Sequence[Any]] | None, live: LiveSnapshot) -> TopicNow:
    if not rows:
        return topic
    lags = [row[3] for row in rows]
    partitions = sum(int(row[4]) for row in rows)
    return replace(
        topic,
        records_per_second=float(sum(row[1] for row in rows)),
        bytes_per_second=float(sum(row[2] for row in rows)),
        lag_offsets=None if None in lags else sum(map(int, lags)),
        partitions=topic.partitions if topic.partitions is not None else partitions,
        updated_ms=live.read_ms,
    )


def _stored(flow: FlowId, names: Sequence[str], now_ms: int) -> dict[str, TopicNow]:
    """Plain rows, no model objects: a thousand topics are to be answered in a tenth of a second."""
    found = Series.objects.filter(source=flow.source, target=flow.target, partition=-1).exclude(topic="")
    is_part = len(names) <= _FEW or 2 * len(names) < found.count()
    if is_part:
        found = found.filter(topic__in=names)
    series = [_TopicSeries(*row) for row in found.values_list("id", "topic", "remote_topic")]
    wanted = set(names)
    ids: Collection[int] | QuerySet[Any] = [row.series_id for row in series if row.topic in wanted]
    if len(series) == len(ids) and not is_part:
        ids = found.values("id")  # all of the flow: the database finds them sooner than it reads a thousand numbers
    nows = (_Now(*row) for row in PartitionNow.objects.filter(series_id__in=ids).values_list(*_Now._fields))
    now_rows = {row.series_id: row for row in nows}
    begin_ms = now_ms - now_ms % TILE_MS - LATENCY_WINDOW_MS
    marks = store_marks({flow.target}, now_ms)
    tiles = by_series(
        read_tiles("topic", ids, from_ms=begin_ms, to_ms=now_ms, step_ms=TILE_MS, marks=marks, histogram="latency")
    )
    asked = (row for row in series if row.topic in wanted)
    newest_last = sorted(asked, key=lambda row: now_rows[row.series_id].last_ms if row.series_id in now_rows else 0)
    return {
        row.topic: _stored_topic(row, now_rows.get(row.series_id), tiles.get(row.series_id, ()), now_ms)
        for row in newest_last
    }


def _stored_topic(series: _TopicSeries, now: _Now | None, tiles: Iterable[TileRow], now_ms: int) -> TopicNow:
    latency = merged(tiles)
    fresh = now if now is not None and now_ms - now.last_ms <= NOW_MS else None
    return TopicNow(
        topic=series.topic,
        remote_topic=series.remote_topic,
        state=known_state(fresh.state) if fresh is not None else None,
        records_per_second=fresh.records_per_second if fresh is not None else None,
        bytes_per_second=fresh.bytes_per_second if fresh is not None else None,
        lag_offsets=fresh.lag if fresh is not None else None,
        latency_p50_ms=latency.quantile(0.50),
        latency_p95_ms=latency.quantile(0.95),
        latency_max_ms=float(latency.max_ms) if latency.count else None,
        updated_ms=now.last_ms if now is not None else None,
    )
