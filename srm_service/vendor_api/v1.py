"""Read operations of the V1 metric API: those of V2 into the fixed target cluster of this service."""

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.monitoring.api.views import find_flow
from srm_service.monitoring.contracts import Overview
from srm_service.monitoring.flows.overview import overview
from srm_service.vendor_api import reads
from srm_service.vendor_api.fixed_target import NoFixedTargetError, fixed_target
from srm_service.vendor_api.serializers import (
    ClusterMetricSerializer,
    GroupMetricSerializer,
    MetricWindowQuery,
    RemoteTopicListSerializer,
    RemoteTopicQuery,
    TopicMetricSerializer,
)

_TAGS = ["srm v1"]
_TARGET = "The target is that of this service: `SRM_V1_TARGET`, or its only target cluster."
_PROBLEMS = {404: "this service has several target clusters (eu-central, us-west), and V1 has one: set SRM_V1_TARGET"}


class TopicMetricV1View(APIView):
    @operation(
        "v1_topic_metrics",
        "One metric of a topic, by its name on the source",
        query=MetricWindowQuery,
        responses=TopicMetricSerializer,
        tags=_TAGS,
        description=_TARGET,
        problems=_PROBLEMS,
    )
    def get(self, request: Request, source: str, upstream_topic: str, metric: str, *, query: Values) -> Response:
        now = overview()
        return reads.topic_metric(now, FlowId(source, _target(now)), upstream_topic, metric, query)


class RemoteTopicMetricV1View(APIView):
    @operation(
        "v1_remote_topic_metrics",
        "One metric of a topic, by its name on the target",
        query=MetricWindowQuery,
        responses=TopicMetricSerializer,
        tags=_TAGS,
        description=_TARGET,
        problems=_PROBLEMS,
    )
    def get(self, request: Request, downstream_topic: str, metric: str, *, query: Values) -> Response:
        now = overview()
        return reads.remote_topic_metric(now, _target(now), downstream_topic, metric, query)


class ClusterMetricV1View(APIView):
    @operation(
        "v1_cluster_metrics",
        "One metric of the flow from a cluster",
        query=MetricWindowQuery,
        responses=ClusterMetricSerializer,
        tags=_TAGS,
        description=_TARGET,
        problems=_PROBLEMS,
    )
    def get(self, request: Request, source: str, metric: str, *, query: Values) -> Response:
        now = overview()
        return reads.cluster_metric(now, FlowId(source, _target(now)), metric, query)


class GroupMetricV1View(APIView):
    @operation(
        "v1_group_metrics",
        "One metric of a consumer group",
        query=MetricWindowQuery,
        responses=GroupMetricSerializer,
        tags=_TAGS,
        description=_TARGET,
        problems=_PROBLEMS,
    )
    def get(self, request: Request, source: str, group: str, metric: str, *, query: Values) -> Response:
        now = overview()
        return reads.group_metric(now, FlowId(source, _target(now)), group, metric, query)


class RemoteTopicListV1View(APIView):
    @operation(
        "v1_remote_topics",
        "Replicated topics",
        query=RemoteTopicQuery,
        responses=RemoteTopicListSerializer,
        tags=_TAGS,
        description=_TARGET,
        problems=_PROBLEMS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        now = overview()
        return reads.remote_topics(now, reads.flows_of(now, _target(now)), query)


class FlowRemoteTopicListV1View(APIView):
    @operation(
        "v1_remote_topics_of_flow",
        "Replicated topics of the flow from a cluster",
        query=RemoteTopicQuery,
        responses=RemoteTopicListSerializer,
        tags=_TAGS,
        description=_TARGET,
        problems=_PROBLEMS,
    )
    def get(self, request: Request, source: str, *, query: Values) -> Response:
        now = overview()
        flow = FlowId(source, _target(now))
        find_flow(now, flow.source, flow.target)
        return reads.remote_topics(now, [flow], query)


def _target(now: Overview) -> str:
    try:
        return fixed_target(now)
    except NoFixedTargetError as error:
        raise NotFound(str(error)) from error
