"""One metric of a flow or a topic: its value now, over the window and over time."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from typing import Any

from replication.domain.reporting.metric_defs import Metric
from srm_service.monitoring.api.answers import series_answer
from srm_service.monitoring.contracts import FlowNow, SeriesAnswer, Statistics, TopicNow
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.topic_pairs import RemotePair, is_present
from srm_service.monitoring.flows.topics import topics_now
from srm_service.monitoring.series.flow_metrics import latest_value
from srm_service.monitoring.series.selectors import SeriesScope, Window, series_with_total

_ADD_UP = ("rate", "reading")  # kinds of metrics whose values of several flows are added up


def metric_values(scope: SeriesScope, metric: Metric, window: Window, latest: float | None) -> dict[str, Any]:
    """Return the fields of `MetricValuesSerializer`. Raises DatabaseError."""
    return values_answer(*series_with_total(scope, metric, window), latest)


def values_answer(series: SeriesAnswer, total: Statistics, latest: float | None) -> dict[str, Any]:
    """Return the fields of `MetricValuesSerializer` of what was read."""
    answer = series_answer(series)
    bounds = {name: answer.pop(name) for name in ("from_ms", "to_ms", "step_ms")}
    points, details = answer.pop("points"), answer.pop("details")
    return {**answer, **asdict(replace(total, latest=latest)), "window": bounds, "points": points, "details": details}


def latest_of_flow(flow: FlowNow, metric: Metric) -> float | None:
    """Return the flow's value of this second; None where there is none."""
    return latest_value(flow, metric)


def latest_of_pairs(pairs: Collection[RemotePair], metric: Metric, live: LiveSnapshot, now_ms: int) -> float | None:
    """Return the newest value of topics that lead to one topic of the target; None where it is not known of all."""
    values = [_of_pair(pair, metric, live, now_ms) for pair in pairs if is_present(pair, live)]
    if len(values) == 1:
        return values[0]
    known = [value for value in values if value is not None]
    return sum(known) if metric.kind in _ADD_UP and known and len(known) == len(values) else None


def pair_answers(pairs: Sequence[RemotePair]) -> list[dict[str, Any]]:
    """Return the fields of `RemotePairSerializer` of each pair."""
    return [{"source": pair.source, "topic": pair.topic, "remote_topic": pair.remote_topic} for pair in pairs]


def _of_pair(pair: RemotePair, metric: Metric, live: LiveSnapshot, now_ms: int) -> float | None:
    if metric.live is None:
        return None
    topic: TopicNow = topics_now(pair.flow, [pair.topic], live, now_ms)[0]
    value: float | None = getattr(topic, metric.live, None)
    return value
