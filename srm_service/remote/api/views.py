"""REST resources of remote services and of the tokens for them."""

from dataclasses import asdict
from operator import attrgetter
from typing import Any

from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.services.address import parse_address
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.core.contracts import Partial
from srm_service.remote.api.serializers import (
    CredentialAddressSerializer,
    CredentialQuery,
    CredentialSerializer,
    RemoteServiceListSerializer,
    RemoteServiceQuery,
)
from srm_service.remote.contracts import AdvertisedClusterDto
from srm_service.remote.selectors import advertised_clusters, forget_plan, own_answer, remote_services
from srm_service.remote.services import AddressNotAllowedError, credential_remove, credential_set

_TAGS = ["remote services"]


class RemoteServiceListView(APIView):
    @operation(
        "remote_services_list",
        "Services that report the flows into remote targets",
        query=RemoteServiceQuery,
        responses=RemoteServiceListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        clusters = advertised_clusters()
        page = page_of(remote_services(), query, key=attrgetter("key"), orderings=RemoteServiceQuery.orderings)
        more = {"own": _lists(asdict(own_answer())), "clusters": [asdict(each) for each in clusters]}
        partial = [each for cluster in clusters for each in _problems(cluster)]
        return list_response(page, lambda each: _lists(asdict(each)), partial=partial, more=more)


class CredentialView(APIView):
    required_role: UserRole = "admin"

    @operation(
        "remote_credentials_set",
        "Store the API token for the address of another service",
        description="Replaces an earlier one. The token is stored encrypted.",
        body=CredentialSerializer,
        responses=CredentialAddressSerializer,
        tags=_TAGS,
    )
    def put(self, request: Request, *, body: Values) -> Response:
        try:
            address = credential_set(address=body["address"], token=body["token"], by=request.user.get_username())
        except AddressNotAllowedError as error:
            raise serializers.ValidationError({"address": str(error)}) from error
        forget_plan()
        return Response({"address": address})

    @operation(
        "remote_credentials_remove",
        "Forget the API token for the address of another service",
        query=CredentialQuery,
        responses={204: None},
        tags=_TAGS,
        problems={404: "there is no token for https://srm.example.com:443"},
    )
    def delete(self, request: Request, *, query: Values) -> Response:
        try:
            address = parse_address(query["address"])
        except ValueError as error:
            raise serializers.ValidationError({"address": str(error)}) from error
        if not credential_remove(address=address, by=request.user.get_username()):
            raise NotFound(f"there is no token for {address}; GET /api/v2/remote-services shows the addresses")
        forget_plan()
        return Response(status=status.HTTP_204_NO_CONTENT)


def _problems(cluster: AdvertisedClusterDto) -> list[Partial]:
    age_ms = None if cluster.read_ms is None else max(0, now_ms() - cluster.read_ms)
    return [Partial(peer=cluster.alias, error=cluster.read_error, age_ms=age_ms)] if cluster.read_error else []


def _lists(values: dict[str, Any]) -> dict[str, Any]:
    return {**values, "targets": list(values["targets"])}
