"""Shapes of connection tests."""

from typing import Any

from rest_framework import serializers

from replication.config.flows.clusters import is_server
from replication.domain.connection_test.certificate import Certificate
from replication.domain.connection_test.report import BrokerOrigin
from replication.domain.connection_test.rights import ClusterUse, RightResult
from replication.domain.connection_test.steps import StepName, StepResult
from srm_service.clusters.api.serializers import ClusterSettingsSerializer, bootstrap_field
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.requests import StrictSerializer
from srm_service.core.choices import choices_of

STEP_CHOICES = choices_of(StepName)
USE_CHOICES = choices_of(ClusterUse)


class ConnectionTestSerializer(StrictSerializer):
    """The options of a connection test."""

    used_as = serializers.MultipleChoiceField(
        choices=USE_CHOICES,
        required=False,
        help_text="the rights to check; of a registered cluster, by default those that its flows need",
    )
    timeout_ms = serializers.IntegerField(
        required=False, default=8_000, min_value=1_000, max_value=20_000, help_text="for all brokers together"
    )


class DefinitionTestSerializer(ConnectionTestSerializer, ClusterSettingsSerializer):
    """A connection test of a definition that is not stored; `alias` adds the stored secrets of a cluster."""

    bootstrap = bootstrap_field()
    alias = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=100,
        help_text="of the stored cluster that the definition would change, and whose secrets it uses",
    )

    def validate_bootstrap(self, servers: list[str]) -> list[str]:
        """Refuse what is no address; a report would have no broker."""
        wrong = [f"expected host:port, found {server}" for server in servers if not is_server(server)]
        if wrong:
            raise serializers.ValidationError(wrong)
        return servers


class TestedStepSerializer(DataclassSerializer):
    """One step: `ok`, `failed` with a remedy, or `not_reached`."""

    shape = StepResult


class CertificateSerializer(DataclassSerializer):
    """The certificate that the broker presented."""

    shape = Certificate


class RightSerializer(DataclassSerializer):
    """One right; `allowed` is null if the brokers do not tell."""

    shape = RightResult


class TestedBrokerSerializer(serializers.Serializer[Any]):
    """One broker address with its steps."""

    address = serializers.CharField()
    origin = serializers.ChoiceField(choices=choices_of(BrokerOrigin), help_text="given, or named by the cluster")
    ok = serializers.BooleanField()
    failed_step = serializers.ChoiceField(choices=STEP_CHOICES, allow_null=True, help_text="null if all succeeded")
    ip_addresses = serializers.ListField(child=serializers.CharField())
    kafka_version = serializers.CharField(
        allow_null=True,
        help_text="the release that the broker's APIs show, such as 4.1; null: not known, or before 2.0",
    )
    certificate = CertificateSerializer(allow_null=True)
    rights = RightSerializer(many=True)
    steps = TestedStepSerializer(many=True)


class ConnectionReportSerializer(serializers.Serializer[Any]):
    """The result of a connection test."""

    ok = serializers.BooleanField(help_text="every step of every broker succeeded")
    took_ms = serializers.IntegerField()
    error = serializers.CharField(help_text="why the settings cannot be used; empty if they can")
    problem = serializers.CharField(help_text="the first failure with its broker, step and remedy; empty without one")
    warning = serializers.CharField(help_text="such as: it is the same Kafka cluster as another one; empty without one")
    cluster_id = serializers.CharField(allow_null=True)
    untested = serializers.IntegerField(help_text="brokers beyond the largest number that one test covers")
    brokers = TestedBrokerSerializer(many=True)
