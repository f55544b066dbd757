"""Shapes of requests and answers about holds and resets (docs/contracts.md section 10)."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from srm_service.core.clock import now_ms
from srm_service.flows.places import read_place
from srm_service.monitoring.api.queries import PageQuery
from srm_service.monitoring.api.serializers import ListSerializer

RESET_STATE_CHOICES = [(word, word) for word in ("requested", "done", "overtaken")]
_LATEST_MS = 4_102_444_800_000  # the year 2100
_TOPIC = r"^[a-zA-Z0-9._-]+$"
_MOST_PARTITIONS = 10**6


def _place_schema(name: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "integer", "minimum": 0}},
        "required": [name],
        "additionalProperties": False,
    }


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "enum": ["earliest", "latest"]},
            _place_schema("offset"),
            _place_schema("timestamp_ms"),
        ],
        "description": "an offset outside of the log means the nearest one inside",
    }
)
class PlaceField(serializers.JSONField):
    """Where a reset goes."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            read_place(data)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error
        return data


def _topic_field() -> serializers.RegexField:
    return serializers.RegexField(_TOPIC, max_length=249, help_text="name on the source")


def _partition_field(text: str) -> serializers.IntegerField:
    return serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=_MOST_PARTITIONS, help_text=text
    )


class HoldWishSerializer(serializers.Serializer[Any]):
    """What to keep from being read, until when, and why. A second hold of the same place replaces the first."""

    topic = _topic_field()
    partition = _partition_field("null: the whole topic")
    until_ms = serializers.IntegerField(
        required=False, allow_null=True, default=None, max_value=_LATEST_MS, help_text="null: until it is released"
    )
    reason = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, default="", max_length=500, help_text="shown as the cause"
    )

    def validate_until_ms(self, value: int | None) -> int | None:
        if value is not None and value <= now_ms():
            raise serializers.ValidationError("is in the past")
        return value

    def validate_reason(self, value: str | None) -> str:
        return value or ""


class HoldSerializer(serializers.Serializer[Any]):
    """A topic, or one partition of it, that is not read."""

    id = serializers.IntegerField()
    topic = serializers.CharField()
    partition = serializers.IntegerField(allow_null=True)
    until_ms = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    held_by = serializers.CharField()
    since_ms = serializers.IntegerField()


class HoldListSerializer(ListSerializer):
    """Holds by topic and partition."""

    items = HoldSerializer(many=True)


class ResetWishSerializer(serializers.Serializer[Any]):
    """Where to go on. Back is a rewind: records come twice; forward is a skip: the rest becomes a gap record."""

    topic = _topic_field()
    partition = _partition_field("null: every partition of the topic")
    to = PlaceField()


class ResetSerializer(serializers.Serializer[Any]):
    """One partition's order."""

    id = serializers.CharField()
    topic = serializers.CharField()
    partition = serializers.IntegerField()
    to = PlaceField()
    state = serializers.ChoiceField(
        choices=RESET_STATE_CHOICES, help_text="done: the new position is stored; overtaken: by a later one"
    )
    requested_by = serializers.CharField()
    requested_ms = serializers.IntegerField()
    ended_ms = serializers.IntegerField(allow_null=True, help_text="noted within seconds; a day later it is forgotten")
    rejected = serializers.CharField(
        allow_null=True, help_text="why drivers cannot carry it out: the plan lacks its partition; null: they can"
    )


class ResetListSerializer(ListSerializer):
    """Resets by topic, partition and age."""

    items = ResetSerializer(many=True)


class ResetListQuery(PageQuery):
    topic = serializers.CharField(required=False, default="", max_length=249, help_text="only this topic")
    state = serializers.ChoiceField(required=False, choices=RESET_STATE_CHOICES, help_text="only of this state")
