"""Database models of flows with their orders, and of published revisions."""

from typing import Any, get_args

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q

from replication.domain.desired.desired_flow import FlowState
from replication.domain.names.replication_policy import DEFAULT_POLICY, PolicyKind
from replication.domain.offsets.start_position import LOG_ENDS, StartAt
from replication.domain.settings.choices import DEFAULT_DELIVERY, Delivery, GapPolicy
from replication.domain.settings.registry.flow import GAP_POLICY, POLICY_SEPARATOR, START, TASKS_MAX
from srm_service.core.choices import labelled_choices
from srm_service.core.description import Described, criticality_is_known
from srm_service.core.jsonfields import validate_text_list, validate_text_map
from srm_service.flows.reset_position import validate_position

TOPIC_NAME_LENGTH = 249  # Kafka's limit


def validate_start(value: Any) -> None:
    """Require `earliest`, `latest` or a timestamp in ms."""
    is_timestamp = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if value not in LOG_ENDS and not is_timestamp:
        raise ValidationError("expected earliest, latest or a timestamp in ms")


def earliest() -> StartAt:
    """The default start position of a flow."""
    return START.default


def validate_connectors(value: Any) -> None:
    """Require settings by connector under their MirrorMaker 2 names."""
    if not isinstance(value, dict) or set(value) - {"source", "checkpoint", "heartbeat"}:
        raise ValidationError("expected settings for source, checkpoint and heartbeat")
    for settings in value.values():
        validate_text_map(settings)


class Flow(Described):
    """The desired state of a replication flow `source->target`.

    `derived_flows.derived_columns` names the columns that follow from the property tree; the others belong to
    operators. `problem` says why the tree's values cannot be used.
    """

    source = models.ForeignKey("clusters.Cluster", on_delete=models.PROTECT, related_name="flows_out")
    target = models.ForeignKey("clusters.Cluster", on_delete=models.PROTECT, related_name="flows_in")
    enabled = models.BooleanField(default=True)
    heartbeats = models.BooleanField(default=True)
    state = models.CharField(max_length=10, choices=labelled_choices(FlowState), default="run")
    pause_reason = models.CharField(max_length=500, default="", blank=True)
    pause_by = models.CharField(max_length=150, default="", blank=True)
    state_since = models.DateTimeField(null=True, blank=True)  # null: it never was paused or stopped
    pause_until = models.DateTimeField(null=True, blank=True)
    generation = models.PositiveIntegerField(default=0)
    tasks_max = models.PositiveIntegerField(default=TASKS_MAX.default, validators=[MinValueValidator(1)])
    delivery = models.CharField(max_length=20, choices=labelled_choices(Delivery), default=DEFAULT_DELIVERY)
    policy_kind = models.CharField(max_length=10, choices=labelled_choices(PolicyKind), default=DEFAULT_POLICY)
    policy_separator = models.CharField(max_length=20, default=POLICY_SEPARATOR.default)
    policy_template = models.CharField(max_length=200, default="", blank=True)
    topics_allow = models.JSONField(default=list, blank=True, validators=[validate_text_list])
    topics_deny = models.JSONField(default=list, blank=True, validators=[validate_text_list])
    groups_allow = models.JSONField(default=list, blank=True, validators=[validate_text_list])
    groups_deny = models.JSONField(default=list, blank=True, validators=[validate_text_list])
    start = models.JSONField(default=earliest, validators=[validate_start])
    gap_policy = models.CharField(max_length=20, choices=labelled_choices(GapPolicy), default=GAP_POLICY.default)
    throttle_bytes_per_second = models.PositiveBigIntegerField(null=True, blank=True)
    throttle_until = models.DateTimeField(null=True, blank=True)
    connectors = models.JSONField(default=dict, blank=True, validators=[validate_connectors])
    problem = models.TextField(default="", blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["source__alias", "target__alias"]
        constraints = [
            models.UniqueConstraint(fields=["source", "target"], name="flow_pair_is_unique"),
            models.CheckConstraint(condition=~Q(source=F("target")), name="flow_source_is_not_target"),
            models.CheckConstraint(condition=Q(tasks_max__gte=1), name="flow_tasks_max_at_least_1"),
            models.CheckConstraint(condition=Q(state__in=get_args(FlowState)), name="flow_state_is_known"),
            models.CheckConstraint(condition=Q(delivery__in=get_args(Delivery)), name="flow_delivery_is_known"),
            models.CheckConstraint(condition=Q(policy_kind__in=get_args(PolicyKind)), name="flow_policy_is_known"),
            models.CheckConstraint(condition=Q(gap_policy__in=get_args(GapPolicy)), name="flow_gap_policy_is_known"),
            models.CheckConstraint(
                condition=~Q(policy_kind="template") | ~Q(policy_template=""), name="flow_template_is_there"
            ),
            models.CheckConstraint(
                condition=Q(throttle_bytes_per_second__isnull=True) | Q(throttle_bytes_per_second__gte=1),
                name="flow_throttle_at_least_1",
            ),
            criticality_is_known("flow_criticality_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.source_id}->{self.target_id}"


class TopicOrderRow(models.Model):
    """An order for a topic of a flow, or one of its partitions, that may have an end."""

    topic = models.CharField(max_length=TOPIC_NAME_LENGTH)
    partition = models.PositiveIntegerField(null=True, blank=True)
    until = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=500, default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.topic}-{'*' if self.partition is None else self.partition}"


def _one_per_place(order: str) -> list[models.BaseConstraint]:
    """Return the constraints by which a flow has at most one such order of a topic, and one of a partition."""
    return [
        models.UniqueConstraint(
            fields=["flow", "topic"], condition=Q(partition__isnull=True), name=f"{order}_of_topic_is_unique"
        ),
        models.UniqueConstraint(
            fields=["flow", "topic", "partition"],
            condition=Q(partition__isnull=False),
            name=f"{order}_of_partition_is_unique",
        ),
    ]


class FlowHold(TopicOrderRow):
    """A topic of a flow, or one of its partitions, that is not read until the hold ends."""

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="holds")
    held_by = models.CharField(max_length=150)

    class Meta:
        ordering = ["topic", F("partition").asc(nulls_first=True)]
        constraints = _one_per_place("hold")


class FlowStop(TopicOrderRow):
    """A topic of a flow, or one of its partitions, that no task has until the stop ends."""

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="stops")
    stopped_by = models.CharField(max_length=150)

    class Meta:
        ordering = ["topic", F("partition").asc(nulls_first=True)]
        constraints = _one_per_place("stop")


class FlowThrottle(TopicOrderRow):
    """A topic of a flow, or one of its partitions, that is read at most this fast until the throttle ends."""

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="topic_throttles")
    bytes_per_second = models.PositiveBigIntegerField()
    throttled_by = models.CharField(max_length=150)

    class Meta:
        ordering = ["topic", F("partition").asc(nulls_first=True)]
        constraints = [
            *_one_per_place("throttle"),
            models.CheckConstraint(condition=Q(bytes_per_second__gte=1), name="topic_throttle_at_least_1"),
        ]


class ResetState(models.TextChoices):
    REQUESTED = "requested"
    DONE = "done"
    OVERTAKEN = "overtaken"


class FlowReset(models.Model):
    """An order to continue one partition at another position; drivers apply it once, identified by `key`."""

    key = models.CharField(max_length=32, unique=True)
    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="resets")
    topic = models.CharField(max_length=TOPIC_NAME_LENGTH)
    partition = models.PositiveIntegerField()
    to = models.JSONField(validators=[validate_position])
    state = models.CharField(max_length=10, choices=ResetState, default=ResetState.REQUESTED)
    requested_by = models.CharField(max_length=150)
    requested_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    action = models.ForeignKey(
        "flows.FlowAction", on_delete=models.SET_NULL, null=True, blank=True, related_name="resets"
    )

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


class OrderOutcome(models.TextChoices):
    WAITING = "waiting"
    APPLIED = "applied"
    REFUSED = "refused"
    OVERTAKEN = "overtaken"
    EXPIRED = "expired"


class FlowAction(models.Model):
    """An order: a change of a flow's desired state, or a restart. `revision` is the first that contains it.

    `key` identifies a restart for drivers. `applied_by` lists the tasks that applied the order, with their drivers.
    A refused order is carried out when drivers can use the definition of the flow again; `refusal` is their reason.
    """

    flow = models.ForeignKey(Flow, on_delete=models.CASCADE, related_name="actions")
    event = models.CharField(max_length=100)
    topic = models.CharField(max_length=TOPIC_NAME_LENGTH, default="", blank=True)
    partition = models.PositiveIntegerField(null=True, blank=True)
    task = models.PositiveIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=500, default="", blank=True)
    detail = models.CharField(max_length=200, default="", blank=True)
    until = models.DateTimeField(null=True, blank=True)
    key = models.CharField(max_length=32, default="", blank=True)
    ordered_by = models.CharField(max_length=150)
    ordered_at = models.DateTimeField()
    revision = models.PositiveBigIntegerField(null=True, blank=True)
    outcome = models.CharField(max_length=10, choices=OrderOutcome, default=OrderOutcome.WAITING)
    ended_at = models.DateTimeField(null=True, blank=True)
    refusal = models.CharField(max_length=500, default="", blank=True)
    applied_by = models.JSONField(default=list, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["flow"], condition=Q(revision__isnull=True), name="action_unpublished"),
            models.Index(fields=["flow"], condition=Q(outcome="waiting"), name="action_waiting"),
            models.Index(fields=["ordered_at"], name="action_ordered_at"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=OrderOutcome.values), name="action_outcome_is_known")
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.revision}"


class DesiredRevision(models.Model):
    """The last published desired document of a target cluster; its revision never decreases."""

    target = models.CharField(max_length=100, unique=True)
    revision = models.PositiveBigIntegerField(default=0)
    fingerprint = models.CharField(max_length=64, default="")
    published_ms = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.target}@{self.revision}"
