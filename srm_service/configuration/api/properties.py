"""REST resources of stored properties: list, change, import, export."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.config.tree import TREE_FORMATS, TreeFormat, TreeProperty
from srm_service.configuration.api.answers import property_answer
from srm_service.configuration.api.problems import etag, findings_answer
from srm_service.configuration.api.queries import ExportQuery, PropertyQuery, checked
from srm_service.configuration.api.serializers import (
    AppliedSerializer,
    ChangeOrderSerializer,
    ExportSerializer,
    ImportOrderSerializer,
    PropertyListSerializer,
)
from srm_service.configuration.api.steps import body_of, changes_of, take_step
from srm_service.configuration.contracts import AppliedChange
from srm_service.configuration.selectors import current_dialect, current_tree, current_version, effects_here
from srm_service.configuration.services import apply_changes
from srm_service.configuration.transfer.exporting import exported
from srm_service.configuration.transfer.importing import import_tree
from srm_service.configuration.transfer.reading import read_text
from srm_service.core.api.pagination import page_of
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms

_TAGS = ["configuration"]


class PropertyListView(APIView):
    required_role: UserRole = "operator"

    @extend_schema(
        operation_id="properties_list",
        summary="Stored properties",
        parameters=[PropertyQuery],
        responses=PropertyListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request) -> Response:
        query = checked(PropertyQuery, request)
        version, tree = current_version(), current_tree()
        effects = effects_here(tree)
        found = [
            (f"{number:07}", each)
            for number, each in enumerate(tree.properties)
            if _is_wanted(each, query) and query["effect"] in ("", effects[each.place][0])
        ]
        page = page_of(found, key=lambda item: item[0], cursor=query["cursor"], limit=query["limit"])
        answer = {
            "items": [property_answer(each, *effects[each.place]) for _, each in page.items],
            "next_cursor": page.next_cursor,
            "as_of_ms": now_ms(),
            "partial": [],
            "version": version,
            "dialect": tree.dialect,
        }
        return Response(answer, headers=etag(version))

    @extend_schema(
        operation_id="properties_change",
        summary="Set and remove properties, as one version",
        description="With `If-Match`, a configuration that has changed since is refused (412) with the differences.",
        request=ChangeOrderSerializer,
        responses=AppliedSerializer,
        tags=_TAGS,
    )
    def patch(self, request: Request) -> Response:
        body = body_of(ChangeOrderSerializer, request)
        changes = changes_of(body["changes"])
        return take_step(request, lambda **step: apply_changes(changes, **step), body)


class PropertyImportView(APIView):
    required_role: UserRole = "operator"

    @extend_schema(
        operation_id="properties_import",
        summary="Import a configuration file, as one version",
        request=ImportOrderSerializer,
        responses=AppliedSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request) -> Response:
        body = body_of(ImportOrderSerializer, request)
        file = read_text(body["text"], format=body["format"], name=body["name"])

        def step(**options: Any) -> AppliedChange:
            return import_tree(file, replaces=body["replace"], **options)

        return take_step(request, step, {**body, "comment": body["comment"] or f"import of {body['name']}"})


class PropertyExportView(APIView):
    @extend_schema(
        operation_id="properties_export",
        summary="The stored properties as a file",
        parameters=[ExportQuery],
        responses=ExportSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request) -> Response:
        query = checked(ExportQuery, request)
        chosen: TreeFormat = query.get("format") or next(each for each in TREE_FORMATS if each == current_dialect())
        version, written = current_version(), exported(chosen)
        answer = {
            "format": chosen,
            "version": version,
            "text": written.text,
            "findings": findings_answer(written.findings),
        }
        return Response(answer, headers=etag(version))


def _is_wanted(prop: TreeProperty, query: dict[str, Any]) -> bool:
    place = prop.place
    return (
        query.get("level") in (None, place.level)
        and query["alias"] in ("", place.alias)
        and query["flow"] in ("", f"{place.source}->{place.target}")
        and query["key"].lower() in place.key.lower()
    )
