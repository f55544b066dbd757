"""Reads query parameters and bodies strictly: unknown names are refused, with the nearest known name.

An answer to part of a question misleads, and a misspelt setting that is ignored looks as if it were set.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request

from replication.config.files.findings import nearest

Values = Mapping[str, Any]
SerializerClass = type[serializers.Serializer[Any]]
_SEVERAL = (serializers.ListField, serializers.MultipleChoiceField)


END_IS_PAST = "the end is in the past: choose a later time"
RANGE_IS_EMPTY = "the range is empty: from_ms must be before to_ms"


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses names that it does not declare, read-only ones, and query parameters that are given twice."""

    def to_internal_value(self, data: Any) -> Any:
        wrong = self._wrong_names(data) if isinstance(data, Mapping) else {}
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            details = error.detail if isinstance(error.detail, dict) else {"non_field_errors": error.detail}
            raise serializers.ValidationError({**details, **wrong}) from error
        if wrong:
            raise serializers.ValidationError(wrong)
        return values

    def _wrong_names(self, data: Mapping[str, Any]) -> dict[str, str]:
        known = [name for name, field in self.fields.items() if not field.read_only]
        kind = "parameter" if isinstance(data, QueryDict) else "field"
        wrong = {name: _unknown(name, kind, known) for name in sorted(map(str, data.keys() - set(known)))}
        if isinstance(data, QueryDict):
            wrong |= {name: "it is given more than once" for name in self._repeated(data) if name not in wrong}
        return wrong

    def _repeated(self, data: QueryDict) -> Iterable[str]:
        for name, values in data.lists():
            if len(values) > 1 and not isinstance(self.fields.get(name), _SEVERAL):
                yield name


class NoParameters(StrictSerializer):
    """The query of an operation without parameters."""


def checked(serializer: SerializerClass, data: Any) -> Values:
    """Return the validated values of a query or a body. Raises ValidationError, which names each wrong field."""
    wanted = serializer(data=data)
    wanted.is_valid(raise_exception=True)
    values: Values = wanted.validated_data
    return values


def checked_query(serializer: SerializerClass, request: Request) -> Values:
    """Return the validated query parameters."""
    return checked(serializer, request.query_params)


def _unknown(name: str, kind: str, known: list[str]) -> str:
    names = f"; there are {', '.join(sorted(known))}" if known else "; there are none"
    return f"this is no {kind} here{nearest(name, tuple(known)) or names}"
