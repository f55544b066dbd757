"""Read operations on one topic of a flow, and on its partitions."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery
from srm_service.core.api.requests import Values
from srm_service.monitoring.api.answers import topic_answer
from srm_service.monitoring.api.queries import TopicQuery
from srm_service.monitoring.api.serializers import TopicSerializer
from srm_service.monitoring.api.shared_answers import shared_answer
from srm_service.monitoring.api.views import find_flow, metrics_in_range, store_answers
from srm_service.monitoring.contracts import TopicNow
from srm_service.monitoring.flows.live_state import LiveSnapshot, live_snapshot
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.flows.partitions import PartitionReport
from srm_service.monitoring.flows.topics import is_planned, topics_now
from srm_service.monitoring.peers.forwarding import answered_by_its_service
from srm_service.monitoring.topics.partition_pages import ORDERINGS, partition_page

_TAGS = ["replications"]


class PartitionListQuery(PageQuery):
    """Orders of the list of partitions."""

    orderings: ClassVar[Mapping[str, str]] = {name: name for name in ORDERINGS}


class PartitionSerializer(DataclassSerializer):
    """A partition of a topic, by its newest report."""

    shape = PartitionReport


class PartitionListSerializer(ListSerializer):
    """The partitions of a topic, by number."""

    items = PartitionSerializer(many=True)


class TopicView(APIView):
    @answered_by_its_service
    @operation("replications_topic", "One topic of a flow", query=TopicQuery, responses=TopicSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str, topic: str, *, query: Values) -> Response:
        now, flow = overview(), FlowId(source, target)
        find_flow(now, source, target)
        found = _known_topic(flow, topic, live_snapshot(), now.as_of_ms)
        return Response(topic_answer(found, metrics_in_range(flow, [topic], query).get(topic)))


class PartitionListView(APIView):
    @answered_by_its_service
    @shared_answer
    @operation(
        "replications_partitions",
        "The partitions of a topic: ends, position, lag and state",
        query=PartitionListQuery,
        responses=PartitionListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, topic: str, *, query: Values) -> Response:
        now, flow = overview(), FlowId(source, target)
        find_flow(now, source, target)
        with store_answers():
            page = partition_page(flow, topic, query, live_snapshot(), now.as_of_ms)
        if not page.items:
            _known_topic(flow, topic, live_snapshot(), now.as_of_ms)
        return list_response(page, asdict, as_of_ms=now.as_of_ms, partial=now.partial)


def _known_topic(flow: FlowId, topic: str, live: LiveSnapshot, now_ms: int) -> TopicNow:
    """Return the topic as it is now. Raises NotFound if it was neither planned nor measured."""
    (found,) = topics_now(flow, [topic], live, now_ms)
    if found == TopicNow(topic=topic) and not is_planned(flow, topic, live):
        raise NotFound(f"{flow.source}->{flow.target} has no topic {topic}; GET .../topics lists all")
    return found
