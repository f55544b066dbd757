"""REST resources of clusters."""

from collections.abc import Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.clusters.contracts import ClusterDto
from srm_service.clusters.reachability import Reachability, board
from srm_service.clusters.selectors import cluster_access, cluster_find, cluster_list
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery, SortKey, page_of
from srm_service.core.api.requests import Values

_TAGS = ["clusters"]
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


class ClusterListSerializer(ListSerializer):
    """All clusters, by alias."""

    items = ClusterSerializer(many=True)


class ClusterListQuery(PageQuery):
    """Orders of the list of clusters."""

    orderings: ClassVar[Mapping[str, SortKey]] = {"alias": attrgetter("alias")}


class ClusterListView(APIView):
    @operation("clusters_list", "List clusters", query=ClusterListQuery, responses=ClusterListSerializer, tags=_TAGS)
    def get(self, request: Request, *, query: Values) -> Response:
        page = page_of(cluster_list(), query, key=lambda cluster: cluster.alias, orderings=ClusterListQuery.orderings)
        aliases = [cluster.alias for cluster in page.items]
        stale = board.stale(aliases)
        if stale:
            for access in cluster_access(stale).values():
                board.start_probe(access)
        known = board.known(aliases)
        return list_response(page, lambda cluster: _answer(cluster, known[cluster.alias]))


class ClusterDetailView(APIView):
    @operation("clusters_detail", "A cluster, with a new reachability check", responses=ClusterSerializer, tags=_TAGS)
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
