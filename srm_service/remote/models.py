"""Database models of what is known about other services. The topics of advertisements are the truth."""

from typing import get_args

from django.db import models
from django.db.models import Q

from replication.domain.services.address import LONGEST_ADDRESS
from replication.domain.services.advertisement import ServiceProtocol
from srm_service.core.choices import labelled_choices
from srm_service.core.jsonfields import validate_text_list, validate_text_map

_ALIAS_LENGTH = 100
_ID_LENGTH = 200


class ServiceIdentity(models.Model):
    """The identity of this service, one row: all instances on this database are one service."""

    service = models.CharField(max_length=32)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "service identities"

    def __str__(self) -> str:
        return self.service


class AdvertisedCluster(models.Model):
    """A cluster in which this service advertises itself, or reads advertisements; the errors say why it cannot.

    `refused` has the reason for each advertisement that cannot be read, by its key.
    """

    alias = models.CharField(max_length=_ALIAS_LENGTH, unique=True)
    sent_ms = models.BigIntegerField(null=True, blank=True)
    send_error = models.TextField(default="", blank=True)
    read_ms = models.BigIntegerField(null=True, blank=True)
    read_error = models.TextField(default="", blank=True)
    refused = models.JSONField(default=dict, blank=True, validators=[validate_text_map])

    class Meta:
        ordering = ["alias"]

    def __str__(self) -> str:
        return self.alias


class SeenService(models.Model):
    """The newest advertisement of a service in a cluster, as it was read there."""

    cluster = models.ForeignKey(AdvertisedCluster, on_delete=models.CASCADE, related_name="services")
    service = models.CharField(max_length=_ID_LENGTH)
    protocol = models.CharField(max_length=5, choices=labelled_choices(ServiceProtocol))
    host = models.CharField(max_length=253)
    port = models.PositiveIntegerField()
    root_path = models.CharField(max_length=253, default="", blank=True)
    targets = models.JSONField(validators=[validate_text_list])
    version = models.CharField(max_length=200)
    started_ms = models.BigIntegerField()
    sent_ms = models.BigIntegerField()
    stored_ms = models.BigIntegerField()
    interval_ms = models.PositiveIntegerField()

    class Meta:
        ordering = ["cluster__alias", "service"]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "service"], name="service_is_seen_once_per_cluster"),
            models.CheckConstraint(condition=Q(protocol__in=get_args(ServiceProtocol)), name="protocol_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.service} in {self.cluster_id}"


class PeerCredential(models.Model):
    """The API token for one address; `sealed` is a token of `secret_box`, sent to this address and to no other."""

    address = models.CharField(max_length=LONGEST_ADDRESS, unique=True)
    sealed = models.TextField()
    set_by = models.CharField(max_length=150)
    set_at = models.DateTimeField()

    class Meta:
        ordering = ["address"]
        constraints = [models.CheckConstraint(condition=~Q(sealed=""), name="peer_credential_is_sealed")]

    def __str__(self) -> str:
        return self.address


class PeerState(models.Model):
    """The last answer of an address, and what asking it has cost."""

    address = models.CharField(max_length=LONGEST_ADDRESS, unique=True)
    service = models.CharField(max_length=_ID_LENGTH, default="", blank=True)
    version = models.CharField(max_length=200, default="", blank=True)
    asked_ms = models.BigIntegerField(null=True, blank=True)
    answered_ms = models.BigIntegerField(null=True, blank=True)
    error = models.TextField(default="", blank=True)
    clock_difference_ms = models.BigIntegerField(null=True, blank=True)
    round_trip_ms = models.BigIntegerField(null=True, blank=True)
    requests = models.PositiveBigIntegerField(default=0)
    received_bytes = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["address"]

    def __str__(self) -> str:
        return f"{self.address}: {self.error or 'ok'}"
