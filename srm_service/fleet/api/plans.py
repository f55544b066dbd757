"""REST resources of the plan of a flow: warnings and skipped topics."""

from collections.abc import Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.questions.json_shape import to_plain
from srm_service.core.api.derived_fields import ShapeSerializers
from srm_service.core.api.lists import ListSerializer, PartialSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery, SortKey, page_of
from srm_service.core.api.requests import Values
from srm_service.core.contracts import Partial
from srm_service.fleet.plans import PlanNote, PlanNow, SkippedTopicNow, plan_missing, plan_now, skipped_topics
from srm_service.flows.api.known_flow import known_flow
from srm_service.monitoring.flows.live_state import live_snapshot

_TAGS = ["replications"]
_SERIALIZERS = ShapeSerializers(__name__, PlanNote)
_SERIALIZERS.reuse(Partial, PartialSerializer)
PlanSerializer = _SERIALIZERS.of(PlanNow)
SkippedTopicSerializer = _SERIALIZERS.of(SkippedTopicNow)


class SkippedTopicQuery(PageQuery):
    """A page of skipped topics, by name."""

    orderings: ClassVar[Mapping[str, SortKey]] = {name: attrgetter(name) for name in ("topic", "reason")}

    q = serializers.CharField(required=False, default="", max_length=249, help_text="part of the topic's name")


class SkippedTopicListSerializer(ListSerializer):
    """The topics that the lists allow and that are not copied."""

    items = SkippedTopicSerializer(many=True)


class PlanView(APIView):
    @operation(
        "replications_plan",
        "The newest plan of a flow: its size and its warnings",
        responses=PlanSerializer,
        description="As a driver reported it; nothing is asked of the clusters.",
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        return Response(to_plain(plan_now(known_flow(source, target), live_snapshot())))


class SkippedTopicListView(APIView):
    @operation(
        "replications_skipped_topics",
        "Topics that the lists allow and that the flow does not copy, with the reason",
        query=SkippedTopicQuery,
        responses=SkippedTopicListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow, live = known_flow(source, target), live_snapshot()
        part = query["q"].lower()
        found = [each for each in skipped_topics(flow, live) if part in each.topic.lower()]
        page = page_of(found, query, key=attrgetter("topic"), orderings=SkippedTopicQuery.orderings)
        return list_response(page, asdict, as_of_ms=live.read_ms, partial=plan_missing(flow, live))
