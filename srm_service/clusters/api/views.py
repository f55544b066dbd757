"""REST resources of clusters."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.clusters.contracts import ClusterDto
from srm_service.clusters.reachability import Reachability, board
from srm_service.clusters.selectors import cluster_access, cluster_find, cluster_list
from srm_service.core.clock import now_ms

_WAIT_S = 4.0


class ClusterSerializer(serializers.Serializer[Any]):
    """A cluster. Secrets are write-only; `secret_names` lists those that are set."""

    alias = serializers.CharField()
    bootstrap = serializers.ListField(child=serializers.CharField())
    client = serializers.DictField(child=serializers.CharField(), help_text="client settings under Java's key names")
    secret_names = serializers.ListField(child=serializers.CharField())
    reachable = serializers.BooleanField(allow_null=True, help_text="null before the first answer")
    error = serializers.CharField(allow_null=True)
    cluster_id = serializers.CharField(allow_null=True)
    brokers = serializers.IntegerField(allow_null=True)
    checked_ms = serializers.IntegerField(allow_null=True)


class ClusterPartialSerializer(serializers.Serializer[Any]):
    """A component that did not answer."""

    peer = serializers.CharField()
    error = serializers.CharField()
    age_ms = serializers.IntegerField(allow_null=True)


class ClusterListSerializer(serializers.Serializer[Any]):
    """All clusters, by alias."""

    items = ClusterSerializer(many=True)
    next_cursor = serializers.CharField(allow_null=True)
    as_of_ms = serializers.IntegerField()
    partial = ClusterPartialSerializer(many=True)  # type: ignore[assignment]  # a field that hides one of the base class


class ClusterListView(APIView):
    @extend_schema(
        operation_id="clusters_list", summary="List clusters", responses=ClusterListSerializer, tags=["clusters"]
    )
    def get(self, request: Request) -> Response:
        clusters = cluster_list()
        aliases = [cluster.alias for cluster in clusters]
        stale = board.stale(aliases)
        if stale:
            for access in cluster_access(stale).values():
                board.start_probe(access)
        known = board.known(aliases)
        items = [_answer(cluster, known[cluster.alias]) for cluster in clusters]
        return Response({"items": items, "next_cursor": None, "as_of_ms": now_ms(), "partial": []})


class ClusterDetailView(APIView):
    @extend_schema(
        operation_id="clusters_detail",
        summary="A cluster, with a new reachability check",
        responses=ClusterSerializer,
        tags=["clusters"],
    )
    def get(self, request: Request, alias: str) -> Response:
        cluster = cluster_find(alias)
        if cluster is None:
            raise NotFound(f"there is no cluster {alias}; GET /api/v2/clusters lists all")
        access = cluster_access([alias]).get(alias)
        if access is None:
            error = "its secrets cannot be decrypted: add the key that encrypted them to SRM_SECRET_KEYS"
            return Response(_answer(cluster, Reachability(error=error)))
        return Response(_answer(cluster, board.probe(access, _WAIT_S)))


def _answer(cluster: ClusterDto, reachability: Reachability) -> dict[str, Any]:
    return {
        "alias": cluster.alias,
        "bootstrap": list(cluster.bootstrap),
        "client": cluster.client,
        "secret_names": list(cluster.secret_names),
        **asdict(reachability),
    }
