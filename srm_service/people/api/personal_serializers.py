"""Request and response bodies of saved views and preferences."""

import re
from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar

from rest_framework import serializers

from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.pagination import PageQuery, SortKey
from srm_service.core.api.requests import StrictSerializer
from srm_service.core.choices import choices_of
from srm_service.people.personal.contracts import (
    LONGEST_VIEW_NAME,
    LONGEST_VIEW_QUERY,
    MOST_COLUMNS,
    MOST_PINNED_FLOWS,
    PreferencesDto,
    SavedViewDto,
    ViewPage,
)

VIEW_PAGE_CHOICES = choices_of(ViewPage)
_LONGEST_FLOW = 200
_FLOW = r"^[^\s>]+->[^\s>]+$"
_COLUMN = r"^[a-z][a-z0-9_]{0,39}$"
_NO_QUERY = re.compile(r"[\x00-\x20\x7f#?]")


class SavedViewSerializer(DataclassSerializer):
    """A saved view."""

    shape = SavedViewDto


class SavedViewListQuery(PageQuery):
    """Filters and orders of the list of saved views."""

    orderings: ClassVar[Mapping[str, SortKey]] = {name: attrgetter(name) for name in ("name", "page", "changed_ms")}

    page = serializers.ChoiceField(required=False, choices=VIEW_PAGE_CHOICES, help_text="only views of this page")


class SavedViewListSerializer(ListSerializer):
    """Saved views by name."""

    items = SavedViewSerializer(many=True)


class SavedViewChangeSerializer(StrictSerializer):
    """Fields that are not given keep their value."""

    name = serializers.CharField(required=False, max_length=LONGEST_VIEW_NAME)
    query = serializers.CharField(
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        max_length=LONGEST_VIEW_QUERY,
        help_text="the query string of the page's address, without `?`",
    )
    is_default = serializers.BooleanField(
        required=False, help_text="true: the page opens with this view, and no longer with another"
    )

    def validate_query(self, value: str) -> str:
        if _NO_QUERY.search(value):
            raise serializers.ValidationError("the query is no query string: encode spaces, ? and #")
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError("the change is empty: send name, query or is_default")
        return attrs


class NewSavedViewSerializer(SavedViewChangeSerializer):
    """A view to save."""

    name = serializers.CharField(max_length=LONGEST_VIEW_NAME)
    page = serializers.ChoiceField(choices=VIEW_PAGE_CHOICES)


class PreferencesSerializer(DataclassSerializer):
    """The preferences of a person."""

    shape = PreferencesDto


class PreferencesChangeSerializer(StrictSerializer):
    """The preferences of a person; columns that are not given keep their value."""

    pinned_flows = serializers.ListField(
        child=serializers.RegexField(
            _FLOW, max_length=_LONGEST_FLOW, error_messages={"invalid": "write a flow as source->target"}
        ),
        max_length=MOST_PINNED_FLOWS,
        help_text="flows as `source->target`, in the order of the person",
    )
    columns = serializers.ListField(
        required=False,
        child=serializers.RegexField(_COLUMN, error_messages={"invalid": "this is no name of a column"}),
        max_length=MOST_COLUMNS,
        help_text="columns of the table of flows; none: the usual ones",
    )

    def validate_pinned_flows(self, value: list[str]) -> list[str]:
        if len(set(value)) < len(value):
            raise serializers.ValidationError("the list names a flow twice: name each flow once")
        return value
