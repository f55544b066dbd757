"""Shapes of the answers (docs/contracts/rest.md)."""

from typing import Any, get_type_hints

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from replication.domain.desired.desired_flow import FlowState
from replication.domain.groups.group_summary import GroupCounts
from replication.domain.health.catch_up import CatchUp
from replication.domain.health.flow_facts import StatusCause
from replication.domain.reporting.metric_defs import FLEET_METRICS, METRICS
from srm_service.core.api.derived_fields import AnyField, DataclassSerializer, field_of
from srm_service.core.api.lists import ListSerializer, PartialSerializer
from srm_service.core.choices import choices_of
from srm_service.flows.api.change_serializers import FlowSettingsSerializer
from srm_service.flows.contracts import OrdersInForce
from srm_service.monitoring.api.choices import METRIC_CHOICES
from srm_service.monitoring.contracts import FlowLimit, Statistics, TopicNow
from srm_service.monitoring.drivers import DriverNow
from srm_service.monitoring.flow_columns import rest_columns
from srm_service.monitoring.flows.fleet import FleetMetric
from srm_service.monitoring.flows.revisions import FlowRevisions, RejectedPart, TaskRevision
from srm_service.monitoring.series.flow_metrics import LIST_METRICS, TOPIC_METRICS

_POINT = {
    "type": ["array", "null"],
    "description": "[t, avg, min, max, count]; null where nothing was measured",
    "prefixItems": [{"type": "number"}] * 5,
    "items": {"type": "number"},
    "minItems": 5,
    "maxItems": 5,
}


class CauseSerializer(DataclassSerializer):
    """The first cause of a problem, with its topic and partition."""

    shape = StatusCause


class StatisticsSerializer(DataclassSerializer):
    """One metric over the window asked for; null means unknown, or that this kind of metric has no such value."""

    shape = Statistics
    sum_unit = serializers.CharField(help_text="unit of `sum`: that of a rate is not per second")


class TasksSerializer(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, AnyField]:
        return {name: field_of(column.described_hint) for name, column in rest_columns("tasks")}


class MetricsSerializer(serializers.Serializer[Any]):
    """Statistics by metric name."""

    def get_fields(self) -> dict[str, AnyField]:
        return {name: StatisticsSerializer() for name in METRICS}


class ListMetricsSerializer(serializers.Serializer[Any]):
    """Statistics by metric name: those that lists have."""

    def get_fields(self) -> dict[str, AnyField]:
        return {name: StatisticsSerializer() for name in LIST_METRICS}


class LimitSerializer(DataclassSerializer):
    """The limit of the flow's speed."""

    shape = FlowLimit


class FlowGroupCountsSerializer(DataclassSerializer):
    """The consumer groups of the flow by readiness."""

    shape = GroupCounts


class OrdersInForceSerializer(DataclassSerializer):
    """Orders in force that slow or stop the copying of a running flow; partitions of a counted topic do not count."""

    shape = OrdersInForce


class CatchUpSerializer(DataclassSerializer):
    """Until level with the source: the estimate and the range it lies in."""

    shape = CatchUp


class TaskRevisionSerializer(DataclassSerializer):
    """A task with the revision that it has applied."""

    shape = TaskRevision


class RejectedPartSerializer(DataclassSerializer):
    """A part of the target's desired document that a driver cannot use."""

    shape = RejectedPart


class FlowRevisionsSerializer(serializers.Serializer[Any]):
    """The desired revision of the flow's target, and how far drivers are."""

    tasks = TaskRevisionSerializer(many=True)
    rejected = RejectedPartSerializer(many=True)

    def get_fields(self) -> dict[str, AnyField]:
        hints = get_type_hints(FlowRevisions, include_extras=True)
        return {name: field_of(hints[name]) for name in ("desired", "is_applied")} | super().get_fields()


class FlowListItemSerializer(serializers.Serializer[Any]):
    """A replication flow in a list: how it is doing, why, and its numbers."""

    tasks = TasksSerializer()
    metrics = ListMetricsSerializer()
    proven_until_ms = serializers.IntegerField(allow_null=True)
    revisions = FlowRevisionsSerializer()
    permissions = serializers.ListField(
        child=serializers.CharField(), help_text="what the caller may do with this flow"
    )

    def get_fields(self) -> dict[str, AnyField]:
        nested = {
            StatusCause: CauseSerializer,
            FlowLimit: LimitSerializer,
            GroupCounts: FlowGroupCountsSerializer,
            OrdersInForce: OrdersInForceSerializer,
        }
        shared = {name: field_of(column.described_hint, nested) for name, column in rest_columns()}
        return {**shared, **super().get_fields()}


class FlowSerializer(FlowListItemSerializer):
    """A replication flow: how it is doing, why, and all of its numbers."""

    metrics = MetricsSerializer()  # type: ignore[assignment]  # those of the list and more
    catch_up = CatchUpSerializer(
        allow_null=True, help_text="from the slope of the lag over the last minutes; null: not in sight, or unknown"
    )


class FlowDetailSerializer(FlowSerializer):
    """A replication flow with its settings."""

    ordered_state = serializers.ChoiceField(
        choices=choices_of(FlowState), help_text="what operators order of the flow; its tasks may not have applied it"
    )
    settings = FlowSettingsSerializer()


class FlowListSerializer(ListSerializer):
    """The flows that match, by source and target."""

    items = FlowListItemSerializer(many=True)


class TopicMetricsSerializer(serializers.Serializer[Any]):
    """Statistics by metric name: those that topics have."""

    def get_fields(self) -> dict[str, AnyField]:
        return {name: StatisticsSerializer() for name in TOPIC_METRICS}


class TopicSerializer(DataclassSerializer):
    """A topic of a flow; latencies are over the last half minute."""

    shape = TopicNow

    metrics = TopicMetricsSerializer(
        allow_null=True, help_text="over the range asked for; null: none was, or the metrics store does not answer"
    )


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
    """A metric over time; point n covers the time from_ms + n * step_ms."""

    metric = serializers.ChoiceField(choices=METRIC_CHOICES)
    unit = serializers.CharField()
    sum_unit = serializers.CharField(help_text="unit of the sums in `details`")
    from_ms = serializers.IntegerField()
    to_ms = serializers.IntegerField()
    step_ms = serializers.IntegerField()
    points = PointsField()
    details = DetailsField()


class DriverSerializer(DataclassSerializer):
    """One process of a driver."""

    shape = DriverNow


class DriverListSerializer(ListSerializer):
    """Driver processes that report, by id and role."""

    items = DriverSerializer(many=True)


class FleetMetricSerializer(DataclassSerializer):
    """One metric of all flows together: `latest` is now, the others are over the range."""

    shape = FleetMetric


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

    def get_fields(self) -> dict[str, AnyField]:
        return {metric.name: FleetMetricSerializer() for metric in FLEET_METRICS}


class FleetSeriesByNameSerializer(serializers.Serializer[Any]):
    """Series of all flows together by metric."""

    def get_fields(self) -> dict[str, AnyField]:
        return {metric.name: FleetSeriesSerializer() for metric in FLEET_METRICS}


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer"}})
class StatusCountsField(serializers.DictField):
    """Flows by status; a status that no flow has is absent."""


class SummarySerializer(serializers.Serializer[Any]):
    """The fleet at a glance."""

    as_of_ms = serializers.IntegerField()
    flows = serializers.IntegerField()
    clusters = serializers.IntegerField()
    by_status = StatusCountsField()
    metrics = FleetMetricsSerializer()
    series = FleetSeriesByNameSerializer()
    metrics_age_ms = serializers.IntegerField(allow_null=True, help_text="of the target whose metrics are oldest")
    partial = PartialSerializer(many=True)  # type: ignore[assignment]  # a field that hides one of the base class
