"""The queries of clients, checked before anything is read."""

from typing import Any

from rest_framework import serializers

from srm_service.core.api.description_fields import DescriptionQuery
from srm_service.core.api.pagination import DEFAULT_PAGE, MAX_PAGE
from srm_service.core.clock import now_ms
from srm_service.monitoring.api.choices import FLOW_STATUS_CHOICES, METRIC_CHOICES
from srm_service.monitoring.series.selectors import MAX_POINTS, rounded_range

_WINDOW_MS = 10 * 60_000
_LONGEST_MS = 400 * 24 * 3_600_000
_MOST_AHEAD_MS = 24 * 3_600_000


def step_field() -> serializers.IntegerField:
    """Return the field for the distance between points."""
    return serializers.IntegerField(
        required=False, default=10_000, min_value=1_000, max_value=_LONGEST_MS, help_text="ms between points"
    )


class WindowQuery(serializers.Serializer[Any]):
    """A time range; the last ten minutes when none is given."""

    from_ms = serializers.IntegerField(
        required=False, min_value=0, help_text="epoch ms; default ten minutes before to_ms"
    )
    to_ms = serializers.IntegerField(required=False, min_value=0, help_text="epoch ms; default now")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        at_ms = now_ms()
        to_ms = attrs.get("to_ms", at_ms)
        from_ms = attrs.get("from_ms", max(0, to_ms - _WINDOW_MS))
        if from_ms >= to_ms:
            raise serializers.ValidationError({"from_ms": "must be before to_ms"})
        if to_ms - from_ms > _LONGEST_MS:
            raise serializers.ValidationError({"from_ms": "the range is longer than 400 days"})
        if to_ms > at_ms + _MOST_AHEAD_MS:
            raise serializers.ValidationError(
                {"to_ms": "lies more than a day in the future; times are epoch milliseconds"}
            )
        return {**attrs, "from_ms": from_ms, "to_ms": to_ms, "now_ms": at_ms}


class ExactQuery(WindowQuery):
    """Refuses what it does not know and what is given twice: an answer to part of a question misleads."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        strange = sorted(self.initial_data.keys() - self.fields)
        wrong = dict.fromkeys(strange, f"is no parameter here; there are {', '.join(sorted(self.fields))}")
        wrong |= {name: "is given more than once" for name, values in self.initial_data.lists() if len(values) > 1}
        if wrong:
            raise serializers.ValidationError(wrong)
        return super().validate(attrs)


class PageQuery(serializers.Serializer[Any]):
    """A page of a list."""

    cursor = serializers.CharField(required=False, default="", allow_blank=True, max_length=500)
    limit = serializers.IntegerField(required=False, default=DEFAULT_PAGE, min_value=1, max_value=MAX_PAGE)


class FlowListQuery(WindowQuery, PageQuery, DescriptionQuery):
    """Filters of the list of flows."""

    source = serializers.CharField(required=False, default="", help_text="source cluster alias")  # type: ignore[assignment]
    target = serializers.CharField(required=False, default="", help_text="target cluster alias")
    status = serializers.ChoiceField(required=False, choices=FLOW_STATUS_CHOICES, help_text="only flows of this status")
    q = serializers.CharField(required=False, default="", max_length=200, help_text="part of `source->target`")


class TopicListQuery(PageQuery):
    """Filters of the list of topics."""

    q = serializers.CharField(required=False, default="", max_length=249, help_text="part of the topic's name")


class SeriesQuery(ExactQuery):
    """One metric over time; the step is raised to what is still kept for the range."""

    metric = serializers.ChoiceField(choices=METRIC_CHOICES)
    topic = serializers.CharField(
        required=False, default="", max_length=249, help_text="source topic; empty = the flow"
    )
    partition = serializers.IntegerField(required=False, min_value=0, max_value=1_000_000, help_text="of the topic")
    step_ms = step_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        checked = super().validate(attrs)
        if "partition" in checked and not checked["topic"]:
            raise serializers.ValidationError({"partition": "needs a topic"})
        check_points(checked)
        return checked


class ClusterSeriesQuery(ExactQuery):
    """One metric of all flows into or out of a cluster."""

    metric = serializers.ChoiceField(choices=METRIC_CHOICES)
    direction = serializers.ChoiceField(choices=[("in", "in"), ("out", "out")], required=False, default="in")
    step_ms = step_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        checked = super().validate(attrs)
        check_points(checked)
        return checked


class SummaryQuery(ExactQuery):
    """The fleet over time."""

    step_ms = step_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        checked = super().validate(attrs)
        check_points(checked)
        return checked


def check_points(checked: dict[str, Any]) -> None:
    """Refuse a range that would have more points than anybody can draw."""
    begin, end, step = rounded_range(checked["from_ms"], checked["to_ms"], checked["step_ms"], checked["now_ms"])
    if (end - begin) // step > MAX_POINTS:
        least = (end - begin) // MAX_POINTS + 1
        raise serializers.ValidationError({"step_ms": f"gives more than {MAX_POINTS} points: use at least {least}"})
