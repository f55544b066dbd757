"""Read operations of the replication statistics: one class per path. Basic authentication is enough for each."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import Page, page_of
from srm_service.core.api.requests import Values
from srm_service.core.contracts import Partial
from srm_service.monitoring.api.views import find_flow, store_answers
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.flows.topic_pairs import (
    RemotePair,
    is_present,
    pairs_of_remote_topic,
    pairs_of_topic,
    remote_pairs,
)
from srm_service.vendor_api.reads import flows_of, window_of
from srm_service.vendor_api.serializers import MetricWindowQuery
from srm_service.vendor_api.smm.serializers import (
    IsConfiguredSerializer,
    ReplicationStatsListSerializer,
    ReplicationStatsQuery,
    TopicStatsDetailSerializer,
    TopicStatsListSerializer,
    TopicStatsQuery,
)
from srm_service.vendor_api.smm.stats import flow_stats, topic_stats

_TAGS = ["smm"]


class ReplicationStatsView(APIView):
    @operation(
        "smm_replication_stats",
        "Statistics of all flows",
        query=ReplicationStatsQuery,
        responses=ReplicationStatsListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        now = overview()
        page = page_of(now.flows, query, key=lambda flow: flow.key, orderings=ReplicationStatsQuery.orderings)
        with store_answers():
            items = flow_stats(page.items, window_of(query))
        return list_response(Page(tuple(items), page.next_cursor), dict, as_of_ms=now.as_of_ms, partial=now.partial)


class IsConfiguredView(APIView):
    @operation("smm_is_configured", "Check for flows to report on", responses=IsConfiguredSerializer, tags=_TAGS)
    def get(self, request: Request) -> Response:
        flows = len(overview().flows)
        return Response({"is_configured": flows > 0, "flows": flows})


class FlowTopicStatsView(APIView):
    @operation(
        "smm_flow_topics",
        "Statistics of the topics of a flow",
        query=TopicStatsQuery,
        responses=TopicStatsListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        now = overview()
        find_flow(now, source, target)
        with store_answers():
            pairs, problems = remote_pairs(FlowId(source, target), live_snapshot())
        return _topic_page(pairs, query, as_of_ms=now.as_of_ms, partial=(*now.partial, *problems))


class TopicStatsView(APIView):
    @operation(
        "smm_flow_topic",
        "Statistics of a topic of a flow, by its name on the source or on the target",
        query=MetricWindowQuery,
        responses=TopicStatsDetailSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, topic: str, *, query: Values) -> Response:
        now, flow, live = overview(), FlowId(source, target), live_snapshot()
        find_flow(now, source, target)
        with store_answers():
            pairs = pairs_of_topic(flow, topic, live) or pairs_of_remote_topic([flow], topic, live)
            if not pairs:
                raise NotFound(f"{flow} has no topic {topic}; GET /api/v2/remote-topics/... lists all")
            (answer,) = topic_stats(pairs[:1], live, window_of(query))
        return Response({**answer, "as_of_ms": now.as_of_ms, "partial": [asdict(part) for part in now.partial]})


class TopicStatsByNameView(APIView):
    @operation(
        "smm_topics",
        "Statistics of all copies of that name, on any target",
        query=TopicStatsQuery,
        responses=TopicStatsListSerializer,
        description="Without such a copy, those of the topics with that name on the source.",
        tags=_TAGS,
    )
    def get(self, request: Request, topic: str, *, query: Values) -> Response:
        now, live = overview(), live_snapshot()
        flows = flows_of(now)
        with store_answers():
            pairs = pairs_of_remote_topic(flows, topic, live)
            pairs = pairs or tuple(pair for flow in flows for pair in pairs_of_topic(flow, topic, live))
        if not pairs:
            raise NotFound(f"no replication has a topic {topic}; GET /api/v2/remote-topics lists all")
        present = [pair for pair in pairs if is_present(pair, live)]
        return _topic_page(present or pairs, query, as_of_ms=now.as_of_ms, partial=now.partial)


def _topic_page(pairs: Sequence[RemotePair], query: Values, *, as_of_ms: int, partial: Sequence[Partial]) -> Response:
    page = page_of(
        pairs,
        query,
        key=lambda pair: f"{pair.flow} {pair.topic} {pair.remote_topic}",
        orderings=TopicStatsQuery.orderings,
    )
    with store_answers():
        items: list[dict[str, Any]] = topic_stats(page.items, live_snapshot(), window_of(query))
    return list_response(Page(tuple(items), page.next_cursor), dict, as_of_ms=as_of_ms, partial=partial)
