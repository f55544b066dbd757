"""Read operations of the metric API: one class per path."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.config.files.findings import nearest
from replication.domain.identifiers import FlowId
from replication.domain.reporting.metric_defs import Metric
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.requests import Values
from srm_service.core.contracts import Partial
from srm_service.monitoring.api.views import find_flow, store_answers
from srm_service.monitoring.flows.live_state import LiveSnapshot, live_snapshot
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.flows.topic_pairs import (
    RemotePair,
    pairs_of_remote_topic,
    pairs_of_topic,
    remote_pairs,
    remote_topic_scope,
)
from srm_service.monitoring.series.selectors import SeriesScope, Window, flow_scope, topic_scope
from srm_service.vendor_api.metric_names import known_names, metric_named
from srm_service.vendor_api.metric_values import latest_of_flow, latest_of_pairs, metric_values, pair_answers
from srm_service.vendor_api.serializers import (
    ClusterMetricSerializer,
    MetricWindowQuery,
    RemoteTopicListSerializer,
    RemoteTopicQuery,
    TopicMetricSerializer,
)

_TAGS = ["srm"]
_METRIC = f"`metric` is one of {', '.join(known_names())}."


class TopicMetricView(APIView):
    @operation(
        "topic_metrics",
        "One metric of a topic, by its name on the source",
        query=MetricWindowQuery,
        responses=TopicMetricSerializer,
        tags=_TAGS,
        description=_METRIC,
    )
    def get(
        self, request: Request, source: str, target: str, upstream_topic: str, metric: str, *, query: Values
    ) -> Response:
        asked = find_metric(metric)
        find_flow(overview(), source, target)
        flow, live = FlowId(source, target), live_snapshot()
        with store_answers():
            pairs = pairs_of_topic(flow, upstream_topic, live)
            if not pairs:
                raise NotFound(
                    f"{source}->{target} has no topic {upstream_topic}; GET /api/v2/remote-topics/... lists all"
                )
            scope = topic_scope(flow, upstream_topic) or SeriesScope(level="topic", ids=(), flows=(flow,))
            return _topic_response(target, pairs, scope, asked, query, live)


class RemoteTopicMetricView(APIView):
    @operation(
        "remote_topic_metrics",
        "One metric of a topic, by its name on the target",
        query=MetricWindowQuery,
        responses=TopicMetricSerializer,
        tags=_TAGS,
        description=f"The topic is found by the pairs that drivers planned, under any naming policy. {_METRIC}",
    )
    def get(self, request: Request, target: str, downstream_topic: str, metric: str, *, query: Values) -> Response:
        asked = find_metric(metric)
        flows = [FlowId(flow.source, flow.target) for flow in overview().flows if flow.target == target]
        if not flows:
            raise NotFound(f"no replication writes to a cluster {target}; GET /api/v2/replications lists all")
        live = live_snapshot()
        with store_answers():
            pairs = pairs_of_remote_topic(flows, downstream_topic, live)
            if not pairs:
                raise NotFound(
                    f"no replication copies to a topic {downstream_topic} of {target}; "
                    "GET /api/v2/remote-topics/... lists all"
                )
            return _topic_response(target, pairs, remote_topic_scope(pairs), asked, query, live)


class ClusterMetricView(APIView):
    @operation(
        "cluster_metrics",
        "One metric of the flow between two clusters",
        query=MetricWindowQuery,
        responses=ClusterMetricSerializer,
        tags=_TAGS,
        description=_METRIC,
    )
    def get(self, request: Request, source: str, target: str, metric: str, *, query: Values) -> Response:
        asked = find_metric(metric)
        flow = find_flow(overview(), source, target)
        with store_answers():
            scope = flow_scope(FlowId(source, target))
            values = metric_values(scope, asked, _window(query), latest_of_flow(flow, asked))
        return Response({"source": source, "target": target, **values})


class RemoteTopicListView(APIView):
    @operation(
        "remote_topics",
        "Replicated topics of all flows",
        query=RemoteTopicQuery,
        responses=RemoteTopicListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        now = overview()
        return _remote_topics([FlowId(flow.source, flow.target) for flow in now.flows], now.partial, query)


class FlowRemoteTopicListView(APIView):
    @operation(
        "remote_topics_of_flow",
        "Replicated topics of a flow",
        query=RemoteTopicQuery,
        responses=RemoteTopicListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        now = overview()
        find_flow(now, source, target)
        return _remote_topics([FlowId(source, target)], now.partial, query)


def find_metric(name: str) -> Metric:
    """Return the metric of a path. Raises ValidationError."""
    metric = metric_named(name)
    if metric is None:
        names = known_names()
        near = nearest(name, tuple(names)) or f"; there are {', '.join(names)}"
        raise serializers.ValidationError({"metric": f"there is no metric {name}{near}"})
    return metric


def _topic_response(
    target: str, pairs: tuple[RemotePair, ...], scope: SeriesScope, metric: Metric, query: Values, live: LiveSnapshot
) -> Response:
    window = _window(query)
    values = metric_values(scope, metric, window, latest_of_pairs(pairs, metric, live, window.now_ms))
    return Response({"target": target, "pairs": pair_answers(pairs), **values})


def _remote_topics(flows: Iterable[FlowId], partial: tuple[Partial, ...], query: Values) -> Response:
    live, asked = live_snapshot(), query["q"].lower()
    found: list[RemotePair] = []
    uncertain = list(partial)
    with store_answers():
        for flow in flows:
            pairs, problems = remote_pairs(flow, live)
            found += (pair for pair in pairs if asked in pair.topic.lower() or asked in pair.remote_topic.lower())
            uncertain += problems
    page = page_of(found, query, key=_key, orderings=RemoteTopicQuery.orderings)
    return list_response(page, _pair_answer, as_of_ms=live.read_ms, partial=uncertain)


def _key(pair: RemotePair) -> str:
    return f"{pair.source}->{pair.target} {pair.topic} {pair.remote_topic}"


def _pair_answer(pair: RemotePair) -> dict[str, Any]:
    return asdict(pair)


def _window(query: Values) -> Window:
    return Window(**{name: query[name] for name in ("from_ms", "to_ms", "step_ms", "now_ms")})
