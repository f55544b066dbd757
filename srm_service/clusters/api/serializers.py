"""Shapes of requests and answers about clusters."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar

from django.core.validators import RegexValidator
from rest_framework import serializers

from replication.config.settings.prefixes import BOOTSTRAP, RESERVED_ALIASES, is_connection_key
from srm_service.clusters.models import ALIAS_PATTERN, ClusterLocation
from srm_service.core.api.description_fields import (
    DescriptionChangeSerializer,
    DescriptionQuery,
    DescriptionSerializer,
)
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.pagination import PageQuery, SortKey
from srm_service.core.api.requests import StrictSerializer
from srm_service.core.choices import choices_of

LOCATION_CHOICES = choices_of(ClusterLocation)
_ALIAS_RULE = "begin with a letter or digit; letters, digits, dots, hyphens and underscores may follow"
_RESOURCES = ("discovered", "test")
_MOST_SERVERS = 100
_LONGEST_VALUE = 100_000  # a PEM chain in a value


def check_alias(alias: str) -> None:
    """Refuse aliases that are prefixes of other keys or names of other resources."""
    if alias.lower() in RESERVED_ALIASES:
        raise serializers.ValidationError(f"the alias {alias} is a prefix of other keys; choose another alias")
    if alias in _RESOURCES:
        text = f"the alias {alias} is the name of a resource under /clusters; choose another alias"
        raise serializers.ValidationError(text)


class ClientSettingsField(serializers.DictField):
    """Connection settings under Java's key names; null removes one."""

    child = serializers.CharField(allow_blank=True, allow_null=True, max_length=_LONGEST_VALUE, trim_whitespace=False)

    def to_internal_value(self, data: Any) -> Any:
        values = super().to_internal_value(data)
        strange = [name for name in values if not is_connection_key(name) or name == BOOTSTRAP]
        if strange:
            text = "this is no connection setting; set it as a property of the configuration"
            raise serializers.ValidationError(dict.fromkeys(strange, text))
        return values


def bootstrap_field(**options: Any) -> serializers.ListField:
    """Return the field for bootstrap servers."""
    child = serializers.CharField(max_length=300)
    return serializers.ListField(
        child=child, min_length=1, max_length=_MOST_SERVERS, help_text="`host:port` of brokers", **options
    )


class ClusterSettingsSerializer(serializers.Serializer[Any]):
    """The client settings of a change; secrets are write-only: values, or references such as `${env:NAME}`."""

    client = ClientSettingsField(required=False, default=dict, help_text="client settings under Java's key names")
    secrets = ClientSettingsField(
        required=False,
        default=dict,
        write_only=True,
        help_text="client settings that are never shown again, such as `sasl.jaas.config`",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        both = sorted(attrs["client"].keys() & attrs["secrets"].keys())
        if both:
            raise serializers.ValidationError({"secrets": f"{', '.join(both)} is in client, too: send it once"})
        return attrs


class ClusterChangeSerializer(StrictSerializer, ClusterSettingsSerializer, DescriptionChangeSerializer):
    """New values of a cluster; missing fields are not changed, null removes a client setting."""

    bootstrap = bootstrap_field(required=False)
    location = serializers.ChoiceField(
        required=False, choices=LOCATION_CHOICES, help_text="an external cluster needs all of its security settings"
    )
    comment = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=500, help_text="of the new version"
    )


class ClusterCreateSerializer(ClusterChangeSerializer):
    """A new cluster."""

    alias = serializers.CharField(
        max_length=100, validators=[RegexValidator(ALIAS_PATTERN, _ALIAS_RULE), check_alias], help_text=_ALIAS_RULE
    )
    bootstrap = bootstrap_field()


class ClusterSerializer(DescriptionSerializer):
    """A cluster. Secrets are write-only; `secret_names` lists those that are set."""

    alias = serializers.CharField()
    bootstrap = serializers.ListField(child=serializers.CharField())
    client = serializers.DictField(child=serializers.CharField(), help_text="client settings under Java's key names")
    secret_names = serializers.ListField(child=serializers.CharField())
    location = serializers.ChoiceField(choices=LOCATION_CHOICES)
    problem = serializers.CharField(help_text="why the settings cannot be used; empty if they can")
    warning = serializers.CharField(help_text="such as: it is the same Kafka cluster as another one; empty without one")
    reachable = serializers.BooleanField(
        allow_null=True, help_text="null before the first answer, and when the last one is older than a minute"
    )
    error = serializers.CharField(
        allow_null=True, help_text="the broker and the step of the connection that failed, or what drivers report"
    )
    cluster_id = serializers.CharField(allow_null=True)
    brokers = serializers.IntegerField(allow_null=True)
    kafka_version = serializers.CharField(
        allow_null=True, help_text="the oldest release that a bootstrap broker shows, such as 4.1"
    )
    certificate_until_ms = serializers.IntegerField(
        allow_null=True, help_text="the earliest end of a bootstrap broker's certificate; null without TLS"
    )
    checked_ms = serializers.IntegerField(
        allow_null=True, help_text="time of the last check, or since when drivers report that the cluster is lost"
    )


class ClusterListSerializer(ListSerializer):
    """The clusters that match, by alias."""

    items = ClusterSerializer(many=True)


class ClusterListQuery(PageQuery, DescriptionQuery):
    """Filters and orders of the list of clusters."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        "alias": attrgetter("alias"),
        "owner": attrgetter("description.owner"),
    }

    q = serializers.CharField(required=False, default="", max_length=200, help_text="part of the alias")
