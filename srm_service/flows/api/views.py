"""REST resource of flow actions: pause and resume."""

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.problem import Conflict
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.flows.services import FlowChangeError, FlowNotFoundError, flow_pause, flow_resume

ACTIONS = [("pause", "pause"), ("resume", "resume")]
LATEST_MS = 4_102_444_800_000  # the year 2100


class FlowActionSerializer(serializers.Serializer[Any]):
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


class FlowActionResultSerializer(serializers.Serializer[Any]):
    """The effect of the action."""

    action = serializers.ChoiceField(choices=ACTIONS)
    changed = serializers.BooleanField(help_text="false when the flow already was in this state")
    dry_run = serializers.BooleanField()
    text = serializers.CharField()


class FlowActionView(APIView):
    required_role: UserRole = "operator"

    @extend_schema(
        operation_id="replications_act",
        summary="Pause or resume a flow",
        request=FlowActionSerializer,
        responses=FlowActionResultSerializer,
        tags=["replications"],
    )
    def post(self, request: Request, source: str, target: str) -> Response:
        wanted = FlowActionSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        values = wanted.validated_data
        try:
            changed = _act(source, target, values, by=request.user.get_username())
        except FlowNotFoundError as error:
            raise NotFound(str(error)) from error
        except FlowChangeError as error:
            raise Conflict(str(error)) from error
        text = _text(values["action"], f"{source}->{target}", changed=changed, dry_run=values["dry_run"])
        return Response({"action": values["action"], "changed": changed, "dry_run": values["dry_run"], "text": text})


def _act(source: str, target: str, values: dict[str, Any], *, by: str) -> bool:
    common = {"source": source, "target": target, "reason": values["reason"], "by": by, "dry_run": values["dry_run"]}
    if values["action"] == "resume":
        return flow_resume(**common)
    until_ms = values["until_ms"]
    until = None if until_ms is None else datetime.fromtimestamp(until_ms / 1000, tz=UTC)
    return flow_pause(**common, until=until)


def _text(action: str, flow: str, *, changed: bool, dry_run: bool) -> str:
    if not changed:
        return f"{flow} already is in this state; nothing changes"
    done = {"pause": "stops copying and keeps its position", "resume": "continues where it stopped"}[action]
    return f"{flow} would do this: it {done}" if dry_run else f"{flow} {done}"
