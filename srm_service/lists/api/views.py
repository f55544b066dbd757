"""REST resource of a flow's allow and deny lists."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.desired.name_lists import LIST_KINDS, ListEntry, ListKind, list_changes
from replication.domain.errors import InvalidPatternError
from srm_service.core.api.operation import operation
from srm_service.core.api.problem import Unavailable
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.flows.selectors import flow_find
from srm_service.lists.api.serializers import ControlListSerializer, ListChangeSerializer
from srm_service.lists.contracts import FlowLists
from srm_service.lists.selectors import lists_of
from srm_service.lists.services import ListsUnavailableError, lists_change

_TAGS = ["lists"]
_KIND = OpenApiParameter("kind", str, OpenApiParameter.PATH, enum=list(LIST_KINDS))


@extend_schema(parameters=[_KIND])
class ControlListView(APIView):
    required_role: UserRole = "operator"

    @operation("lists_detail", "Allow and deny list of a flow", responses=ControlListSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str, kind: str) -> Response:
        chosen = _known(source, target, kind)
        return Response(_answer(chosen, lists_of(source, target)))

    @operation(
        "lists_change",
        "Change the allow and deny list of a flow",
        body=ListChangeSerializer,
        description="Writes to the flow's control topic in the target cluster and reads it back. In force at once.",
        responses=ControlListSerializer,
        tags=_TAGS,
        keeps_answer=False,
    )
    def post(self, request: Request, source: str, target: str, kind: str, *, body: Values) -> Response:
        chosen = _known(source, target, kind)
        values = dict(body)
        is_dry_run = values.pop("dry_run")
        try:
            changes = list_changes(chosen, **values)
        except InvalidPatternError as error:
            raise serializers.ValidationError({"patterns": error.text}) from error
        if is_dry_run:
            return Response(_answer(chosen, lists_of(source, target)))
        by = request.user.get_username()
        try:
            lists = lists_change(source=source, target=target, changes=changes, by=by)
        except ListsUnavailableError as error:
            raise Unavailable(f"the lists of {source}->{target} are not changed: {error}") from error
        return Response(_answer(chosen, lists))


def _known(source: str, target: str, kind: str) -> ListKind:
    chosen = next((known for known in LIST_KINDS if known == kind), None)
    if chosen is None:
        raise NotFound(f"there is no list {kind}; known are {', '.join(LIST_KINDS)}")
    if flow_find(source, target) is None:
        raise NotFound(f"there is no replication {source}->{target}; GET /api/v2/replications lists all")
    return chosen


def _answer(kind: ListKind, flow: FlowLists) -> dict[str, Any]:
    return {
        "kind": kind,
        "control_offset": flow.lists.offset,
        "allow": [_row(entry) for entry in flow.lists.of(kind, "allow")],
        "deny": [_row(entry) for entry in flow.lists.of(kind, "deny")],
        "unreadable": [{"offset": each.offset, "error": each.error} for each in flow.lists.unreadable],
        "problem": flow.problem,
        "read_ms": flow.read_ms,
    }


def _row(entry: ListEntry) -> dict[str, Any]:
    return {
        "pattern": entry.place.pattern,
        "offset": entry.offset,
        "written_ms": entry.written_ms,
        "by": entry.by,
        "problem": entry.problem,
    }
