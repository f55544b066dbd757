"""Queries and answers of the metric API (docs/srm-api.md)."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar

from rest_framework import serializers

from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.pagination import PageQuery, SortKey
from srm_service.monitoring.api.choices import METRIC_CHOICES
from srm_service.monitoring.api.queries import WindowQuery, check_points, step_field
from srm_service.monitoring.api.serializers import DetailsField, PointsField, StatisticsSerializer
from srm_service.monitoring.flows.topic_pairs import RemotePair


class MetricWindowQuery(WindowQuery):
    """The window of one metric; the step is raised to what is still kept for the range."""

    step_ms = step_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        checked = super().validate(attrs)
        check_points(checked)
        return checked


class RemoteTopicQuery(PageQuery):
    """Filter and orders of the list of remote topics."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("source", "target", "topic", "remote_topic", "partitions")
    }

    q = serializers.CharField(required=False, default="", max_length=249, help_text="part of either name of the topic")


class MetricWindowSerializer(serializers.Serializer[Any]):
    """The time that an answer covers, in whole steps."""

    from_ms = serializers.IntegerField()
    to_ms = serializers.IntegerField()
    step_ms = serializers.IntegerField()


class MetricValuesSerializer(StatisticsSerializer):
    """One metric over a window; point n covers the time from_ms + n * step_ms."""

    metric = serializers.ChoiceField(choices=METRIC_CHOICES)
    window = MetricWindowSerializer()
    points = PointsField()
    details = DetailsField()


class ClusterMetricSerializer(MetricValuesSerializer):
    """One metric of a flow between two clusters."""

    target = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field that hides one of the base class


class GroupMetricSerializer(ClusterMetricSerializer):
    """One metric of a consumer group of a flow."""

    group = serializers.CharField()


class RemotePairSerializer(serializers.Serializer[Any]):
    """A topic by its name on the source and by that on the target."""

    source = serializers.CharField()  # type: ignore[assignment]  # a field that hides one of the base class
    topic = serializers.CharField()
    remote_topic = serializers.CharField()


class TopicMetricSerializer(MetricValuesSerializer):
    """One metric of a replicated topic."""

    target = serializers.CharField()
    pairs = RemotePairSerializer(many=True, help_text="several if flows merge topics, or if the topic had other copies")


class RemoteTopicSerializer(DataclassSerializer):
    """A replicated topic."""

    shape = RemotePair


class RemoteTopicListSerializer(ListSerializer):
    """The replicated topics that match, by flow and source topic."""

    items = RemoteTopicSerializer(many=True)
