"""REST resources of discovered flows."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.clusters.api.serializers import ClusterPartialSerializer
from srm_service.clusters.contracts import DiscoveredFlow
from srm_service.clusters.discovery import discovered_flows
from srm_service.configuration.api.problems import configuration_problems
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.description_fields import DescriptionChangeSerializer, description_of
from srm_service.core.api.etags import tagged
from srm_service.core.api.pagination import page_of
from srm_service.core.api.problem import Conflict
from srm_service.core.api.requests import StrictSerializer, checked, checked_query
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.flows.api.change_serializers import FlowSettingsSerializer
from srm_service.flows.api.changes import author_of, flow_etag, settings_answer
from srm_service.flows.changes import FlowSettingsChange, UnknownClusterError, flow_create
from srm_service.flows.services import FlowChangeError
from srm_service.monitoring.api.queries import PageQuery

_TAGS = ["clusters"]


class DiscoveredFlowSerializer(DataclassSerializer):
    """A flow that writes heartbeats into a registered cluster and is not registered."""

    shape = DiscoveredFlow


class DiscoveredListSerializer(serializers.Serializer[Any]):
    """Discovered flows by source and target; `partial` names the clusters whose heartbeats could not be read."""

    items = DiscoveredFlowSerializer(many=True)
    next_cursor = serializers.CharField(allow_null=True)
    as_of_ms = serializers.IntegerField()
    partial = ClusterPartialSerializer(many=True)  # type: ignore[assignment]  # a field that hides one of the base class


class DiscoveredQuery(StrictSerializer, PageQuery):
    """A page of discovered flows."""


class AdoptionSerializer(StrictSerializer, DescriptionChangeSerializer):
    """The discovered flow to register, and whether it copies at once."""

    source = serializers.CharField(max_length=100)  # type: ignore[assignment]  # a field that hides one of the base class
    target = serializers.CharField(max_length=100)
    enabled = serializers.BooleanField(
        required=False, default=False, help_text="false as long as another program copies this flow"
    )


class DiscoveredListView(APIView):
    @extend_schema(
        operation_id="clusters_discovered",
        summary="Flows that write heartbeats and are not registered",
        parameters=[DiscoveredQuery],
        responses=DiscoveredListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request) -> Response:
        query = checked_query(DiscoveredQuery, request)
        at_ms = now_ms()
        flows, silent = discovered_flows(at_ms)
        page = page_of(flows, key=lambda flow: flow.key, cursor=query["cursor"], limit=query["limit"])
        partial = [{"peer": each.alias, "error": each.error, "age_ms": each.age_ms} for each in silent]
        items = [asdict(flow) for flow in page.items]
        return Response({"items": items, "next_cursor": page.next_cursor, "as_of_ms": at_ms, "partial": partial})


class AdoptionView(APIView):
    required_role: UserRole = "operator"

    @extend_schema(
        operation_id="clusters_adopt",
        summary="Register a discovered flow",
        description="The flow starts with empty lists, disabled unless `enabled` says otherwise.",
        request=AdoptionSerializer,
        responses={201: FlowSettingsSerializer},
        tags=_TAGS,
    )
    def post(self, request: Request) -> Response:
        values = checked(AdoptionSerializer, request.data)
        source, target = values["source"], values["target"]
        flows, _ = discovered_flows(now_ms())
        if not any((flow.source, flow.target) == (source, target) for flow in flows):
            raise NotFound(f"{source}->{target} is not discovered; GET /api/v2/clusters/discovered lists all")
        change = FlowSettingsChange(fields={"enabled": values["enabled"]}, description=description_of(values))
        try:
            with configuration_problems():
                flow = flow_create(source, target, change, author_of(request, {"comment": "adopted"}))
        except (UnknownClusterError, FlowChangeError) as error:
            raise Conflict(str(error)) from error
        return tagged(Response(settings_answer(flow), status=status.HTTP_201_CREATED), flow_etag(flow))
