"""Database models of what was read from control topics. The topics are the truth; these rows follow them."""

from typing import get_args

from django.db import models
from django.db.models import Q

from replication.domain.desired.name_lists import ListKind, ListSide
from srm_service.core.choices import labelled_choices


class ControlTopicRead(models.Model):
    """The state of a control topic as last read, and why it cannot be read now."""

    flow = models.OneToOneField("flows.Flow", on_delete=models.CASCADE, related_name="control_topic")
    topic_id = models.CharField(max_length=32, default="", blank=True)  # empty: the topic does not exist
    end_offset = models.PositiveBigIntegerField(default=0)
    control_offset = models.PositiveBigIntegerField(null=True, blank=True)
    unreadable = models.JSONField(default=list, blank=True)
    problem = models.TextField(default="", blank=True)
    read_ms = models.BigIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.flow_id}@{self.control_offset}"


class ListedPattern(models.Model):
    """A pattern of an allow or deny list, with the offset of the record that put it there."""

    topic = models.ForeignKey(ControlTopicRead, on_delete=models.CASCADE, related_name="patterns")
    kind = models.CharField(max_length=40, choices=labelled_choices(ListKind))
    side = models.CharField(max_length=10, choices=labelled_choices(ListSide))
    pattern = models.TextField()
    offset = models.PositiveBigIntegerField()
    written_ms = models.BigIntegerField()
    written_by = models.CharField(max_length=150, default="", blank=True)
    problem = models.TextField(default="", blank=True)

    class Meta:
        ordering = ["kind", "side", "pattern"]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=get_args(ListKind)), name="list_kind_is_known"),
            models.CheckConstraint(condition=Q(side__in=get_args(ListSide)), name="list_side_is_known"),
            models.UniqueConstraint(fields=["topic", "offset"], name="list_record_is_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.side}:{self.pattern}"
