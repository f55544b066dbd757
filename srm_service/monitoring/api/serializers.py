"""Shapes of the answers (docs/contracts.md section 10)."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from srm_service.monitoring.api.choices import FLOW_STATUS_CHOICES, METRIC_CHOICES
from srm_service.monitoring.fleet import FLEET_UNITS
from srm_service.monitoring.metric_names import METRIC_NAMES

_POINT = {
    "type": ["array", "null"],
    "description": "[t, avg, min, max, count]; null where nothing was measured",
    "prefixItems": [{"type": "number"}] * 5,
    "items": {"type": "number"},
    "minItems": 5,
    "maxItems": 5,
}


def _optional_number(text: str = "") -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, help_text=text)


class PartialSerializer(serializers.Serializer[Any]):
    """A part that could not answer; the rest is shown nevertheless."""

    peer = serializers.CharField()
    error = serializers.CharField()
    age_ms = serializers.IntegerField(allow_null=True)


class ListSerializer(serializers.Serializer[Any]):
    """What every list has besides its items."""

    next_cursor = serializers.CharField(allow_null=True)
    as_of_ms = serializers.IntegerField()
    partial = PartialSerializer(many=True)  # type: ignore[assignment]  # a field, whatever the base class has under this name


class CauseSerializer(serializers.Serializer[Any]):
    """What went wrong first, and where."""

    code = serializers.CharField()
    text = serializers.CharField()
    topic = serializers.CharField(allow_null=True)
    partition = serializers.IntegerField(allow_null=True)
    since_ms = serializers.IntegerField(allow_null=True)


class StatisticsSerializer(serializers.Serializer[Any]):
    """One metric over the window asked for; null means unknown."""

    unit = serializers.CharField()
    latest = _optional_number("the live value of this second")
    avg = _optional_number()
    min = _optional_number()
    max = _optional_number()
    sum = _optional_number()
    count = serializers.IntegerField(allow_null=True)
    p50 = _optional_number()
    p95 = _optional_number()
    p99 = _optional_number()


class TasksSerializer(serializers.Serializer[Any]):
    running = serializers.IntegerField()
    total = serializers.IntegerField()


class MetricsSerializer(serializers.Serializer[Any]):
    """Statistics by metric name."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: StatisticsSerializer() for name in METRIC_NAMES}


class LimitSerializer(serializers.Serializer[Any]):
    """What keeps the flow from being faster."""

    code = serializers.CharField()
    text = serializers.CharField()


class CatchUpSerializer(serializers.Serializer[Any]):
    """Until level with the source: the estimate and the range it lies in."""

    ms = serializers.IntegerField()
    low_ms = serializers.IntegerField()
    high_ms = serializers.IntegerField(allow_null=True, help_text="null: may be never")


class FlowSerializer(serializers.Serializer[Any]):
    """A replication flow: how it is doing, why, and its numbers."""

    source = serializers.CharField()  # type: ignore[assignment]  # a field, whatever the base class has under this name
    target = serializers.CharField()
    status = serializers.ChoiceField(choices=FLOW_STATUS_CHOICES)
    reason = serializers.CharField()
    cause = CauseSerializer(allow_null=True)
    since_ms = serializers.IntegerField(allow_null=True)
    metrics_age_ms = serializers.IntegerField(allow_null=True, help_text="age of the newest metrics of the target")
    live_age_ms = serializers.IntegerField(
        allow_null=True, help_text="age of the live numbers: of the oldest report of a source task"
    )
    served_by = serializers.CharField(allow_null=True, help_text="id of the driver that copies")
    topics = serializers.IntegerField(allow_null=True)
    partitions = serializers.IntegerField(allow_null=True)
    groups = serializers.IntegerField(allow_null=True)
    tasks = TasksSerializer()
    metrics = MetricsSerializer()
    catch_up_ms = serializers.IntegerField(allow_null=True, help_text="until the flow is level; null: not in sight")
    catch_up = CatchUpSerializer(
        allow_null=True, help_text="of one flow: from the slope of its lag over the last minutes; null in lists"
    )
    time_to_loss_ms = serializers.IntegerField(
        allow_null=True, help_text="until retention overtakes a partition; null: nothing is being lost"
    )
    limit = LimitSerializer(allow_null=True)
    proven_until_ms = serializers.IntegerField(allow_null=True)
    permissions = serializers.ListField(
        child=serializers.CharField(), help_text="what the caller may do with this flow"
    )


class FlowListSerializer(ListSerializer):
    """The flows that match, by source and target."""

    items = FlowSerializer(many=True)


class TopicSerializer(serializers.Serializer[Any]):
    """A topic of a flow; latencies are over the last half minute."""

    topic = serializers.CharField()
    remote_topic = serializers.CharField(allow_null=True)
    partitions = serializers.IntegerField(allow_null=True)
    state = serializers.CharField(allow_null=True)
    records_per_second = _optional_number()
    bytes_per_second = _optional_number()
    lag_offsets = serializers.IntegerField(allow_null=True)
    latency_p50_ms = _optional_number()
    latency_p95_ms = _optional_number()
    latency_max_ms = _optional_number()
    updated_ms = serializers.IntegerField(allow_null=True)


class TopicListSerializer(ListSerializer):
    """The topics that match, by name."""

    items = TopicSerializer(many=True)


@extend_schema_field({"type": "array", "items": _POINT})
class PointsField(serializers.ListField):
    """Points of a series."""


@extend_schema_field(
    {
        "type": "array",
        "items": {
            "type": ["array", "null"],
            "description": "[sum, p50, p95, p99] of the step; each null where it has no meaning",
            "items": {"type": ["number", "null"]},
            "minItems": 4,
            "maxItems": 4,
        },
    }
)
class DetailsField(serializers.ListField):
    """Sum and percentiles of each step of a series."""


class SeriesSerializer(serializers.Serializer[Any]):
    """A metric over time; point n stands for the time from_ms + n * step_ms."""

    metric = serializers.ChoiceField(choices=METRIC_CHOICES)
    unit = serializers.CharField()
    from_ms = serializers.IntegerField()
    to_ms = serializers.IntegerField()
    step_ms = serializers.IntegerField()
    points = PointsField()
    details = DetailsField()


class DriverSerializer(serializers.Serializer[Any]):
    """One process of a driver."""

    id = serializers.CharField()
    role = serializers.CharField()
    host = serializers.CharField(allow_null=True)
    pid = serializers.IntegerField(allow_null=True)
    version = serializers.CharField(allow_null=True)
    boot = serializers.CharField(allow_null=True)
    targets = serializers.ListField(child=serializers.CharField())
    capacity = serializers.IntegerField(allow_null=True)
    drain = serializers.BooleanField()
    started_ms = serializers.IntegerField(allow_null=True)
    sent_ms = serializers.IntegerField(allow_null=True)
    cpu_ratio = _optional_number("CPU seconds per second")
    rss_bytes = serializers.IntegerField(allow_null=True)
    tasks = serializers.IntegerField()


class DriverListSerializer(ListSerializer):
    """Driver processes that report, by id and role."""

    items = DriverSerializer(many=True)


class FleetMetricSerializer(serializers.Serializer[Any]):
    """One metric of all flows together, now."""

    unit = serializers.CharField()
    latest = _optional_number()
    worst_flow = serializers.CharField(allow_null=True, help_text="key of the flow with the largest value")


class FleetSeriesSerializer(serializers.Serializer[Any]):
    """One metric of all flows together over time; of a p95, `avg` of a point is the p95 of its step."""

    metric = serializers.CharField()
    unit = serializers.CharField()
    from_ms = serializers.IntegerField()
    to_ms = serializers.IntegerField()
    step_ms = serializers.IntegerField()
    points = PointsField()


class FleetMetricsSerializer(serializers.Serializer[Any]):
    """Metrics of all flows together by name."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: FleetMetricSerializer() for name in FLEET_UNITS}


class FleetSeriesByNameSerializer(serializers.Serializer[Any]):
    """Series of all flows together by metric."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: FleetSeriesSerializer() for name in FLEET_UNITS}


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer"}})
class StatusCountsField(serializers.DictField):
    """Flows by status; a status nobody has is absent."""


class SummarySerializer(serializers.Serializer[Any]):
    """The fleet at a glance."""

    as_of_ms = serializers.IntegerField()
    flows = serializers.IntegerField()
    clusters = serializers.IntegerField()
    by_status = StatusCountsField()
    metrics = FleetMetricsSerializer()
    series = FleetSeriesByNameSerializer()
    metrics_age_ms = serializers.IntegerField(allow_null=True, help_text="of the target whose metrics are oldest")
    partial = PartialSerializer(many=True)  # type: ignore[assignment]  # a field, whatever the base class has under this name
