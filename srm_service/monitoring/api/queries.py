"""The queries of clients, checked before anything is read."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar

from rest_framework import serializers

from srm_service.core.api.description_fields import DescriptionQuery
from srm_service.core.api.pagination import PageQuery, SortKey
from srm_service.core.api.requests import RANGE_IS_EMPTY, StrictSerializer
from srm_service.core.choices import choices_of
from srm_service.core.clock import now_ms
from srm_service.monitoring.api.choices import FLOW_STATUS_CHOICES, METRIC_CHOICES
from srm_service.monitoring.series.selectors import MAX_POINTS, rounded_range
from srm_service.monitoring.topics.range_ranks import RankStatistic
from srm_service.monitoring.topics.topic_pages import ORDERINGS

GROUP_METRICS = ("lag_offsets", "checkpoint_latency_ms")
_LONGEST_GROUP = 500  # of the metrics store
_WINDOW_MS = 10 * 60_000
_LONGEST_MS = 400 * 24 * 3_600_000
_MOST_AHEAD_MS = 24 * 3_600_000


def step_field() -> serializers.IntegerField:
    """Return the field for the distance between points."""
    return serializers.IntegerField(
        required=False, default=10_000, min_value=1_000, max_value=_LONGEST_MS, help_text="ms between points"
    )


class WindowQuery(StrictSerializer):
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
            raise serializers.ValidationError({"from_ms": RANGE_IS_EMPTY})
        if to_ms - from_ms > _LONGEST_MS:
            raise serializers.ValidationError({"from_ms": "the range is longer than 400 days: choose a shorter one"})
        if to_ms > at_ms + _MOST_AHEAD_MS:
            raise serializers.ValidationError(
                {"to_ms": "the end lies more than a day in the future; times are epoch milliseconds"}
            )
        return {**attrs, "from_ms": from_ms, "to_ms": to_ms, "now_ms": at_ms}


class FlowListQuery(WindowQuery, PageQuery, DescriptionQuery):
    """Filters and orders of the list of flows."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        "source": lambda flow: flow.source,
        "target": lambda flow: flow.target,
        "status": lambda flow: flow.status.status,
        "since_ms": lambda flow: flow.status.since_ms,
        "records_per_second": lambda flow: flow.numbers.records_per_second,
        "bytes_per_second": lambda flow: flow.numbers.bytes_per_second,
        "lag_offsets": lambda flow: flow.numbers.lag_offsets,
        "latency_p95_ms": lambda flow: flow.numbers.latency_p95_ms,
        "service": lambda flow: flow.service,
    }

    source = serializers.CharField(required=False, default="", help_text="source cluster alias")  # type: ignore[assignment]
    target = serializers.CharField(required=False, default="", help_text="target cluster alias")
    status = serializers.ChoiceField(required=False, choices=FLOW_STATUS_CHOICES, help_text="only flows of this status")
    q = serializers.CharField(required=False, default="", max_length=200, help_text="part of `source->target`")


class TopicQuery(WindowQuery):
    """A time range for the statistics of topics; without one they have none."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        has_range = "from_ms" in attrs or "to_ms" in attrs
        return {**super().validate(attrs), "has_range": has_range}


class TopicListQuery(TopicQuery, PageQuery):
    """Filters and orders of the list of topics; with a range, each has its statistics over it."""

    orderings: ClassVar[Mapping[str, str]] = {name: name for name in ORDERINGS}

    q = serializers.CharField(required=False, default="", max_length=249, help_text="part of the topic's name")
    statistic = serializers.ChoiceField(
        required=False,
        default="",
        choices=choices_of(RankStatistic),
        help_text="of the range, by which rates, lag and latency are ordered; default: their present values. A latency "
        "is ordered by its 95th percentile",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        checked = super().validate(attrs)
        if checked["statistic"] and not checked["has_range"]:
            raise serializers.ValidationError({"statistic": "a statistic needs a range: send from_ms or to_ms with it"})
        return checked


class DriverListQuery(PageQuery):
    """Orders of the list of drivers."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("id", "role", "host", "tasks", "cpu_ratio", "rss_bytes", "started_ms")
    }


class SeriesQuery(WindowQuery):
    """One metric over time; the step is raised to what is still kept for the range."""

    metric = serializers.ChoiceField(choices=METRIC_CHOICES)
    topic = serializers.CharField(
        required=False, default="", max_length=249, help_text="source topic; empty = the flow"
    )
    partition = serializers.IntegerField(required=False, min_value=0, max_value=1_000_000, help_text="of the topic")
    group = serializers.CharField(
        required=False,
        default="",
        max_length=_LONGEST_GROUP,
        trim_whitespace=False,
        help_text=f"consumer group; has {' and '.join(GROUP_METRICS)}",
    )
    step_ms = step_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        checked = super().validate(attrs)
        if "partition" in checked and not checked["topic"]:
            raise serializers.ValidationError({"partition": "a partition needs its topic: send the topic, too"})
        if checked["group"] and checked["topic"]:
            raise serializers.ValidationError({"group": "a series is of a topic or of a group: send one of both"})
        if checked["group"] and checked["metric"] not in GROUP_METRICS:
            raise serializers.ValidationError({"metric": f"groups have {' and '.join(GROUP_METRICS)}"})
        check_points(checked)
        return checked


class ClusterSeriesQuery(WindowQuery):
    """One metric of all flows into or out of a cluster."""

    metric = serializers.ChoiceField(choices=METRIC_CHOICES)
    direction = serializers.ChoiceField(choices=[("in", "in"), ("out", "out")], required=False, default="in")
    step_ms = step_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        checked = super().validate(attrs)
        check_points(checked)
        return checked


class SummaryQuery(WindowQuery):
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
        raise serializers.ValidationError(
            {"step_ms": f"the step gives more than {MAX_POINTS} points: use at least {least}"}
        )
