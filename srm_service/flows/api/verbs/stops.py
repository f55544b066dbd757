"""REST resource of stops: topics and partitions that no task has."""

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
from srm_service.flows.contracts import StopDto
from srm_service.flows.control.topic_stops import stop_list


class StopSerializer(DataclassSerializer):
    """A topic or partition that no task has."""

    shape = StopDto


class StopListSerializer(ListSerializer):
    """The stops in force, by topic and partition."""

    items = StopSerializer(many=True)


class StopListQuery(PageQuery):
    """Orders of the list of stops."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("topic", "until_ms", "since_ms", "stopped_by")
    }


class StopListView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "stops_list",
        "Stopped topics and partitions of a flow",
        description="POST .../actions with stop and start changes them.",
        query=StopListQuery,
        responses=StopListSerializer,
        tags=["replications"],
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        known_flow(source, target)
        return in_force_response(stop_list(source, target), query, StopListQuery.orderings)
