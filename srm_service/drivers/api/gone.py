"""REST resource of driver processes that no longer report."""

from collections.abc import Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery, SortKey, page_of
from srm_service.core.api.requests import Values
from srm_service.drivers.contracts import GoneProcess
from srm_service.drivers.seen import gone_processes
from srm_service.monitoring.flows.live_state import live_snapshot


class GoneProcessQuery(PageQuery):
    """The orders of driver processes that are gone."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("id", "role", "host", "first_seen_ms", "last_seen_ms", "tasks")
    }


class GoneProcessSerializer(DataclassSerializer):
    """A driver process that reported before and no longer does."""

    shape = GoneProcess


class GoneProcessListSerializer(ListSerializer):
    """Driver processes that are gone, by id and role."""

    items = GoneProcessSerializer(many=True)


class GoneProcessListView(APIView):
    @operation(
        "drivers_gone",
        "Driver processes that reported before and no longer do",
        query=GoneProcessQuery,
        responses=GoneProcessListSerializer,
        description="Of the last seven days. Without Redis the list is empty, and `partial` says so.",
        tags=["drivers"],
    )
    def get(self, request: Request, *, query: Values) -> Response:
        live = live_snapshot()
        gone = gone_processes(live)
        page = page_of(gone, query, key=lambda row: row.key, orderings=GoneProcessQuery.orderings)
        return list_response(page, asdict, as_of_ms=live.read_ms, partial=live.partial)
