"""REST resources of the audit trail: list, one entry, export."""

from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.number_cursors import cursor_of, list_answer, number_of
from srm_service.core.auth.roles import UserRole
from srm_service.trail.api.export import as_csv, as_json
from srm_service.trail.api.serializers import (
    TrailEntrySerializer,
    TrailExportQuery,
    TrailListSerializer,
    TrailQuery,
)
from srm_service.trail.contracts import TrailSubject
from srm_service.trail.selectors import TrailFilter, trail_all, trail_find, trail_page
from srm_service.trail.services import record

_TAGS = ["trail"]
_MOST_EXPORTED = 100_000


class TrailListView(APIView):
    @extend_schema(
        operation_id="trail_list",
        summary="Changes and orders",
        parameters=[TrailQuery],
        responses=TrailListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request) -> Response:
        query = _checked(TrailQuery, request)
        cursor, limit = query.pop("cursor"), query.pop("limit")
        page, next_id = trail_page(TrailFilter(**query), before_id=number_of(cursor), limit=limit)
        return list_answer(page, None if next_id is None else cursor_of(next_id))


class TrailEntryView(APIView):
    @extend_schema(
        operation_id="trail_detail", summary="One change or order", responses=TrailEntrySerializer, tags=_TAGS
    )
    def get(self, request: Request, entry_id: int) -> Response:
        entry = trail_find(entry_id)
        if entry is None:
            raise NotFound(f"the trail has no entry {entry_id}; GET /api/v2/trail lists all")
        return Response(asdict(entry))


class TrailExportView(APIView):
    reading_role: UserRole = "admin"

    @extend_schema(
        operation_id="trail_export",
        summary="Changes and orders as a file",
        description=f"The newest {_MOST_EXPORTED:,} of the wanted entries.",
        parameters=[TrailExportQuery],
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/json"): TrailEntrySerializer(many=True)},
        tags=_TAGS,
    )
    def get(self, request: Request) -> HttpResponse:
        query = _checked(TrailExportQuery, request)
        kind = query.pop("file")
        entries = trail_all(TrailFilter(**query), most=_MOST_EXPORTED)
        text = as_csv(entries) if kind == "csv" else as_json(entries)
        wanted = {name: value for name, value in query.items() if value not in ("", None)}
        by = request.user.get_username()
        record(by=by, action="trail.export", subject=TrailSubject("service", "trail"), after={"filter": wanted})
        answer = HttpResponse(text, content_type="text/csv; charset=utf-8" if kind == "csv" else "application/json")
        answer.headers["Content-Disposition"] = f'attachment; filename="trail.{kind}"'
        return answer


def _checked(query: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    serializer = query(data=request.query_params)
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values
