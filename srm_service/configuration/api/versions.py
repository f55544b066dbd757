"""REST resources of versions: list, detail, differences, revert."""

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.configuration.api.answers import difference_answer, version_answer
from srm_service.configuration.api.problems import INVALID_EXAMPLE, configuration_problems
from srm_service.configuration.api.queries import DiffQuery, VersionListQuery
from srm_service.configuration.api.serializers import (
    AppliedSerializer,
    StepSerializer,
    VersionDetailSerializer,
    VersionDiffSerializer,
    VersionListSerializer,
)
from srm_service.configuration.api.steps import run_step
from srm_service.configuration.selectors import version_diff, version_find, version_of, version_rows
from srm_service.configuration.services import revert_to
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.core.api.row_pages import rows_page, with_start
from srm_service.core.auth.roles import UserRole

_TAGS = ["configuration"]
_LARGEST = 2**31 - 1


class VersionListView(APIView):
    @operation(
        "config_versions_list",
        "Versions of the configuration, newest first",
        query=VersionListQuery,
        responses=VersionListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        rows = with_start(version_rows(author=query["author"]), "comment")
        page = rows_page(rows, query, orderings=VersionListQuery.orderings, default="-number")
        return list_response(page, lambda row: version_answer(version_of(row)))


class VersionView(APIView):
    @operation(
        "config_versions_detail",
        "A version with its differences from the previous one",
        responses=VersionDetailSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, number: int) -> Response:
        version = version_find(min(number, _LARGEST))
        if version is None:
            raise NotFound(f"there is no version {number}; GET /api/v2/config/versions lists all")
        found = version_diff(number - 1, number)
        return Response({**version_answer(version), "differences": [difference_answer(each) for each in found]})


class VersionRevertView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "config_versions_revert",
        "Make an earlier version the next one",
        body=StepSerializer,
        description="Version 0 is the empty configuration. `If-Match` names the version that the caller knows.",
        responses=AppliedSerializer,
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
        if_match=True,
    )
    def post(self, request: Request, number: int, *, body: Values) -> Response:
        return run_step(request, lambda **step: revert_to(min(number, _LARGEST), **step), body)


class VersionDiffView(APIView):
    @operation(
        "config_diff",
        "The differences from one version to another",
        query=DiffQuery,
        responses=VersionDiffSerializer,
        tags=_TAGS,
        problems={404: "there is no version 7"},
    )
    def get(self, request: Request, *, query: Values) -> Response:
        first, last = query["from"], query["to"]
        with configuration_problems():
            found = version_diff(first, last)
        answer = {
            "from_version": first,
            "to_version": last,
            "differences": [difference_answer(each) for each in found],
        }
        return Response(answer)
