"""REST resources of change plans, pattern previews, topic states and config drift."""

from collections.abc import Callable
from typing import TypeVar

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.questions.json_shape import to_plain
from srm_service.configuration.api.problems import configuration_problems, etag
from srm_service.configuration.api.steps import changes_of
from srm_service.configuration.drafts import draft_changes
from srm_service.core.api.problem import Unavailable
from srm_service.core.api.requests import checked, checked_query
from srm_service.core.auth.roles import UserRole, includes, role_of
from srm_service.flows.api.known_flow import known_flow
from srm_service.planning.api.answers import (
    ChangePlanSerializer,
    ConfigDriftSerializer,
    SetAgainSerializer,
    TopicPreviewSerializer,
    TopicStatesSerializer,
)
from srm_service.planning.api.serializers import (
    DriftQuerySerializer,
    PatternsSerializer,
    PlanRequestSerializer,
    SetAgainRequestSerializer,
    TopicStatesQuerySerializer,
)
from srm_service.planning.change_plans import ClustersNotAllowedError, change_plan
from srm_service.planning.selectors import NotAnsweredError, config_drift, topic_preview, topic_states
from srm_service.planning.services import configs_set_again

Found = TypeVar("Found")
_TAGS = ["planning"]


class ChangePlanView(APIView):
    required_role: UserRole = "operator"

    @extend_schema(
        operation_id="config_plan",
        summary="What a change of properties would do, without doing it",
        description="Names per flow the topics, remote names, configs, ACLs, restarts, missing rights and cycles, and "
        "what could not be looked at. Without a driver the answer holds what the service knows by itself.",
        request=PlanRequestSerializer,
        responses=ChangePlanSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request) -> Response:
        values = checked(PlanRequestSerializer, request.data)
        with configuration_problems():
            changes = draft_changes(values["draft"]) if "draft" in values else changes_of(values["changes"])
            try:
                plan = change_plan(
                    changes,
                    may_change_clusters=includes(role_of(request.user), "admin"),
                    wait_ms=values["wait_ms"],
                )
            except ClustersNotAllowedError as error:
                raise PermissionDenied(str(error)) from error
        return Response(to_plain(plan), headers=etag(plan.version))


class TopicPreviewView(APIView):
    required_role: UserRole = "viewer"  # changes nothing

    @extend_schema(
        operation_id="replications_preview",
        summary="The topics that patterns would select on the source",
        request=PatternsSerializer,
        responses=TopicPreviewSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request, source: str, target: str) -> Response:
        flow, values = known_flow(source, target), checked(PatternsSerializer, request.data)
        return Response(to_plain(_answered(lambda: topic_preview(flow, **values))))


class TopicStatesView(APIView):
    @extend_schema(
        operation_id="replications_topic_states",
        summary="The state of each topic of the source, by name",
        parameters=[TopicStatesQuerySerializer],
        responses=TopicStatesSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        flow, values = known_flow(source, target), checked_query(TopicStatesQuerySerializer, request)
        return Response(to_plain(_answered(lambda: topic_states(flow, **values))))


class ConfigDriftView(APIView):
    required_role: UserRole = "operator"

    @extend_schema(
        operation_id="replications_drift",
        summary="Configs in which remote topics differ from their upstream topics",
        parameters=[DriftQuerySerializer],
        responses=ConfigDriftSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        flow, values = known_flow(source, target), dict(checked_query(DriftQuerySerializer, request))
        topic = values.pop("topic")
        return Response(to_plain(_answered(lambda: config_drift(flow, topics=[topic] if topic else [], **values))))

    @extend_schema(
        operation_id="replications_set_again",
        summary="Set configs of remote topics to the values that the flow sets",
        request=SetAgainRequestSerializer,
        responses=SetAgainSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request, source: str, target: str) -> Response:
        flow, values = known_flow(source, target), checked(SetAgainRequestSerializer, request.data)
        by = request.user.get_username()
        return Response(to_plain(_answered(lambda: configs_set_again(flow, by=by, **values))))


def _answered(work: Callable[[], Found]) -> Found:
    try:
        return work()
    except NotAnsweredError as error:
        raise Unavailable(str(error)) from error
