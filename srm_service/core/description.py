"""The description of clusters and flows: labels, owner, criticality and runbook, in models, answers and filters."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from srm_service.core.choices import labelled_choices

Criticality = Literal["low", "normal", "high", "critical"]
CRITICALITIES: tuple[Criticality, ...] = get_args(Criticality)
DEFAULT_CRITICALITY: Criticality = "normal"
MOST_LABELS = 50
LABEL_KEY_LENGTH, LABEL_VALUE_LENGTH = 63, 200
_LABEL_KEY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The description of a cluster or flow."""

    labels: Mapping[str, str] = field(default_factory=dict)
    owner: str = ""
    criticality: Criticality = DEFAULT_CRITICALITY
    runbook: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionFilter:
    """Conditions on a description, all of which must hold; an empty one always does."""

    labels: tuple[tuple[str, str], ...] = ()
    owner: str = ""
    criticality: str = ""

    @property
    def is_empty(self) -> bool:
        """Return whether every description matches."""
        return not (self.labels or self.owner or self.criticality)

    def matches(self, described: Description) -> bool:
        return (
            all(described.labels.get(key) == value for key, value in self.labels)
            and self.owner in ("", described.owner)
            and self.criticality in ("", described.criticality)
        )


def validate_labels(value: Any) -> None:
    """Require an object of short texts under label keys."""
    if not isinstance(value, dict) or len(value) > MOST_LABELS:
        raise ValidationError(f"labels must be an object with at most {MOST_LABELS} entries")
    for key, text in value.items():
        if not isinstance(key, str) or not _LABEL_KEY.fullmatch(key):
            raise ValidationError(
                f"{key!r} is no label key: use up to {LABEL_KEY_LENGTH} letters, digits, '.', '_', '/' and '-'"
            )
        if not isinstance(text, str) or len(text) > LABEL_VALUE_LENGTH or not text.isprintable():
            raise ValidationError(f"label {key} must be a text of up to {LABEL_VALUE_LENGTH} printable characters")


def validate_runbook(value: str) -> None:
    """Require an address of a web page; names without a domain are fine."""
    try:
        parts = urlsplit(value)
        is_page = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_page = False
    if not is_page or not value.isprintable() or " " in value:
        raise ValidationError("the runbook must be an http or https address")


def parse_label(text: str) -> tuple[str, str]:
    """Read `key:value`. Raises ValueError."""
    key, colon, value = text.partition(":")
    if not colon or not _LABEL_KEY.fullmatch(key):
        raise ValueError(f"{text!r} is not key:value, such as team:payments")
    return key, value


def known_criticality(word: str) -> Criticality:
    return next(known for known in CRITICALITIES if known == word)


class Described(models.Model):
    """The columns of a description."""

    labels = models.JSONField(default=dict, blank=True, validators=[validate_labels])
    owner = models.CharField(max_length=150, default="", blank=True)
    criticality = models.CharField(
        max_length=10, choices=labelled_choices(Criticality), default=DEFAULT_CRITICALITY, db_index=True
    )
    runbook = models.CharField(max_length=500, default="", blank=True, validators=[validate_runbook])

    class Meta:
        abstract = True

    @property
    def description(self) -> Description:
        known = known_criticality(self.criticality)
        return Description(labels=dict(self.labels), owner=self.owner, criticality=known, runbook=self.runbook)


def criticality_is_known(name: str) -> models.CheckConstraint:
    """Return the constraint of the column."""
    return models.CheckConstraint(condition=Q(criticality__in=CRITICALITIES), name=name)


def label_filter(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the labels of a filter. Raises ValueError."""
    return tuple(parse_label(text) for text in texts)
