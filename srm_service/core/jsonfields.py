"""Validators of JSON columns."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError


def validate_text_list(value: Any) -> None:
    """Require a list of strings."""
    if not _is_list_of_text(value):
        raise ValidationError("expected a list of strings")


def validate_text_map(value: Any) -> None:
    """Require an object with string values, such as Java client settings."""
    if not (isinstance(value, dict) and _is_list_of_text([*value.keys(), *value.values()])):
        raise ValidationError("expected an object with string values")


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and _all_text(value)


def _all_text(values: Iterable[Any]) -> bool:
    return all(isinstance(item, str) for item in values)
