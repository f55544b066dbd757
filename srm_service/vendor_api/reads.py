"""The answers of the metric API by their subject: a topic by either name, a flow, a consumer group, remote topics."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.response import Response

from replication.config.files.findings import nearest
from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import Metric
from srm_service.core.api.lists import list_response
from srm_service.core.api.pagination import page_of
from srm_service.core.api.requests import Values
from srm_service.core.contracts import Partial
from srm_service.monitoring.api.queries import GROUP_METRICS
from srm_service.monitoring.api.views import find_flow, store_answers
from srm_service.monitoring.contracts import Overview
from srm_service.monitoring.flows.live_state import LiveSnapshot, live_snapshot
from srm_service.monitoring.flows.topic_pairs import (
    RemotePair,
    pairs_of_remote_topic,
    pairs_of_topic,
    remote_pairs,
    remote_topic_scope,
)
from srm_service.monitoring.series.group_values import group_latest, is_group_known
from srm_service.monitoring.series.selectors import SeriesScope, Window, flow_scope, group_scope, topic_scope
from srm_service.vendor_api.metric_names import VENDOR_NAMES, known_names, metric_named
from srm_service.vendor_api.metric_values import latest_of_flow, latest_of_pairs, metric_values, pair_answers
from srm_service.vendor_api.serializers import RemoteTopicQuery


def topic_metric(now: Overview, flow: FlowId, topic: str, metric: str, query: Values) -> Response:
    """Answer one metric of a topic, by its name on the source."""
    asked = find_metric(metric)
    find_flow(now, flow.source, flow.target)
    live = live_snapshot()
    with store_answers():
        pairs = pairs_of_topic(flow, topic, live)
        if not pairs:
            raise NotFound(f"{flow} has no topic {topic}; GET /api/v2/remote-topics/... lists all")
        scope = topic_scope(flow, topic) or SeriesScope(level="topic", ids=(), flows=(flow,))
        return _topic_response(flow.target, pairs, scope, asked, query, live)


def remote_topic_metric(now: Overview, target: str, remote_topic: str, metric: str, query: Values) -> Response:
    """Answer one metric of a topic, by its name on the target."""
    asked = find_metric(metric)
    flows = [FlowId(flow.source, flow.target) for flow in now.flows if flow.target == target]
    if not flows:
        raise NotFound(f"no replication writes to a cluster {target}; GET /api/v2/replications lists all")
    live = live_snapshot()
    with store_answers():
        pairs = pairs_of_remote_topic(flows, remote_topic, live)
        if not pairs:
            raise NotFound(
                f"no replication copies to a topic {remote_topic} of {target}; GET /api/v2/remote-topics/... lists all"
            )
        return _topic_response(target, pairs, remote_topic_scope(pairs), asked, query, live)


def cluster_metric(now: Overview, flow: FlowId, metric: str, query: Values) -> Response:
    """Answer one metric of a flow."""
    asked = find_metric(metric)
    found = find_flow(now, flow.source, flow.target)
    with store_answers():
        values = metric_values(flow_scope(flow), asked, window_of(query), latest_of_flow(found, asked))
    return Response({"source": flow.source, "target": flow.target, **values})


def group_metric(now: Overview, flow: FlowId, group: str, metric: str, query: Values) -> Response:
    """Answer one metric of a consumer group of a flow."""
    asked = find_metric(metric)
    if asked.name not in GROUP_METRICS:
        names = [name for name, own in VENDOR_NAMES.items() if own in GROUP_METRICS]
        raise serializers.ValidationError({"metric": f"groups have {', '.join([*names, *GROUP_METRICS])}"})
    find_flow(now, flow.source, flow.target)
    window = window_of(query)
    with store_answers():
        if not is_group_known(flow, group):
            raise NotFound(f"{flow} has measured no consumer group {group}; GET .../groups lists all")
        latest = group_latest(flow, group, asked, window.now_ms)
        values = metric_values(group_scope(flow, group), asked, window, latest)
    return Response({"source": flow.source, "target": flow.target, "group": group, **values})


def remote_topics(now: Overview, flows: Iterable[FlowId], query: Values) -> Response:
    """Answer a page of the replicated topics of these flows."""
    live, asked = live_snapshot(), query["q"].lower()
    found: list[RemotePair] = []
    uncertain: list[Partial] = list(now.partial)
    with store_answers():
        for flow in flows:
            pairs, problems = remote_pairs(flow, live)
            found += (pair for pair in pairs if asked in pair.topic.lower() or asked in pair.remote_topic.lower())
            uncertain += problems
    page = page_of(found, query, key=_key, orderings=RemoteTopicQuery.orderings)
    return list_response(page, asdict, as_of_ms=live.read_ms, partial=uncertain)


def remote_topics_of_flow(now: Overview, flow: FlowId, query: Values) -> Response:
    """Answer a page of the replicated topics of one flow."""
    find_flow(now, flow.source, flow.target)
    return remote_topics(now, [flow], query)


def flows_of(now: Overview, target: str = "") -> list[FlowId]:
    """Return the flows into a cluster, or all."""
    return [FlowId(flow.source, flow.target) for flow in now.flows if target in ("", flow.target)]


def find_metric(name: str) -> Metric:
    """Return the metric of a path. Raises ValidationError."""
    metric = metric_named(name)
    if metric is None:
        names = known_names()
        near = nearest(name, tuple(names)) or f"; there are {', '.join(names)}"
        raise serializers.ValidationError({"metric": f"there is no metric {name}{near}"})
    return metric


def window_of(query: Values) -> Window:
    """Return the window of a checked query."""
    return Window(**{name: query[name] for name in ("from_ms", "to_ms", "step_ms", "now_ms")})


def _topic_response(
    target: str, pairs: tuple[RemotePair, ...], scope: SeriesScope, metric: Metric, query: Values, live: LiveSnapshot
) -> Response:
    window = window_of(query)
    values: dict[str, Any] = metric_values(scope, metric, window, latest_of_pairs(pairs, metric, live, window.now_ms))
    return Response({"target": target, "pairs": pair_answers(pairs), **values})


def _key(pair: RemotePair) -> str:
    return f"{pair.source}->{pair.target} {pair.topic} {pair.remote_topic}"
