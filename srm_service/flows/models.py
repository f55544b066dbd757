"""Replication flows as they are wanted, and the revisions in which that was published."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q

from srm_service.core.jsonfields import validate_text_list, validate_text_map
from srm_service.flows.places import validate_place

TOPIC_NAME_LENGTH = 249  # Kafka's limit


def validate_start(value: Any) -> None:
    """`earliest`, `latest` or a timestamp in ms."""
    is_timestamp = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if value not in ("earliest", "latest") and not is_timestamp:
        raise ValidationError("expected earliest, latest or a timestamp in ms")


def earliest() -> str:
    """Where a flow starts unless told otherwise."""
    return "earliest"


def validate_connectors(value: Any) -> None:
    """Settings per connector under their MirrorMaker 2 names."""
    if not isinstance(value, dict) or set(value) - {"source", "checkpoint", "heartbeat"}:
        raise ValidationError("expected settings for source, checkpoint and heartbeat")
    for settings in value.values():
        validate_text_map(settings)


class FlowState(models.TextChoices):
    RUN = "run"
    PAUSE = "pause"
    STOP = "stop"


class Delivery(models.TextChoices):
    AT_LEAST_ONCE = "at_least_once"
    EXACTLY_ONCE = "exactly_once"


class PolicyKind(models.TextChoices):
    DEFAULT = "default"
    IDENTITY = "identity"
    TEMPLATE = "template"


class GapPolicy(models.TextChoices):
    STOP = "stop"
    RECORD_AND_CONTINUE = "record_and_continue"
    RESTART_GENERATION = "restart_generation"


class Flow(models.Model):
    """A replication flow `source->target` and everything a person wants of it."""

    source = models.ForeignKey("clusters.Cluster", on_delete=models.PROTECT, related_name="flows_out")
    target = models.ForeignKey("clusters.Cluster", on_delete=models.PROTECT, related_name="flows_in")
    enabled = models.BooleanField(default=True)
    heartbeats = models.BooleanField(default=True)
    state = models.CharField(max_length=10, choices=FlowState, default=FlowState.RUN)
    pause_reason = models.CharField(max_length=500, default="", blank=True)
    pause_by = models.CharField(max_length=150, default="", blank=True)
    pause_since = models.DateTimeField(null=True, blank=True)
    pause_until = models.DateTimeField(null=True, blank=True)
    generation = models.PositiveIntegerField(default=0)
    tasks_max = models.PositiveIntegerField(default=1, validators=[MinValueValidator(1)])
    delivery = models.CharField(max_length=20, choices=Delivery, default=Delivery.AT_LEAST_ONCE)
    policy_kind = models.CharField(max_length=10, choices=PolicyKind, default=PolicyKind.DEFAULT)
    policy_separator = models.CharField(max_length=20, default=".")
    policy_template = models.CharField(max_length=200, default="", blank=True)
    topics_allow = models.JSONField(default=list, blank=True, validators=[validate_text_list])
    topics_deny = models.JSONField(default=list, blank=True, validators=[validate_text_list])
    groups_allow = models.JSONField(default=list, blank=True, validators=[validate_text_list])
    groups_deny = models.JSONField(default=list, blank=True, validators=[validate_text_list])
    start = models.JSONField(default=earliest, validators=[validate_start])
    gap_policy = models.CharField(max_length=20, choices=GapPolicy, default=GapPolicy.RECORD_AND_CONTINUE)
    throttle_bytes_per_second = models.PositiveBigIntegerField(null=True, blank=True)
    connectors = models.JSONField(default=dict, blank=True, validators=[validate_connectors])
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["source__alias", "target__alias"]
        constraints = [
            models.UniqueConstraint(fields=["source", "target"], name="flow_pair_is_unique"),
            models.CheckConstraint(condition=~Q(source=F("target")), name="flow_source_is_not_target"),
            models.CheckConstraint(condition=Q(tasks_max__gte=1), name="flow_tasks_max_at_least_1"),
            models.CheckConstraint(condition=Q(state__in=FlowState.values), name="flow_state_is_known"),
            models.CheckConstraint(condition=Q(delivery__in=Delivery.values), name="flow_delivery_is_known"),
            models.CheckConstraint(condition=Q(policy_kind__in=PolicyKind.values), name="flow_policy_is_known"),
            models.CheckConstraint(condition=Q(gap_policy__in=GapPolicy.values), name="flow_gap_policy_is_known"),
            models.CheckConstraint(
                condition=~Q(policy_kind=PolicyKind.TEMPLATE) | ~Q(policy_template=""), name="flow_template_is_there"
            ),
            models.CheckConstraint(
                condition=Q(throttle_bytes_per_second__isnull=True) | Q(throttle_bytes_per_second__gte=1),
                name="flow_throttle_at_least_1",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id}->{self.target_id}"


class FlowHold(models.Model):
    """A topic of a flow, or one partition of it, that is not to be read for now."""

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="holds")
    topic = models.CharField(max_length=TOPIC_NAME_LENGTH)
    partition = models.PositiveIntegerField(null=True, blank=True)
    until = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=500, default="", blank=True)
    held_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["topic", F("partition").asc(nulls_first=True)]
        constraints = [
            models.UniqueConstraint(
                fields=["flow", "topic"], condition=Q(partition__isnull=True), name="hold_of_topic_is_unique"
            ),
            models.UniqueConstraint(
                fields=["flow", "topic", "partition"],
                condition=Q(partition__isnull=False),
                name="hold_of_partition_is_unique",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic}-{'*' if self.partition is None else self.partition}"


class ResetState(models.TextChoices):
    REQUESTED = "requested"
    DONE = "done"
    OVERTAKEN = "overtaken"


class FlowReset(models.Model):
    """An order to go on reading one partition elsewhere; carried out once, known by `key` to the drivers."""

    key = models.CharField(max_length=32, unique=True)
    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="resets")
    topic = models.CharField(max_length=TOPIC_NAME_LENGTH)
    partition = models.PositiveIntegerField()
    to = models.JSONField(validators=[validate_place])
    state = models.CharField(max_length=10, choices=ResetState, default=ResetState.REQUESTED)
    requested_by = models.CharField(max_length=150)
    requested_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["topic", "partition", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["flow", "topic", "partition"], condition=Q(state="requested"), name="reset_open_is_unique"
            ),
            models.CheckConstraint(condition=Q(state__in=ResetState.values), name="reset_state_is_known"),
            models.CheckConstraint(
                condition=Q(state="requested", ended_at__isnull=True)
                | ~Q(state="requested") & Q(ended_at__isnull=False),
                name="reset_ended_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} {self.state}"


class DesiredRevision(models.Model):
    """The last desired document of a target cluster; the revision never goes back."""

    target = models.CharField(max_length=100, unique=True)
    revision = models.PositiveBigIntegerField(default=0)
    fingerprint = models.CharField(max_length=64, default="")
    published_ms = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.target}@{self.revision}"
