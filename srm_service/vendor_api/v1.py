"""Read operations of the V1 metric API: those of V2 into the fixed target cluster of this service."""

from functools import partial

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.manager import SERVICE_TARGETS
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
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

_v1_operation = partial(
    operation,
    tags=["srm v1"],
    description=f"The target is the first of this service's `{SERVICE_TARGETS.key}`, or its only one.",
    problems={404: f"this service has several target clusters, and V1 has one: name it first in {SERVICE_TARGETS.key}"},
)
_metric = partial(_v1_operation, query=MetricWindowQuery)
_pairs = partial(_v1_operation, query=RemoteTopicQuery, responses=RemoteTopicListSerializer)


class TopicMetricV1View(APIView):
    @_metric("v1_topic_metrics", "One metric of a topic, by its name on the source", responses=TopicMetricSerializer)
    def get(self, request: Request, source: str, upstream_topic: str, metric: str, *, query: Values) -> Response:
        return reads.topic_metric(overview(), _flow(source), upstream_topic, metric, query)


class RemoteTopicMetricV1View(APIView):
    @_metric(
        "v1_remote_topic_metrics", "One metric of a topic, by its name on the target", responses=TopicMetricSerializer
    )
    def get(self, request: Request, downstream_topic: str, metric: str, *, query: Values) -> Response:
        return reads.remote_topic_metric(overview(), _target(), downstream_topic, metric, query)


class ClusterMetricV1View(APIView):
    @_metric("v1_cluster_metrics", "One metric of the flow from a cluster", responses=ClusterMetricSerializer)
    def get(self, request: Request, source: str, metric: str, *, query: Values) -> Response:
        return reads.cluster_metric(overview(), _flow(source), metric, query)


class GroupMetricV1View(APIView):
    @_metric("v1_group_metrics", "One metric of a consumer group", responses=GroupMetricSerializer)
    def get(self, request: Request, source: str, group: str, metric: str, *, query: Values) -> Response:
        return reads.group_metric(overview(), _flow(source), group, metric, query)


class RemoteTopicListV1View(APIView):
    @_pairs("v1_remote_topics", "Replicated topics")
    def get(self, request: Request, *, query: Values) -> Response:
        now = overview()
        return reads.remote_topics(now, reads.flows_of(now, _target()), query)


class FlowRemoteTopicListV1View(APIView):
    @_pairs("v1_remote_topics_of_flow", "Replicated topics of the flow from a cluster")
    def get(self, request: Request, source: str, *, query: Values) -> Response:
        return reads.remote_topics_of_flow(overview(), _flow(source), query)


def _flow(source: str) -> FlowId:
    return FlowId(source, _target())


def _target() -> str:
    try:
        return fixed_target()
    except NoFixedTargetError as error:
        raise NotFound(str(error)) from error
