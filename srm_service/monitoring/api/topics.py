"""Read operations on one topic of a flow, and on its partitions."""

from collections.abc import Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery, SortKey, page_of
from srm_service.core.api.requests import Values
from srm_service.monitoring.api.answers import topic_answer
from srm_service.monitoring.api.serializers import TopicSerializer
from srm_service.monitoring.api.views import find_flow, store_answers
from srm_service.monitoring.contracts import TopicNow
from srm_service.monitoring.flows.live_state import LiveSnapshot, live_snapshot
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.flows.partitions import PartitionReport, partitions_now
from srm_service.monitoring.flows.topics import is_planned, topics_now
from srm_service.monitoring.peers.forwarding import answered_by_its_service

_TAGS = ["replications"]


class PartitionListQuery(PageQuery):
    """Orders of the list of partitions."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name)
        for name in (
            *("partition", "state", "slot", "driver", "lag_offsets", "lag_ms", "last_record_ms"),
            *("records_per_second", "bytes_per_second", "updated_ms"),
        )
    }


class PartitionSerializer(DataclassSerializer):
    """A partition of a topic, by its newest report."""

    shape = PartitionReport


class PartitionListSerializer(ListSerializer):
    """The partitions of a topic, by number."""

    items = PartitionSerializer(many=True)


class TopicView(APIView):
    @answered_by_its_service
    @operation("replications_topic", "One topic of a flow", responses=TopicSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str, topic: str) -> Response:
        now, flow = overview(), FlowId(source, target)
        find_flow(now, source, target)
        return Response(topic_answer(_known_topic(flow, topic, live_snapshot(), now.as_of_ms)))


class PartitionListView(APIView):
    @answered_by_its_service
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
            rows = partitions_now(flow, topic, live_snapshot(), now.as_of_ms)
        if not rows:
            _known_topic(flow, topic, live_snapshot(), now.as_of_ms)
        page = page_of(rows, query, key=lambda row: f"{row.partition:010}", orderings=PartitionListQuery.orderings)
        return list_response(page, asdict, as_of_ms=now.as_of_ms, partial=now.partial)


def _known_topic(flow: FlowId, topic: str, live: LiveSnapshot, now_ms: int) -> TopicNow:
    """Return the topic as it is now. Raises NotFound if it was neither planned nor measured."""
    (found,) = topics_now(flow, [topic], live, now_ms)
    if found == TopicNow(topic=topic) and not is_planned(flow, topic, live):
        raise NotFound(f"{flow.source}->{flow.target} has no topic {topic}; GET .../topics lists all")
    return found
