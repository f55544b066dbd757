"""Serializer fields of descriptions: in answers, in changes, and as filters of lists."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework import serializers

from srm_service.core.choices import choices_of
from srm_service.core.description import (
    DEFAULT_CRITICALITY,
    LABEL_VALUE_LENGTH,
    Criticality,
    DescriptionFilter,
    label_filter,
    validate_labels,
    validate_runbook,
)

CRITICALITY_CHOICES = choices_of(Criticality)
DESCRIPTION_FIELDS = ("labels", "owner", "criticality", "runbook")


class LabelsField(serializers.DictField):
    """Labels by key."""

    child = serializers.CharField(allow_blank=True, max_length=LABEL_VALUE_LENGTH)

    def to_internal_value(self, data: Any) -> Any:
        values = super().to_internal_value(data)
        try:
            validate_labels(values)
        except DjangoValidationError as error:
            raise serializers.ValidationError(error.messages) from error
        return values


class DescriptionChangeSerializer(serializers.Serializer[Any]):
    """The description in a change; missing fields are not changed."""

    labels = LabelsField(required=False, help_text="replaces all labels")
    owner = serializers.CharField(required=False, allow_blank=True, max_length=150)
    criticality = serializers.ChoiceField(required=False, choices=CRITICALITY_CHOICES)
    runbook = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=500,
        validators=[validate_runbook],
        help_text="http or https address of a page for operators",
    )


class DescriptionSerializer(serializers.Serializer[Any]):
    """The description in an answer."""

    labels = serializers.DictField(child=serializers.CharField())
    owner = serializers.CharField()
    criticality = serializers.ChoiceField(choices=CRITICALITY_CHOICES, default=DEFAULT_CRITICALITY)
    runbook = serializers.CharField()


class DescriptionQuery(serializers.Serializer[Any]):
    """Filters by description; several labels must all be there."""

    label = serializers.ListField(  # type: ignore[assignment]  # a field that hides one of the base class
        child=serializers.CharField(max_length=300),
        required=False,
        default=list,
        max_length=20,
        help_text="`key:value`, such as `team:payments`; may be given several times",
    )
    owner = serializers.CharField(required=False, default="", max_length=150)
    criticality = serializers.ChoiceField(required=False, choices=CRITICALITY_CHOICES)

    def validate_label(self, texts: list[str]) -> list[str]:
        try:
            label_filter(texts)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error
        return texts


def description_filter(query: Mapping[str, Any]) -> DescriptionFilter:
    """Return the filter of a validated query."""
    return DescriptionFilter(
        labels=label_filter(query["label"]), owner=query["owner"], criticality=query.get("criticality", "")
    )


def description_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description fields that a change has."""
    return {name: values[name] for name in DESCRIPTION_FIELDS if name in values}
