"""Query parameters that the lists of events and gaps share."""

from typing import Any

from rest_framework import serializers

from srm_service.core.api.description_fields import DescriptionQuery
from srm_service.core.api.requests import RANGE_IS_EMPTY, StrictSerializer

_LATEST_MS = 4_102_444_800_000  # the year 2100


def text_field(help_text: str, most: int = 255) -> serializers.CharField:
    return serializers.CharField(required=False, default="", max_length=most, help_text=help_text)


def _time(help_text: str) -> serializers.IntegerField:
    return serializers.IntegerField(required=False, min_value=0, max_value=_LATEST_MS, help_text=help_text)


class ReportedQuery(StrictSerializer, DescriptionQuery):
    """Rows about a flow, a topic or a partition in a time range; labels, owner and criticality are those of flows."""

    source = text_field("source cluster alias")  # type: ignore[assignment]  # a field that hides one of the base class
    target = text_field("target cluster alias")
    topic = text_field("topic of the source")
    partition = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1, help_text="of the topic")
    from_ms = _time("epoch ms, inclusive")
    to_ms = _time("epoch ms, exclusive")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "partition" in attrs and not attrs["topic"]:
            raise serializers.ValidationError({"partition": "a partition needs its topic: send the topic, too"})
        if attrs.get("from_ms", 0) >= attrs.get("to_ms", _LATEST_MS):
            raise serializers.ValidationError({"from_ms": RANGE_IS_EMPTY})
        return attrs
