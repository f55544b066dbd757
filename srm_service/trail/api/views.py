"""REST resources of the audit trail: list, one entry, export."""

from dataclasses import asdict, fields

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.files.row_files import file_answer
from srm_service.core.api.lists import list_response
from srm_service.core.api.negotiation import AnyAccepted
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.core.api.row_pages import rows_page
from srm_service.core.auth.roles import UserRole
from srm_service.trail.api.serializers import (
    TrailEntrySerializer,
    TrailExportQuery,
    TrailListSerializer,
    TrailQuery,
)
from srm_service.trail.contracts import TrailDto, TrailSubject
from srm_service.trail.selectors import TrailFilter, trail_all, trail_dto, trail_find, trail_rows
from srm_service.trail.services import record

_TAGS = ["trail"]
_MOST_EXPORTED = 100_000


class TrailListView(APIView):
    @operation("trail_list", "Changes and orders", query=TrailQuery, responses=TrailListSerializer, tags=_TAGS)
    def get(self, request: Request, *, query: Values) -> Response:
        rows = trail_rows(_filter(query))
        page = rows_page(rows, query, orderings=TrailQuery.orderings, default="-id")
        return list_response(page, lambda entry: asdict(trail_dto(entry)))


class TrailEntryView(APIView):
    @operation("trail_detail", "One change or order", responses=TrailEntrySerializer, tags=_TAGS)
    def get(self, request: Request, entry_id: int) -> Response:
        entry = trail_find(entry_id)
        if entry is None:
            raise NotFound(f"the trail has no entry {entry_id}; GET /api/v2/trail lists all")
        return Response(asdict(entry))


class TrailExportView(APIView):
    reading_role: UserRole = "admin"
    content_negotiation_class = AnyAccepted

    @operation(
        "trail_export",
        "Changes and orders as a file",
        query=TrailExportQuery,
        description=f"The newest {_MOST_EXPORTED:,} of the wanted entries.",
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/json"): TrailEntrySerializer(many=True)},
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> HttpResponse:
        entries = trail_all(_filter(query), most=_MOST_EXPORTED)
        answer = file_answer(entries, TrailDto, query["file"], name="trail", time="at_ms")
        wanted = {name: value for name, value in asdict(_filter(query)).items() if value not in ("", None)}
        by = request.user.get_username()
        record(by=by, action="trail.export", subject=TrailSubject("service", "trail"), after={"filter": wanted})
        return answer


def _filter(query: Values) -> TrailFilter:
    return TrailFilter(**{name: query[name] for name in (each.name for each in fields(TrailFilter)) if name in query})
