"""Database models of the property tree, its versions, and drafts."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q

from replication.config.tree.properties import TREE_LEVELS, TreeLevel
from srm_service.core.choices import labelled_choices

ALIAS_LENGTH = 100
NAME_LENGTH = 500
COMMENT_LENGTH = 2_000
ORIGIN_LENGTH = 300


def validate_state(value: Any) -> None:
    """Require the state of a property in a version: null, or an object of texts and a position."""
    if value is not None and not (isinstance(value, dict) and {"value", "sealed", "position"} <= set(value)):
        raise ValidationError("expected null or a property's value, sealed value, comment, origin and position")


class Placed(models.Model):
    """The place of a property; unused parts are empty texts, so that a unique constraint can compare them."""

    level = models.CharField(max_length=10, choices=labelled_choices(TreeLevel))
    alias = models.CharField(max_length=ALIAS_LENGTH, default="", blank=True)
    source = models.CharField(max_length=ALIAS_LENGTH, default="", blank=True)
    target = models.CharField(max_length=ALIAS_LENGTH, default="", blank=True)
    name = models.CharField(max_length=NAME_LENGTH)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.alias}{self.source}{'->' if self.source else ''}{self.target} {self.name}"


class StoredProperty(Placed):
    """A property of the tree. A secret is in `sealed` (a token of `secret_box`), and `value` is empty."""

    value = models.TextField(default="", blank=True)
    sealed = models.TextField(default="", blank=True)
    comment = models.CharField(max_length=COMMENT_LENGTH, default="", blank=True)
    origin = models.CharField(max_length=ORIGIN_LENGTH, default="", blank=True)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["level", "alias", "source", "target", "name"], name="property_place_is_unique"
            ),
            models.CheckConstraint(condition=Q(level__in=TREE_LEVELS), name="property_level_is_known"),
            models.CheckConstraint(condition=~Q(name=""), name="property_name_not_empty"),
            models.CheckConstraint(
                condition=Q(level="cluster") & ~Q(alias="") | ~Q(level="cluster") & Q(alias=""),
                name="property_alias_on_clusters_only",
            ),
            models.CheckConstraint(
                condition=Q(level="flow") & ~Q(source="") & ~Q(target="")
                | ~Q(level="flow") & Q(source="") & Q(target=""),
                name="property_pair_on_flows_only",
            ),
            models.CheckConstraint(
                condition=~Q(level="flow") | ~Q(source=F("target")), name="property_source_is_not_target"
            ),
            models.CheckConstraint(condition=Q(sealed="") | Q(value=""), name="property_is_sealed_or_plain"),
        ]


class ConfigHead(models.Model):
    """The only row: the number of the current version. Each change locks it, so changes follow one another."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    version = models.PositiveIntegerField(default=0)
    dialect = models.CharField(max_length=20)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="config_head_is_one")]

    def __str__(self) -> str:
        return f"version {self.version}"


class ConfigVersion(models.Model):
    """A step of the configuration; its edits lead from the previous version to this one."""

    number = models.PositiveIntegerField(unique=True)
    author = models.CharField(max_length=150)
    at = models.DateTimeField()
    comment = models.CharField(max_length=COMMENT_LENGTH, default="", blank=True)
    request_id = models.CharField(max_length=64, default="", blank=True)
    dialect_before = models.CharField(max_length=20)
    dialect = models.CharField(max_length=20)

    class Meta:
        ordering = ["-number"]
        constraints = [models.CheckConstraint(condition=Q(number__gte=1), name="config_version_from_1")]

    def __str__(self) -> str:
        return f"version {self.number}"


class ConfigEdit(Placed):
    """The state of one property before and after a version; null means that it did not exist."""

    version = models.ForeignKey(ConfigVersion, on_delete=models.CASCADE, related_name="edits")
    before = models.JSONField(null=True, blank=True, validators=[validate_state])
    after = models.JSONField(null=True, blank=True, validators=[validate_state])

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["version", "level", "alias", "source", "target", "name"], name="edit_place_is_unique"
            ),
        ]


class Draft(models.Model):
    """Changes that a person prepares on top of a version. They become a version when they are applied."""

    name = models.CharField(max_length=200)
    author = models.CharField(max_length=150)
    base_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["author", "name"], name="draft_name_is_unique"),
            models.CheckConstraint(condition=~Q(name=""), name="draft_name_not_empty"),
        ]

    def __str__(self) -> str:
        return self.name


class DraftChange(Placed):
    """One change of a draft: a value, a sealed value, or the removal of a property."""

    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="changes")
    removed = models.BooleanField(default=False)
    value = models.TextField(default="", blank=True)
    sealed = models.TextField(default="", blank=True)
    comment = models.CharField(max_length=COMMENT_LENGTH, default=None, null=True, blank=True)  # noqa: DJ001 - null: kept

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["draft", "level", "alias", "source", "target", "name"], name="draft_place_is_unique"
            ),
            models.CheckConstraint(condition=Q(sealed="") | Q(value=""), name="draft_change_is_sealed_or_plain"),
        ]
