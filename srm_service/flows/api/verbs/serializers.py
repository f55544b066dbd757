"""Request and response bodies of orders by verb and scope."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework import serializers

from replication.domain.control.throttle import MOST_BYTES_PER_SECOND
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.pagination import PageQuery
from srm_service.core.api.requests import END_IS_PAST, RANGE_IS_EMPTY, StrictSerializer
from srm_service.core.choices import choices_of
from srm_service.core.clock import now_ms
from srm_service.flows.api.action_progress import ActionProgressSerializer, ActionSerializer
from srm_service.flows.api.dry_runs import TouchedNamesSerializer, TouchesSerializer
from srm_service.flows.api.order_serializers import partition_field, topic_field
from srm_service.flows.contracts import OrderScope, OutcomeWord
from srm_service.flows.control.verbs import Verb

VERB_CHOICES = choices_of(Verb)
OUTCOME_CHOICES = choices_of(OutcomeWord)
LATEST_MS = 4_102_444_800_000  # the year 2100
ENDING_VERBS = ("pause", "stop", "throttle", "restart")


def _text(help_text: str, most: int) -> serializers.CharField:
    return serializers.CharField(required=False, default="", max_length=most, help_text=help_text)


def _time(help_text: str) -> serializers.IntegerField:
    return serializers.IntegerField(required=False, min_value=0, max_value=LATEST_MS, help_text=help_text)


class ScopeSerializer(StrictSerializer):
    """The part of the flow; the whole flow if it is empty or missing."""

    topic = topic_field(required=False, default="", allow_blank=True)
    partition = partition_field("of the topic; null: the whole topic")
    task = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, help_text="number of a source task, for a restart"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["partition"] is not None and not attrs["topic"]:
            raise serializers.ValidationError({"topic": "a partition needs its topic: send the topic, too"})
        if attrs["task"] is not None and attrs["topic"]:
            raise serializers.ValidationError({"task": "the order is for a task or for a topic: send one of both"})
        return attrs


class FlowActionSerializer(StrictSerializer):
    """The verb, its scope, and its reason, which is shown with the flow."""

    action = serializers.ChoiceField(choices=VERB_CHOICES)
    scope = ScopeSerializer(required=False)
    reason = serializers.CharField(max_length=500)
    until_ms = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        max_value=LATEST_MS,
        help_text="when it ends automatically; a restart that is not carried out by then is given up",
    )
    bytes_per_second = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        max_value=MOST_BYTES_PER_SECOND,
        help_text="of a throttle; null: none",
    )
    dry_run = serializers.BooleanField(required=False, default=False, help_text="only report what would change")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        until_ms, verb = attrs["until_ms"], attrs["action"]
        if until_ms is not None and verb not in ENDING_VERBS:
            raise serializers.ValidationError({"until_ms": f"a {verb} has no end: leave until_ms out"})
        if until_ms is not None and until_ms <= now_ms():
            raise serializers.ValidationError({"until_ms": END_IS_PAST})
        if attrs["bytes_per_second"] is not None and verb != "throttle":
            raise serializers.ValidationError(
                {"bytes_per_second": "only a throttle has a rate: leave bytes_per_second out, or order a throttle"}
            )
        attrs["scope"] = OrderScope(**attrs.get("scope", {}))
        return attrs


class OrderScopeSerializer(serializers.Serializer[Any]):
    """The part of the flow that an order is for."""

    topic = serializers.CharField(allow_blank=True, help_text="empty: no topic")
    partition = serializers.IntegerField(allow_null=True)
    task = serializers.IntegerField(allow_null=True)


class FlowActionResultSerializer(ActionProgressSerializer):
    """The effect of the order, and how far it has come."""

    action = serializers.ChoiceField(choices=VERB_CHOICES)
    scope = OrderScopeSerializer()
    changed = serializers.BooleanField(help_text="false when the flow already was in this state")
    dry_run = serializers.BooleanField()
    text = serializers.CharField()
    touches = TouchesSerializer(required=False, help_text="only in a dry run")
    names = TouchedNamesSerializer(required=False, help_text="only in a dry run: what the order would touch")


class ActionListSerializer(ListSerializer):
    """Orders, newest first."""

    items = ActionSerializer(many=True)


class ActionListQuery(PageQuery):
    """Filters and orders of the list of orders."""

    orderings: ClassVar[Mapping[str, str]] = {
        "id": "id",
        "ordered_by": "ordered_by",
        "event": "event",
        "ordered_ms": "ordered_at",
        "topic": "topic",
        "reason": "reason_start",
        "until_ms": "until",
        "revision": "revision",
        "outcome": "outcome",
    }

    topic = _text("only those for this topic", 249)
    outcome = serializers.ChoiceField(required=False, choices=OUTCOME_CHOICES, help_text="only these")
    ordered_by = _text("name of who gave the order", 150)
    event = _text("such as flow.pause", 100)
    from_ms = _time("ordered at this time or later, epoch ms")
    to_ms = _time("ordered before this time, epoch ms")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("from_ms", 0) >= attrs.get("to_ms", LATEST_MS):
            raise serializers.ValidationError({"from_ms": RANGE_IS_EMPTY})
        return attrs


class OrderListQuery(ActionListQuery):
    """Filters and orders of the list of all flows' orders."""

    source = _text("alias of the source of the flow", 100)  # type: ignore[assignment]  # hides one of the base class
    target = _text("alias of the target of the flow", 100)
