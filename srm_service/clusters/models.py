"""The database model of Kafka clusters."""

from typing import Literal, get_args

from django.core.validators import RegexValidator
from django.db import models

from srm_service.core.choices import labelled_choices
from srm_service.core.description import Described, criticality_is_known
from srm_service.core.jsonfields import validate_text_list, validate_text_map

ClusterLocation = Literal["colocated", "external"]
DEFAULT_LOCATION: ClusterLocation = "colocated"
ALIAS_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"


class Cluster(Described):
    """A cluster under its alias, as it follows from the property tree.

    `secrets` is a token of `secret_box` and never leaves the service unencrypted. `client` and `secrets` keep
    references such as `${file:...}`; `problem` says why the cluster cannot be used, `is_counted` if the metrics process
    counts what is copied into it. Description and location are not in the tree.
    """

    alias = models.CharField(max_length=100, unique=True, validators=[RegexValidator(ALIAS_PATTERN)])
    bootstrap = models.JSONField(validators=[validate_text_list])
    client = models.JSONField(default=dict, blank=True, validators=[validate_text_map])
    secrets = models.TextField(default="", blank=True)
    location = models.CharField(max_length=10, choices=labelled_choices(ClusterLocation), default=DEFAULT_LOCATION)
    problem = models.TextField(default="", blank=True)
    is_counted = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["alias"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(alias=""), name="cluster_alias_not_empty"),
            models.CheckConstraint(
                condition=models.Q(location__in=get_args(ClusterLocation)), name="cluster_location_is_known"
            ),
            criticality_is_known("cluster_criticality_is_known"),
        ]

    def __str__(self) -> str:
        return self.alias


class DiscoveredPair(models.Model):
    """A flow that has written heartbeats into a cluster, whoever runs it."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="discovered_pairs")
    source = models.CharField(max_length=100)
    named_target = models.CharField(max_length=100)
    first_seen_ms = models.BigIntegerField()
    heartbeat_ms = models.BigIntegerField()

    class Meta:
        ordering = ["source", "cluster__alias", "named_target"]
        constraints = [
            models.UniqueConstraint(fields=["cluster", "source", "named_target"], name="discovered_pair_is_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.source}->{self.named_target}"


class PairDiscovery(models.Model):
    """The last look at the heartbeats of a cluster; `error` says why it failed."""

    cluster = models.OneToOneField(Cluster, on_delete=models.CASCADE, related_name="pair_discovery")
    looked_ms = models.BigIntegerField()
    answered_ms = models.BigIntegerField(null=True, blank=True)
    error = models.TextField(default="", blank=True)

    def __str__(self) -> str:
        return f"{self.cluster_id}: {self.error or 'ok'}"
