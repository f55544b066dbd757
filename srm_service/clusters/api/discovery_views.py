"""REST resources of discovered flows."""

from collections.abc import Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import ClassVar

from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.settings.registry.consumer_groups import SYNC_GROUP_OFFSETS
from srm_service.clusters.contracts import DiscoveredFlow
from srm_service.clusters.discovery import discovered_flows
from srm_service.configuration.api.problems import INVALID_EXAMPLE, configuration_problems
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.description_fields import DescriptionChangeSerializer, description_of
from srm_service.core.api.etags import tagged
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery, SortKey, page_of
from srm_service.core.api.problem import Conflict
from srm_service.core.api.requests import StrictSerializer, Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.core.contracts import Partial
from srm_service.flows.api.change_serializers import FlowSettingsSerializer
from srm_service.flows.api.changes import author_of, flow_etag, settings_answer
from srm_service.flows.changes import FlowSettingsChange, UnknownClusterError, flow_create
from srm_service.flows.services import FlowChangeError

_TAGS = ["clusters"]


class DiscoveredFlowSerializer(DataclassSerializer):
    """A flow that writes heartbeats into a registered cluster and is not registered."""

    shape = DiscoveredFlow


class DiscoveredListSerializer(ListSerializer):
    """Discovered flows by source and target; `partial` names the clusters whose heartbeats could not be read."""

    items = DiscoveredFlowSerializer(many=True)


class DiscoveredQuery(PageQuery):
    """The orders of discovered flows."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        "flow": attrgetter("key"),
        "first_seen_ms": attrgetter("first_seen_ms"),
        "heartbeat_ms": attrgetter("heartbeat_ms"),
    }


class AdoptionSerializer(StrictSerializer, DescriptionChangeSerializer):
    """The discovered flow to register, and whether it copies at once."""

    source = serializers.CharField(max_length=100)  # type: ignore[assignment]  # a field that hides one of the base class
    target = serializers.CharField(max_length=100)
    enabled = serializers.BooleanField(
        required=False, default=False, help_text="false as long as another program copies this flow"
    )


class DiscoveredListView(APIView):
    @operation(
        "clusters_discovered",
        "Flows that write heartbeats and are not registered",
        query=DiscoveredQuery,
        responses=DiscoveredListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        at_ms = now_ms()
        flows, silent = discovered_flows(at_ms)
        page = page_of(flows, query, key=attrgetter("key"), orderings=DiscoveredQuery.orderings, default="flow")
        partial = [Partial(peer=each.alias, error=each.error, age_ms=each.age_ms) for each in silent]
        return list_response(page, asdict, as_of_ms=at_ms, partial=partial)


class AdoptionView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "clusters_adopt",
        "Register a discovered flow",
        body=AdoptionSerializer,
        description="The flow starts with empty lists, disabled unless `enabled` says otherwise.",
        responses={201: FlowSettingsSerializer},
        tags=_TAGS,
        problems={404: "east->west is not discovered; GET /api/v2/clusters/discovered lists all", **INVALID_EXAMPLE},
    )
    def post(self, request: Request, *, body: Values) -> Response:
        source, target = body["source"], body["target"]
        flows, _ = discovered_flows(now_ms())
        if not any((flow.source, flow.target) == (source, target) for flow in flows):
            raise NotFound(f"{source}->{target} is not discovered; GET /api/v2/clusters/discovered lists all")
        change = FlowSettingsChange(
            fields={"enabled": body["enabled"]},
            properties={SYNC_GROUP_OFFSETS.key: None},  # of a flow that MirrorMaker runs: its default remains
            description=description_of(body),
        )
        try:
            with configuration_problems():
                flow = flow_create(source, target, change, author_of(request, {"comment": "adopted"}))
        except (UnknownClusterError, FlowChangeError) as error:
            raise Conflict(str(error)) from error
        return tagged(Response(settings_answer(flow), status=status.HTTP_201_CREATED), flow_etag(flow))
