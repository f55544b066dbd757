"""REST resources of change plans, pattern previews, topic states and config drift."""

from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from replication.domain.questions.json_shape import to_plain
from srm_service.configuration.api.problems import INVALID_EXAMPLE, NO_DRAFT_EXAMPLE
from srm_service.configuration.api.steps import changes_of
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.drafts import draft_changes
from srm_service.core.api.etags import etag_of_version, tagged
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole, includes, role_of
from srm_service.flows.api.changes import flow_problems, settings_change
from srm_service.flows.api.known_flow import known_flow
from srm_service.flows.changes import drafted_changes
from srm_service.planning.api.answered import answered
from srm_service.planning.api.answers import (
    ChangePlanSerializer,
    ConfigDriftSerializer,
    GroupPreviewSerializer,
    SetAgainSerializer,
    TopicPreviewSerializer,
    TopicStatesSerializer,
)
from srm_service.planning.api.serializers import (
    DriftQuerySerializer,
    GroupPatternsSerializer,
    PatternsSerializer,
    PlanRequestSerializer,
    SetAgainRequestSerializer,
    TopicStatesQuerySerializer,
)
from srm_service.planning.change_plans import ClustersNotAllowedError, change_plan
from srm_service.planning.selectors import config_drift, group_preview, topic_preview, topic_states
from srm_service.planning.services import configs_set_again

_TAGS = ["planning"]


class ChangePlanView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "config_plan",
        "Preview a change of properties",
        body=PlanRequestSerializer,
        description="Names per flow the topics, remote names, configs, ACLs, restarts, missing rights and cycles, and "
        "what could not be inspected. Without a driver the answer holds what the service knows by itself.",
        responses=ChangePlanSerializer,
        tags=_TAGS,
        problems={404: NO_DRAFT_EXAMPLE, **INVALID_EXAMPLE},
        keeps_answer=False,
    )
    def post(self, request: Request, *, body: Values) -> Response:
        with flow_problems():
            changes = _drafted(body)
            try:
                plan = change_plan(
                    changes,
                    may_change_clusters=includes(role_of(request.user), "admin"),
                    wait_ms=body["wait_ms"],
                )
            except ClustersNotAllowedError as error:
                raise PermissionDenied(str(error)) from error
        return tagged(Response(to_plain(plan)), etag_of_version(plan.version))


def _drafted(body: Values) -> list[PropertyChange]:
    if "flow" in body:
        flow = body["flow"]
        return drafted_changes(flow["source"], flow["target"], settings_change(flow))
    return list(draft_changes(body["draft"])) if "draft" in body else changes_of(body["changes"])


class TopicPreviewView(APIView):
    required_role: UserRole = "viewer"  # changes nothing

    @operation(
        "replications_preview",
        "The topics that patterns would select on the source",
        description="Also for a flow that does not exist yet, between two registered clusters.",
        body=PatternsSerializer,
        responses=TopicPreviewSerializer,
        tags=_TAGS,
        keeps_answer=False,
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        with flow_problems():
            return answered(lambda: topic_preview(FlowId(source, target), **body))


class GroupPreviewView(APIView):
    required_role: UserRole = "viewer"  # changes nothing

    @operation(
        "replications_preview_groups",
        "The consumer groups that patterns would select on the source",
        description="Also for a flow that does not exist yet. A group is selected if the patterns accept it and it has "
        "offsets of a topic of the flow; `skipped` names the reason of the others.",
        body=GroupPatternsSerializer,
        responses=GroupPreviewSerializer,
        tags=_TAGS,
        keeps_answer=False,
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        with flow_problems():
            return answered(lambda: group_preview(FlowId(source, target), **body))


class TopicStatesView(APIView):
    @operation(
        "replications_topic_states",
        "The state of each topic of the source, by name",
        query=TopicStatesQuerySerializer,
        responses=TopicStatesSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow = known_flow(source, target)
        return answered(lambda: topic_states(flow, **query))


class ConfigDriftView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "replications_drift",
        "Configs in which remote topics differ from their upstream topics",
        query=DriftQuerySerializer,
        responses=ConfigDriftSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow, options = known_flow(source, target), dict(query)
        topic = options.pop("topic")
        return answered(lambda: config_drift(flow, topics=[topic] if topic else [], **options))

    @operation(
        "replications_set_again",
        "Set configs of remote topics to the values that the flow sets",
        body=SetAgainRequestSerializer,
        responses=SetAgainSerializer,
        tags=_TAGS,
        keeps_answer=False,
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        flow = known_flow(source, target)
        by = request.user.get_username()
        return answered(lambda: configs_set_again(flow, by=by, **body))
