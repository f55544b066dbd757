"""Checks on JSON columns: their shape is ours, so a wrong one is a mistake to be refused, not stored."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError


def validate_text_list(value: Any) -> None:
    """A list of texts."""
    if not _is_list_of_text(value):
        raise ValidationError("expected a list of texts")


def validate_text_map(value: Any) -> None:
    """An object whose values are texts, as Java client keys are."""
    if not (isinstance(value, dict) and _is_list_of_text([*value.keys(), *value.values()])):
        raise ValidationError("expected an object with texts as values")


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and _all_text(value)


def _all_text(values: Iterable[Any]) -> bool:
    return all(isinstance(item, str) for item in values)
