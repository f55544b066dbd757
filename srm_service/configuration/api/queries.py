"""Filters and orders of the configuration's lists."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar

from rest_framework import serializers

from replication.config.files.dialects import DIALECTS
from srm_service.configuration.api.serializers import FORMAT_CHOICES, LEVEL_CHOICES
from srm_service.core.api.pagination import PageQuery, SortKey, sorted_text
from srm_service.core.api.requests import StrictSerializer
from srm_service.flows.selectors import epoch_ms

_DIALECT_CHOICES = [(name, name) for name in DIALECTS]


def _text(help_text: str, most: int = 500) -> serializers.CharField:
    return serializers.CharField(required=False, default="", max_length=most, help_text=help_text)


class KeyQuery(PageQuery):
    """Filters and orders of the key table."""

    orderings: ClassVar[Mapping[str, SortKey]] = {"owner": attrgetter("owner"), "key": attrgetter("key")}

    dialect = serializers.ChoiceField(
        required=False, choices=_DIALECT_CHOICES, help_text="for defaults and levels; by default that of the properties"
    )
    owner = _text("only keys of this owner")
    effect = _text("only keys of this effect")
    q = _text("part of the key")


class PropertyQuery(PageQuery):
    """Filters and orders of the stored properties, each with its position."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        "position": lambda item: item[0],
        "key": lambda item: item[1].place.key,
    }

    level = serializers.ChoiceField(required=False, choices=LEVEL_CHOICES)
    alias = _text("only properties of this cluster")
    flow = _text("only properties of this flow, as `source->target`")
    key = _text("part of the full key")
    effect = _text("only properties with this effect here, such as `none`")


class ExportQuery(StrictSerializer):
    """The format of an export."""

    format = serializers.ChoiceField(required=False, choices=FORMAT_CHOICES, help_text="by default the dialect's own")


class EffectiveQuery(PageQuery):
    """Filters and orders of effective values."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        **{name: attrgetter(name) for name in ("client", "name", "level", "effect")},
        "value": lambda value: sorted_text(value.value),
    }

    client = _text("only this client: flow, worker, consumer, producer ...")
    key = _text("part of the key")
    only_set = serializers.BooleanField(
        required=False, default=False, help_text="only keys that a property sets, on any level"
    )


class DiffQuery(StrictSerializer):
    """Two versions."""

    to = serializers.IntegerField(min_value=0, max_value=2**31 - 1)

    def get_fields(self) -> dict[str, Any]:
        """`from` is a keyword of Python."""
        first = serializers.IntegerField(min_value=0, max_value=2**31 - 1, help_text="0 is the empty configuration")
        return {"from": first, **super().get_fields()}


class VersionListQuery(PageQuery):
    """Filters and orders of versions."""

    orderings: ClassVar[Mapping[str, str]] = {
        **{name: name for name in ("number", "author", "request_id")},
        "comment": "comment_start",
        "edits": "edit_count",
    }

    author = _text("only versions of this person", 150)


class DraftListQuery(PageQuery):
    """The orders of drafts."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        "name": attrgetter("name"),
        "updated_ms": lambda draft: epoch_ms(draft.updated_at),
    }
