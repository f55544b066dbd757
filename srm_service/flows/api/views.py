"""REST resources of flow actions: pause and resume, and how far each ordered change has come."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, ClassVar

from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import Page, PageQuery
from srm_service.core.api.problem import Conflict
from srm_service.core.api.requests import StrictSerializer, Values
from srm_service.core.api.row_pages import rows_page
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.flows.actions import action_dto, action_find, actions_of, published_revision
from srm_service.flows.api.action_progress import ActionProgressSerializer, ActionSerializer, progress
from srm_service.flows.api.dry_runs import NOTHING, TouchesSerializer, delays, flow_touches
from srm_service.flows.api.known_flow import known_flow
from srm_service.flows.selectors import flow_find
from srm_service.flows.services import FlowChangeError, FlowNotFoundError, OrderedChange, flow_pause, flow_resume
from srm_service.monitoring.flows.live_state import live_snapshot

ACTIONS = [("pause", "pause"), ("resume", "resume")]
LATEST_MS = 4_102_444_800_000  # the year 2100
_TAGS = ["replications"]


class FlowActionSerializer(StrictSerializer):
    """The action and its reason, which is shown with the flow."""

    action = serializers.ChoiceField(choices=ACTIONS)
    reason = serializers.CharField(max_length=500)
    until_ms = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        max_value=LATEST_MS,
        help_text="when the pause ends automatically",
    )
    dry_run = serializers.BooleanField(required=False, default=False, help_text="only report what would change")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        until_ms = attrs["until_ms"]
        if until_ms is not None and attrs["action"] != "pause":
            raise serializers.ValidationError({"until_ms": "only a pause has an end"})
        if until_ms is not None and until_ms <= now_ms():
            raise serializers.ValidationError({"until_ms": "is in the past"})
        return attrs


class FlowActionResultSerializer(ActionProgressSerializer):
    """The effect of the action, and how far it has come."""

    action = serializers.ChoiceField(choices=ACTIONS)
    changed = serializers.BooleanField(help_text="false when the flow already was in this state")
    dry_run = serializers.BooleanField()
    text = serializers.CharField()
    touches = TouchesSerializer(required=False, help_text="only in a dry run")


class ActionListSerializer(ListSerializer):
    """Ordered changes, newest first."""

    items = ActionSerializer(many=True)


class ActionListQuery(PageQuery):
    orderings: ClassVar[Mapping[str, str]] = {"id": "id", "ordered_by": "ordered_by", "event": "event"}


class FlowActionListView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "actions_list",
        "Changes ordered within a month",
        description="Pauses, throttles, holds, resets and other changes of the flow's desired state.",
        query=ActionListQuery,
        responses=ActionListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow, live = known_flow(source, target), live_snapshot()
        page = rows_page(actions_of(source, target), query, orderings=ActionListQuery.orderings, default="-id")
        items = Page(tuple(map(action_dto, page.items)), page.next_cursor)
        return list_response(
            items, lambda each: {**asdict(each), **progress(each.id, each.revision, flow, live)}, partial=live.partial
        )

    @operation(
        "replications_act",
        "Pause or resume a flow",
        body=FlowActionSerializer,
        responses=FlowActionResultSerializer,
        tags=_TAGS,
        problems={409: "us-east->eu-central is disabled, so it cannot be paused"},
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        try:
            change = _act(source, target, body, by=request.user.get_username())
        except FlowNotFoundError as error:
            raise NotFound(str(error)) from error
        except FlowChangeError as error:
            raise Conflict(str(error)) from error
        flow = FlowId(source, target)
        text = _text(body["action"], f"{source}->{target}", changed=change.changes, dry_run=body["dry_run"])
        result = {"action": body["action"], "changed": change.changes, "dry_run": body["dry_run"], "text": text}
        if body["dry_run"]:
            result |= _dry_run(flow, text, changes=change.changes)
        return Response({**change_progress(flow, change), **result}, status=status.HTTP_200_OK)


class FlowActionView(APIView):
    @operation("actions_detail", "How far an ordered change has come", responses=ActionSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str, action_id: int) -> Response:
        flow = known_flow(source, target)
        action = action_find(source, target, action_id)
        if action is None:
            raise NotFound(f"{source}->{target} has no action {action_id}; GET .../actions lists those of a month")
        return Response({**asdict(action), **progress(action.id, action.revision, flow, live_snapshot())})


def change_progress(flow: FlowId, change: OrderedChange) -> dict[str, Any]:
    """Return the progress of a change; of one that changed nothing, that of the published revision."""
    if change.action is None:
        return progress(None, published_revision(flow.target), flow, live_snapshot())
    action = action_find(flow.source, flow.target, change.action.id) or change.action
    return progress(action.id, action.revision, flow, live_snapshot())


def _act(source: str, target: str, values: Values, *, by: str) -> OrderedChange:
    common = {"source": source, "target": target, "reason": values["reason"], "by": by, "dry_run": values["dry_run"]}
    if values["action"] == "resume":
        return flow_resume(**common)
    until_ms = values["until_ms"]
    until = None if until_ms is None else datetime.fromtimestamp(until_ms / 1000, tz=UTC)
    return flow_pause(**common, until=until)


def _dry_run(flow: FlowId, text: str, *, changes: bool) -> dict[str, Any]:
    if not changes:
        return {"touches": asdict(NOTHING)}
    live = live_snapshot()
    later = delays(flow_find(flow.source, flow.target), live, is_resumed=True)
    return {"touches": asdict(flow_touches(flow, live)), "text": "; ".join([text, *later])}


def _text(action: str, flow: str, *, changed: bool, dry_run: bool) -> str:
    if not changed:
        return f"{flow} already is in this state; nothing changes"
    done = {"pause": "stops copying and keeps its position", "resume": "continues where it stopped"}[action]
    return f"{flow} would do this: it {done}" if dry_run else f"{flow} {done}"
