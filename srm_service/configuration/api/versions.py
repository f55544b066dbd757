"""REST resources of versions: list, detail, differences, revert."""

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.configuration.api.answers import difference_answer, version_answer
from srm_service.configuration.api.problems import configuration_problems
from srm_service.configuration.api.queries import DiffQuery, VersionListQuery, checked
from srm_service.configuration.api.serializers import (
    AppliedSerializer,
    StepSerializer,
    VersionDetailSerializer,
    VersionDiffSerializer,
    VersionListSerializer,
)
from srm_service.configuration.api.steps import body_of, take_step
from srm_service.configuration.contracts import VersionDto
from srm_service.configuration.selectors import version_diff, version_find, version_list
from srm_service.configuration.services import revert_to
from srm_service.core.api.pagination import page_of
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms

_TAGS = ["configuration"]
_LARGEST = 2**31 - 1


class VersionListView(APIView):
    @extend_schema(
        operation_id="config_versions_list",
        summary="Versions of the configuration, newest first",
        parameters=[VersionListQuery],
        responses=VersionListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request) -> Response:
        query = checked(VersionListQuery, request)
        found = [version for version in version_list() if query["author"] in ("", version.author)]
        page = page_of(found, key=_key, cursor=query["cursor"], limit=query["limit"])
        items = [version_answer(version) for version in page.items]
        return Response({"items": items, "next_cursor": page.next_cursor, "as_of_ms": now_ms(), "partial": []})


class VersionView(APIView):
    @extend_schema(
        operation_id="config_versions_detail",
        summary="A version with its differences from the previous one",
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

    @extend_schema(
        operation_id="config_versions_revert",
        summary="Make an earlier version the next one",
        description="Version 0 is the empty configuration. `If-Match` names the version that the caller knows.",
        request=StepSerializer,
        responses=AppliedSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request, number: int) -> Response:
        body = body_of(StepSerializer, request)
        return take_step(request, lambda **step: revert_to(min(number, _LARGEST), **step), body)


class VersionDiffView(APIView):
    @extend_schema(
        operation_id="config_diff",
        summary="The differences from one version to another",
        parameters=[DiffQuery],
        responses=VersionDiffSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request) -> Response:
        query = checked(DiffQuery, request)
        first, last = query["from"], query["to"]
        with configuration_problems():
            found = version_diff(first, last)
        answer = {
            "from_version": first,
            "to_version": last,
            "differences": [difference_answer(each) for each in found],
        }
        return Response(answer)


def _key(version: VersionDto) -> str:
    """Newest first."""
    return f"{_LARGEST - version.number:010}"
