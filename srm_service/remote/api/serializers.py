"""Request and response bodies of remote services (docs/remote-services.md)."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar

from rest_framework import serializers

from replication.domain.services.address import LONGEST_ADDRESS
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.pagination import PageQuery, SortKey
from srm_service.core.api.requests import StrictSerializer
from srm_service.remote.contracts import AdvertisedClusterDto, OwnService, RemoteService

_ADDRESS_HELP = "such as https://srm.example.com:6670; one of SRM_REMOTE_ADDRESSES"


class RemoteServiceQuery(PageQuery):
    """The orders of remote services."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("cluster", "address", "state", "age_ms", "version", "received_bytes")
    }


class RemoteServiceSerializer(DataclassSerializer):
    """A service that advertises itself in a remote target."""

    shape = RemoteService


class AdvertisedClusterSerializer(DataclassSerializer):
    """A target of this service or a remote target."""

    shape = AdvertisedClusterDto


class OwnServiceSerializer(DataclassSerializer):
    """What this service advertises."""

    shape = OwnService


class RemoteServiceListSerializer(ListSerializer):
    """Services by cluster and id; `partial` names the clusters whose advertisements cannot be read."""

    items = RemoteServiceSerializer(many=True)
    own = OwnServiceSerializer()
    clusters = AdvertisedClusterSerializer(many=True)


class CredentialSerializer(StrictSerializer):
    """The API token for one address. It is sent to this address only, and never answered."""

    address = serializers.CharField(max_length=LONGEST_ADDRESS, help_text=_ADDRESS_HELP)
    token = serializers.CharField(
        max_length=200, help_text="created at the other service, with the scope `peer` and no other"
    )


class CredentialQuery(StrictSerializer):
    """The address whose token is forgotten."""

    address = serializers.CharField(max_length=LONGEST_ADDRESS, help_text=_ADDRESS_HELP)


class CredentialAddressSerializer(serializers.Serializer[Any]):
    """The address that has a token now, in its one form."""

    address = serializers.CharField()
