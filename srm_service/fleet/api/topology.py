"""REST resource of the topology."""

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.questions.json_shape import to_plain
from srm_service.clusters.selectors import cluster_list
from srm_service.core.api.derived_fields import ShapeSerializers
from srm_service.core.api.lists import PartialSerializer
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import StrictSerializer, Values
from srm_service.core.contracts import Partial
from srm_service.fleet.topology import Topology, TopologyEdge, TopologyNode, topology_of
from srm_service.monitoring.flows.overview import overview

_SERIALIZERS = ShapeSerializers(__name__, TopologyNode, TopologyEdge)
_SERIALIZERS.reuse(Partial, PartialSerializer)
TopologySerializer = _SERIALIZERS.of(Topology)


class TopologyQuery(StrictSerializer):
    """The whole graph, or a part of it."""

    cluster = serializers.CharField(
        required=False, default="", max_length=255, help_text="only the flows of this cluster, with their ends"
    )


class TopologyView(APIView):
    @operation(
        "topology",
        "Clusters and flows as a graph",
        query=TopologyQuery,
        responses=TopologySerializer,
        description="Each flow is an edge with its own status and numbers; two clusters that copy in both directions "
        "have two.",
        tags=["replications"],
    )
    def get(self, request: Request, *, query: Values) -> Response:
        found = topology_of(overview(), cluster_list(), around=query["cluster"])
        if query["cluster"] and not found.nodes:
            raise NotFound(f"there is no cluster {query['cluster']}; GET /api/v2/clusters lists all")
        return Response(to_plain(found))
