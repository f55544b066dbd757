"""Queries and answers of the replication statistics (docs/srm-api.md)."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar, Literal

from rest_framework import serializers

from srm_service.core.api.lists import ListSerializer, PartialSerializer
from srm_service.core.api.pagination import PageQuery, SortKey
from srm_service.core.choices import choices_of
from srm_service.monitoring.api.choices import FLOW_STATUS_CHOICES
from srm_service.monitoring.api.queries import WindowQuery, check_points, step_field
from srm_service.vendor_api.serializers import MetricValuesSerializer

SmmStatus = Literal["ACTIVE", "INACTIVE"]
SMM_STATUS_CHOICES = choices_of(SmmStatus)


class _StatsQuery(WindowQuery, PageQuery):
    step_ms = step_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        checked = super().validate(attrs)
        check_points(checked)
        return checked


class ReplicationStatsQuery(_StatsQuery):
    """A page of flows, and the window of their statistics."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        "source": attrgetter("source"),
        "target": attrgetter("target"),
        "status": attrgetter("status.status"),
        "topics": attrgetter("topics"),
    }


class TopicStatsQuery(_StatsQuery):
    """A page of topics, and the window of their statistics."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("topic", "remote_topic", "partitions", "source", "target")
    }


class IsConfiguredSerializer(serializers.Serializer[Any]):
    """Whether there are flows to report on."""

    is_configured = serializers.BooleanField()
    flows = serializers.IntegerField()


class _StatsSerializer(serializers.Serializer[Any]):
    source = serializers.CharField()  # type: ignore[assignment]  # a field that hides one of the base class
    target = serializers.CharField()
    partitions = serializers.IntegerField(allow_null=True)
    consumer_groups = serializers.IntegerField(allow_null=True)
    throughput = MetricValuesSerializer(help_text="bytes per second")
    replication_latency = MetricValuesSerializer()
    checkpoint_latency = MetricValuesSerializer(help_text="null of a topic: it is measured per flow and group")
    lag = MetricValuesSerializer(help_text="source offsets that are not copied yet")


class ReplicationStatsSerializer(_StatsSerializer):
    """The statistics of a flow."""

    status = serializers.ChoiceField(choices=SMM_STATUS_CHOICES)
    state = serializers.ChoiceField(choices=FLOW_STATUS_CHOICES, help_text="the status of the flow in detail")
    reason = serializers.CharField()
    topics = serializers.IntegerField(allow_null=True)


class ReplicationStatsListSerializer(ListSerializer):
    """The statistics of flows, by source and target."""

    items = ReplicationStatsSerializer(many=True)


class TopicStatsSerializer(_StatsSerializer):
    """The statistics of a replicated topic."""

    topic = serializers.CharField()
    remote_topic = serializers.CharField()


class TopicStatsDetailSerializer(TopicStatsSerializer):
    """The statistics of one replicated topic."""

    as_of_ms = serializers.IntegerField()
    partial = PartialSerializer(many=True)  # type: ignore[assignment]  # a field that hides one of the base class


class TopicStatsListSerializer(ListSerializer):
    """The statistics of replicated topics."""

    items = TopicStatsSerializer(many=True)
