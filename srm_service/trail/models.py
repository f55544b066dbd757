"""The database model of the audit trail. Entries are added and read, never changed."""

from typing import Any, NoReturn

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q

from srm_service.core.choices import labelled_choices
from srm_service.trail.contracts import ACTOR_KINDS, SUBJECT_KINDS, TRAIL_OUTCOMES, ActorKind, SubjectKind, TrailOutcome


class TrailIsAppendOnlyError(Exception):
    """An entry of the trail is neither changed nor deleted."""


class TrailEntries(models.QuerySet["TrailEntry"]):
    """Queries that cannot change entries."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise TrailIsAppendOnlyError("entries of the trail cannot be changed")

    def delete(self) -> NoReturn:
        raise TrailIsAppendOnlyError("entries of the trail cannot be deleted")


class TrailEntry(models.Model):
    """One change or order. Names are copies, so that an entry remains when its user or subject is gone."""

    at = models.DateTimeField()
    actor = models.CharField(max_length=150)
    actor_kind = models.CharField(max_length=10, choices=labelled_choices(ActorKind))
    token = models.CharField(max_length=20, default="", blank=True)
    address = models.CharField(max_length=64, default="", blank=True)
    action = models.CharField(max_length=60)
    subject_kind = models.CharField(max_length=20, choices=labelled_choices(SubjectKind))
    subject = models.CharField(max_length=255)
    before = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    reason = models.CharField(max_length=500, default="", blank=True)
    request_id = models.CharField(max_length=64, default="", blank=True)
    outcome = models.CharField(max_length=10, choices=labelled_choices(TrailOutcome), default="done")

    objects = TrailEntries.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["subject_kind", "subject", "-id"], name="trail_by_subject"),
            models.Index(fields=["actor", "-id"], name="trail_by_actor"),
            models.Index(fields=["action", "-id"], name="trail_by_action"),
            models.Index(fields=["request_id"], name="trail_by_request"),
            models.Index(fields=["at"], name="trail_by_time"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(actor_kind__in=ACTOR_KINDS), name="trail_actor_kind_is_known"),
            models.CheckConstraint(condition=Q(subject_kind__in=SUBJECT_KINDS), name="trail_subject_kind_is_known"),
            models.CheckConstraint(condition=Q(outcome__in=TRAIL_OUTCOMES), name="trail_outcome_is_known"),
            models.CheckConstraint(condition=~Q(actor="") & ~Q(action=""), name="trail_names_actor_and_action"),
        ]
        verbose_name_plural = "trail entries"

    def __str__(self) -> str:
        return f"{self.action} {self.subject} by {self.actor}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise TrailIsAppendOnlyError("entries of the trail cannot be changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TrailIsAppendOnlyError("entries of the trail cannot be deleted")
