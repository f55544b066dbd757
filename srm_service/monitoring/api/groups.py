"""REST resource of the stored partitions of consumer groups."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery
from srm_service.core.api.requests import Values
from srm_service.flows.api.known_flow import known_flow
from srm_service.monitoring.api.shared_answers import shared_answer
from srm_service.monitoring.api.views import store_answers
from srm_service.monitoring.flows.group_partitions import ORDERINGS, GroupPartitionNow, group_partitions


class GroupPartitionListQuery(PageQuery):
    """Filters and orders of the list of partitions of groups."""

    orderings: ClassVar[Mapping[str, str]] = ORDERINGS

    group = serializers.CharField(
        required=False, default="", max_length=32_767, trim_whitespace=False, help_text="the whole name of a group"
    )
    topic = serializers.CharField(required=False, default="", max_length=249, help_text="name on the source")


class GroupPartitionSerializer(DataclassSerializer):
    """A partition of a consumer group."""

    shape = GroupPartitionNow


class GroupPartitionListSerializer(ListSerializer):
    """Partitions of consumer groups, by group, topic and number."""

    items = GroupPartitionSerializer(many=True)


class GroupPartitionListView(APIView):
    @shared_answer
    @operation(
        "replications_group_partitions",
        "The partitions of all consumer groups of a flow, as they were last reported",
        query=GroupPartitionListQuery,
        responses=GroupPartitionListSerializer,
        tags=["consumer groups"],
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow = known_flow(source, target)
        with store_answers():
            page = group_partitions(flow, query)
        return list_response(page, asdict)
