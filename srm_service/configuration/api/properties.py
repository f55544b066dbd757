"""REST resources of stored properties: list, change, import, export."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.config.tree import TREE_FORMATS, TreeFormat, TreeProperty
from srm_service.configuration.api.answers import property_answer
from srm_service.configuration.api.problems import INVALID_EXAMPLE, findings_answer
from srm_service.configuration.api.queries import ExportQuery, PropertyQuery
from srm_service.configuration.api.serializers import (
    AppliedSerializer,
    ChangeOrderSerializer,
    ExportSerializer,
    ImportOrderSerializer,
    PropertyListSerializer,
)
from srm_service.configuration.api.steps import changes_of, run_step
from srm_service.configuration.contracts import AppliedChange
from srm_service.configuration.selectors import current_dialect, current_tree, current_version, effects_here
from srm_service.configuration.services import apply_changes
from srm_service.configuration.transfer.exporting import exported
from srm_service.configuration.transfer.importing import import_tree
from srm_service.configuration.transfer.reading import read_text
from srm_service.core.api.etags import etag_of_version, tagged
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole

_TAGS = ["configuration"]


class PropertyListView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "properties_list", "Stored properties", query=PropertyQuery, responses=PropertyListSerializer, tags=_TAGS
    )
    def get(self, request: Request, *, query: Values) -> Response:
        version, tree = current_version(), current_tree()
        effects = effects_here(tree)
        found = [
            (number, each)
            for number, each in enumerate(tree.properties)
            if _is_wanted(each, query) and query["effect"] in ("", effects[each.place][0])
        ]
        page = page_of(found, query, key=_key, orderings=PropertyQuery.orderings, default="position")
        response = list_response(
            page,
            lambda item: property_answer(item[1], *effects[item[1].place]),
            more={"version": version, "dialect": tree.dialect},
        )
        return tagged(response, etag_of_version(version))

    @operation(
        "properties_change",
        "Set and remove properties, as one version",
        body=ChangeOrderSerializer,
        description=(
            "With `If-Match`, a configuration that has changed since is refused (412) with the differences. A stored "
            "secret of a cluster is never moved to another place: with other bootstrap servers, or other settings that "
            "begin with `security.`, `sasl.` or `ssl.`, it must be in the changes."
        ),
        responses=AppliedSerializer,
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
        if_match=True,
    )
    def patch(self, request: Request, *, body: Values) -> Response:
        changes = changes_of(body["changes"])
        return run_step(request, lambda **step: apply_changes(changes, **step), body)


class PropertyImportView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "properties_import",
        "Import a configuration file, as one version",
        body=ImportOrderSerializer,
        responses=AppliedSerializer,
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
        if_match=True,
    )
    def post(self, request: Request, *, body: Values) -> Response:
        file = read_text(body["text"], format=body["format"], name=body["name"])

        def step(**options: Any) -> AppliedChange:
            return import_tree(file, replaces=body["replace"], **options)

        return run_step(request, step, {**body, "comment": body["comment"] or f"import of {body['name']}"})


class PropertyExportView(APIView):
    @operation(
        "properties_export",
        "The stored properties as a file",
        query=ExportQuery,
        responses=ExportSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        chosen: TreeFormat = (
            query["format"] if "format" in query else next(each for each in TREE_FORMATS if each == current_dialect())
        )
        version, written = current_version(), exported(chosen)
        answer = {
            "format": chosen,
            "version": version,
            "text": written.text,
            "findings": findings_answer(written.findings),
        }
        return tagged(Response(answer), etag_of_version(version))


def _key(item: tuple[int, TreeProperty]) -> str:
    return f"{item[1].place.key}\0{item[0]:07}"


def _is_wanted(prop: TreeProperty, query: Values) -> bool:
    place = prop.place
    return (
        query.get("level") in (None, place.level)
        and query["alias"] in ("", place.alias)
        and query["flow"] in ("", f"{place.source}->{place.target}")
        and query["key"].lower() in place.key.lower()
    )
