"""Request and response bodies of holds and resets (docs/contracts/rest.md)."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from replication.domain.offsets.start_position import LOG_ENDS
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.pagination import PageQuery, SortKey
from srm_service.core.api.requests import END_IS_PAST, StrictSerializer
from srm_service.core.clock import now_ms
from srm_service.flows.api.action_progress import ActionProgressSerializer
from srm_service.flows.api.dry_runs import MaybeDryRunSerializer
from srm_service.flows.api.verbs.topic_lists import list_shapes
from srm_service.flows.contracts import HoldDto
from srm_service.flows.control.topic_rows import HOLDS
from srm_service.flows.models import ResetState
from srm_service.flows.reset_position import parse_position

RESET_STATE_CHOICES = [(word, word) for word in ResetState.values]
_LATEST_MS = 4_102_444_800_000  # the year 2100
_TOPIC = r"^[a-zA-Z0-9._-]+$"
_TOPIC_RULE = "names of topics have letters, digits, dots, hyphens and underscores only"
_MOST_PARTITIONS = 10**6


def _position_schema(name: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "integer", "minimum": 0}},
        "required": [name],
        "additionalProperties": False,
    }


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "enum": list(LOG_ENDS)},
            _position_schema("offset"),
            _position_schema("timestamp_ms"),
        ],
        "description": "an offset outside the log is moved to the nearest one inside",
    }
)
class ResetPositionField(serializers.JSONField):
    """The position of a reset."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            parse_position(data)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error
        return data


def topic_field(**options: Any) -> serializers.RegexField:
    """The name of a topic in a request."""
    return serializers.RegexField(
        _TOPIC,
        max_length=249,
        help_text="name on the source",
        error_messages={"invalid": _TOPIC_RULE},
        **options,
    )


def partition_field(text: str) -> serializers.IntegerField:
    """The number of a partition in a request; None by default."""
    return serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=_MOST_PARTITIONS, help_text=text
    )


class HoldOrderSerializer(StrictSerializer):
    """A hold to set, with its end and reason. A second hold of the same topic or partition replaces the first."""

    topic = topic_field()
    partition = partition_field("null: the whole topic")
    until_ms = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        max_value=_LATEST_MS,
        help_text="null: until the hold is released",
    )
    reason = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, default="", max_length=500, help_text="shown as the cause"
    )
    dry_run = serializers.BooleanField(required=False, default=False, help_text="only report what would change")

    def validate_until_ms(self, value: int | None) -> int | None:
        if value is not None and value <= now_ms():
            raise serializers.ValidationError(END_IS_PAST)
        return value

    def validate_reason(self, value: str | None) -> str:
        return value or ""


class HoldSerializer(DataclassSerializer):
    """A topic, or one partition of it, that is not read."""

    shape = HoldDto


class SetHoldSerializer(HoldSerializer):
    """The hold after an order, and how far the order has come."""

    order = ActionProgressSerializer()


class ReleasedHoldSerializer(HoldSerializer, MaybeDryRunSerializer):
    """The hold that is released, or would be."""

    order = ActionProgressSerializer(required=False, help_text="how far the release has come; absent in a dry run")


HoldListQuery, HoldListSerializer = list_shapes(HOLDS, HoldSerializer(many=True))


class ResetOrderSerializer(StrictSerializer):
    """A reset to order. Backward is a rewind: records are copied again; forward is a skip: a gap record is written."""

    topic = topic_field()
    partition = partition_field("null: every partition of the topic")
    to = ResetPositionField()
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=500)
    dry_run = serializers.BooleanField(required=False, default=False, help_text="only report what would change")


class ResetSerializer(serializers.Serializer[Any]):
    """The reset of one partition."""

    id = serializers.CharField()
    topic = serializers.CharField()
    partition = serializers.IntegerField()
    to = ResetPositionField()
    state = serializers.ChoiceField(
        choices=RESET_STATE_CHOICES, help_text="done: the new position is stored; overtaken: replaced by a later reset"
    )
    requested_by = serializers.CharField()
    requested_ms = serializers.IntegerField()
    ended_ms = serializers.IntegerField(
        allow_null=True, help_text="recorded within seconds; the reset is deleted a day later"
    )
    rejected = serializers.CharField(
        allow_null=True,
        help_text="the reason why drivers cannot apply the reset, e.g. its partition is not in the plan; null: none",
    )


class ResetListSerializer(ListSerializer):
    """Resets by topic, partition and age."""

    items = ResetSerializer(many=True)


class ResetListQuery(PageQuery):
    """Filters and orders of the list of resets."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("topic", "state", "requested_ms", "ended_ms", "requested_by")
    }

    topic = serializers.CharField(required=False, default="", max_length=249, help_text="only this topic")
    state = serializers.ChoiceField(required=False, choices=RESET_STATE_CHOICES, help_text="only of this state")
