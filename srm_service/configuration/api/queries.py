"""Queries of the configuration's lists; an unknown parameter is refused."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from replication.config.files.dialects import DIALECTS
from srm_service.configuration.api.serializers import FORMAT_CHOICES, LEVEL_CHOICES
from srm_service.monitoring.api.queries import PageQuery

_DIALECT_CHOICES = [(name, name) for name in DIALECTS]


class KnownQuery(serializers.Serializer[Any]):
    """Refuses parameters that it does not know."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        strange = sorted(self.initial_data.keys() - self.fields)
        if strange:
            known = ", ".join(sorted(self.fields))
            raise serializers.ValidationError(dict.fromkeys(strange, f"is no parameter here; there are {known}"))
        return attrs


def _text(help_text: str, most: int = 500) -> serializers.CharField:
    return serializers.CharField(required=False, default="", max_length=most, help_text=help_text)


class KeyQuery(KnownQuery, PageQuery):
    """Filters of the key table."""

    dialect = serializers.ChoiceField(
        required=False, choices=_DIALECT_CHOICES, help_text="for defaults and levels; by default that of the properties"
    )
    owner = _text("only keys of this owner")
    effect = _text("only keys of this effect")
    q = _text("part of the key")


class PropertyQuery(KnownQuery, PageQuery):
    """Filters of the stored properties."""

    level = serializers.ChoiceField(required=False, choices=LEVEL_CHOICES)
    alias = _text("only properties of this cluster")
    flow = _text("only properties of this flow, as `source->target`")
    key = _text("part of the full key")
    effect = _text("only properties with this effect here, such as `none`")


class ExportQuery(KnownQuery):
    """The format of an export."""

    format = serializers.ChoiceField(required=False, choices=FORMAT_CHOICES, help_text="by default the dialect's own")


class EffectiveQuery(KnownQuery, PageQuery):
    """Filters of effective values."""

    client = _text("only this client: flow, worker, consumer, producer ...")
    key = _text("part of the key")
    only_set = serializers.BooleanField(
        required=False, default=False, help_text="only keys that a property sets, on any level"
    )


class DiffQuery(KnownQuery):
    """Two versions."""

    to = serializers.IntegerField(min_value=0, max_value=2**31 - 1)

    def get_fields(self) -> dict[str, Any]:
        """`from` is a keyword of Python."""
        first = serializers.IntegerField(min_value=0, max_value=2**31 - 1, help_text="0 is the empty configuration")
        return {"from": first, **super().get_fields()}


class VersionListQuery(KnownQuery, PageQuery):
    """Filters of versions."""

    author = _text("only versions of this person", 150)


def checked(query: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the checked parameters of a request. Raises ValidationError."""
    found = query(data=request.query_params)
    found.is_valid(raise_exception=True)
    return dict(found.validated_data)
