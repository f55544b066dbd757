"""Read operations of the V2 metric API: one class per path."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.monitoring.flows.overview import overview
from srm_service.vendor_api import reads
from srm_service.vendor_api.metric_names import known_names
from srm_service.vendor_api.serializers import (
    ClusterMetricSerializer,
    GroupMetricSerializer,
    MetricWindowQuery,
    RemoteTopicListSerializer,
    RemoteTopicQuery,
    TopicMetricSerializer,
)

_TAGS = ["srm"]
_METRIC = f"`metric` is one of {', '.join(known_names())}."


class TopicMetricView(APIView):
    @operation(
        "topic_metrics",
        "One metric of a topic, by its name on the source",
        query=MetricWindowQuery,
        responses=TopicMetricSerializer,
        tags=_TAGS,
        description=_METRIC,
    )
    def get(
        self, request: Request, source: str, target: str, upstream_topic: str, metric: str, *, query: Values
    ) -> Response:
        return reads.topic_metric(overview(), FlowId(source, target), upstream_topic, metric, query)


class RemoteTopicMetricView(APIView):
    @operation(
        "remote_topic_metrics",
        "One metric of a topic, by its name on the target",
        query=MetricWindowQuery,
        responses=TopicMetricSerializer,
        tags=_TAGS,
        description=f"The topic is found by the pairs that drivers planned, under any naming policy. {_METRIC}",
    )
    def get(self, request: Request, target: str, downstream_topic: str, metric: str, *, query: Values) -> Response:
        return reads.remote_topic_metric(overview(), target, downstream_topic, metric, query)


class ClusterMetricView(APIView):
    @operation(
        "cluster_metrics",
        "One metric of the flow between two clusters",
        query=MetricWindowQuery,
        responses=ClusterMetricSerializer,
        tags=_TAGS,
        description=_METRIC,
    )
    def get(self, request: Request, source: str, target: str, metric: str, *, query: Values) -> Response:
        return reads.cluster_metric(overview(), FlowId(source, target), metric, query)


class GroupMetricView(APIView):
    @operation(
        "group_metrics",
        "One metric of a consumer group of a flow",
        query=MetricWindowQuery,
        responses=GroupMetricSerializer,
        tags=_TAGS,
        description="The lag of its commits, or the latency of its checkpoints.",
    )
    def get(self, request: Request, source: str, target: str, group: str, metric: str, *, query: Values) -> Response:
        return reads.group_metric(overview(), FlowId(source, target), group, metric, query)


class RemoteTopicListView(APIView):
    @operation(
        "remote_topics",
        "Replicated topics of all flows",
        query=RemoteTopicQuery,
        responses=RemoteTopicListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        now = overview()
        return reads.remote_topics(now, reads.flows_of(now), query)


class FlowRemoteTopicListView(APIView):
    @operation(
        "remote_topics_of_flow",
        "Replicated topics of a flow",
        query=RemoteTopicQuery,
        responses=RemoteTopicListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        return reads.remote_topics_of_flow(overview(), FlowId(source, target), query)
