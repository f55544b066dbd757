"""REST resource of one action on many flows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, get_args

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.description_fields import DescriptionQuery, description_filter
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import END_IS_PAST, StrictSerializer, Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.choices import choices_of
from srm_service.core.clock import moment_of, now_ms
from srm_service.core.web.request_id import current_request_id
from srm_service.flows.api.definition_text import definition_text
from srm_service.flows.api.dry_runs import Touches, TouchesSerializer, flow_touches, sum_touches
from srm_service.flows.api.verbs.serializers import ENDING_VERBS, LATEST_MS
from srm_service.flows.bulk_actions import (
    BulkAction,
    BulkOrder,
    BulkOutcome,
    BulkResult,
    FlowFilter,
    flows_act,
    flows_matching,
)
from srm_service.monitoring.flows.live_state import LiveSnapshot, live_snapshot

ACTION_CHOICES = choices_of(BulkAction)
_MOST_FLOWS = 10_000


class FlowPairSerializer(StrictSerializer):
    """A flow by its clusters."""

    source = serializers.CharField(max_length=100)  # type: ignore[assignment]  # a field that hides one of the base class
    target = serializers.CharField(max_length=100)


class FlowFilterSerializer(StrictSerializer, DescriptionQuery):
    """Conditions on flows, all of which must hold; at least one is needed."""

    source = serializers.CharField(required=False, default="", max_length=100)  # type: ignore[assignment]
    target = serializers.CharField(required=False, default="", max_length=100)
    q = serializers.CharField(required=False, default="", max_length=200, help_text="part of `source->target`")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not any(attrs.values()):
            raise serializers.ValidationError("the filter names no condition: add one, or send `flows` to act on all")
        return attrs


class BulkActionSerializer(StrictSerializer):
    """The action, its reason, and the flows: a list or a filter."""

    action = serializers.ChoiceField(choices=ACTION_CHOICES)
    reason = serializers.CharField(max_length=500)
    flows = serializers.ListField(child=FlowPairSerializer(), required=False, min_length=1, max_length=_MOST_FLOWS)
    filter = FlowFilterSerializer(required=False)
    until_ms = serializers.IntegerField(
        required=False, allow_null=True, default=None, max_value=LATEST_MS, help_text="when it ends automatically"
    )
    dry_run = serializers.BooleanField(required=False, default=False, help_text="only report what would change")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("flows" in attrs) == ("filter" in attrs):
            raise serializers.ValidationError({"flows": "the order needs flows or a filter: send one of both"})
        if attrs["until_ms"] is not None and attrs["action"] not in ENDING_VERBS:
            raise serializers.ValidationError(
                {"until_ms": f"the action {attrs['action']} has no end: leave until_ms out"}
            )
        if attrs["until_ms"] is not None and attrs["until_ms"] <= now_ms():
            raise serializers.ValidationError({"until_ms": END_IS_PAST})
        return attrs


class FlowActionOutcomeSerializer(DataclassSerializer):
    """The outcome for one flow."""

    shape = BulkResult


class BulkActionResultSerializer(serializers.Serializer[Any]):
    """The outcome for each flow, and their numbers."""

    action = serializers.ChoiceField(choices=ACTION_CHOICES)
    dry_run = serializers.BooleanField()
    done = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    refused = serializers.IntegerField()
    results = FlowActionOutcomeSerializer(many=True)
    touches = TouchesSerializer(required=False, help_text="only in a dry run: of all flows that would change")


class BulkActionView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "replications_act_on_many",
        "Pause, resume, stop, start, restart, enable or disable many flows",
        body=BulkActionSerializer,
        description="Each flow has a result; one that is refused stops no other.",
        responses=BulkActionResultSerializer,
        tags=["replications"],
    )
    def post(self, request: Request, *, body: Values) -> Response:
        until_ms = body["until_ms"]
        order = BulkOrder(
            action=body["action"],
            reason=body["reason"],
            by=request.user.get_username(),
            request_id=current_request_id(),
            until=moment_of(until_ms),
            dry_run=body["dry_run"],
        )
        results = flows_act(_flows(body), order)
        counts = Counter(result.result for result in results)
        numbers = {outcome: counts[outcome] for outcome in get_args(BulkOutcome)}
        if order.dry_run:
            results = _with_effects(results, order.action)
        items = [asdict(result) for result in results]
        answer: dict[str, Any] = {"action": order.action, "dry_run": order.dry_run, **numbers, "results": items}
        if order.dry_run:
            answer["touches"] = asdict(_touches(results, order.action))
        return Response(answer)


def _with_effects(results: tuple[BulkResult, ...], action: BulkAction) -> tuple[BulkResult, ...]:
    """Return the results with the effect of enabling or disabling each flow that would change."""
    if action != "enable" and action != "disable":
        return results
    live = live_snapshot()

    def text(result: BulkResult) -> str:
        return "; ".join(definition_text(action, FlowId(result.source, result.target), live))

    return tuple(replace(each, text=text(each)) if each.result == "done" else each for each in results)


def _touches(results: Sequence[BulkResult], action: BulkAction) -> Touches:
    """Return what the action would cover; topics of disabled flows are unknown, because drivers plan enabled ones."""
    live = LiveSnapshot(read_ms=now_ms()) if action == "enable" else live_snapshot()
    return sum_touches(
        [flow_touches(FlowId(each.source, each.target), live) for each in results if each.result == "done"]
    )


def _flows(values: Values) -> list[FlowId]:
    if "flows" in values:
        return [FlowId(flow["source"], flow["target"]) for flow in values["flows"]]
    wanted = values["filter"]
    return list(
        flows_matching(
            FlowFilter(
                source=wanted["source"], target=wanted["target"], q=wanted["q"], described=description_filter(wanted)
            )
        )
    )
