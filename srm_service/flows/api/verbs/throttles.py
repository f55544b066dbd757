"""REST resource of the throttles of topics and partitions."""

from collections.abc import Mapping
from operator import attrgetter
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery, SortKey
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.flows.api.known_flow import known_flow
from srm_service.flows.api.verbs.topic_lists import in_force_response
from srm_service.flows.contracts import ThrottleDto
from srm_service.flows.control.topic_throttles import topic_throttle_list


class TopicThrottleSerializer(DataclassSerializer):
    """A topic or partition with a throttle."""

    shape = ThrottleDto


class ThrottleListSerializer(ListSerializer):
    """The throttles of topics and partitions in force, by topic and partition."""

    items = TopicThrottleSerializer(many=True)


class ThrottleListQuery(PageQuery):
    """Orders of the list of throttles."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("topic", "bytes_per_second", "until_ms", "since_ms", "throttled_by")
    }


class ThrottleListView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "throttles_list",
        "Throttled topics and partitions of a flow",
        description="POST .../actions with throttle and a scope changes them.",
        query=ThrottleListQuery,
        responses=ThrottleListSerializer,
        tags=["replications"],
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        known_flow(source, target)
        return in_force_response(topic_throttle_list(source, target), query, ThrottleListQuery.orderings)
