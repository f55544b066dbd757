"""Queries and bodies of the operations on consumer groups."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, ClassVar

from rest_framework import serializers

from replication.domain.groups.group_summary import Readiness
from replication.domain.questions.groups import MOST_GROUPS, MOST_PLACES, PlaceToTranslate
from srm_service.core.api.pagination import DEFAULT_PAGE, PageQuery, SortKey
from srm_service.core.api.requests import StrictSerializer
from srm_service.groups.api.choices import (
    DIRECTION_CHOICES,
    GROUP_STATE_CHOICES,
    GROUP_TYPE_CHOICES,
    READINESS_CHOICES,
)
from srm_service.planning.api.serializers import WaitSerializer

LONGEST_GROUP = 32_767  # of Kafka's strings
_MOST_LISTED, _MOST_RECEIPTS = 10_000, 10_000
_MOST_OFFSET = 2**63 - 1
_MOST_PARTITION = 2**31 - 1
_SEVERITY: Mapping[Readiness, int] = {"ready": 0, "approximate": 1, "blocked": 2}


class GroupListQuery(PageQuery):
    """Filters and orders of the list of groups."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        **{name: attrgetter(name) for name in ("group", "type", "state", "partitions", "members")},
        "readiness": lambda group: _SEVERITY[group.readiness],
        **{name: attrgetter(name) for name in ("lag", "rereads", "checkpoint_ms", "target_state", "synced_ms")},
    }

    limit = serializers.IntegerField(required=False, default=DEFAULT_PAGE, min_value=1, max_value=_MOST_LISTED)
    readiness = serializers.ChoiceField(required=False, choices=READINESS_CHOICES)
    state = serializers.ChoiceField(required=False, choices=GROUP_STATE_CHOICES, help_text="on the source")
    type = serializers.ChoiceField(required=False, choices=GROUP_TYPE_CHOICES)
    q = serializers.CharField(required=False, default="", max_length=LONGEST_GROUP, help_text="part of the name")
    group = serializers.CharField(
        required=False, default="", max_length=LONGEST_GROUP, trim_whitespace=False, help_text="the whole name"
    )
    topic = serializers.CharField(
        required=False, default="", max_length=249, help_text="groups that committed offsets of this source topic"
    )


class WaitQuery(WaitSerializer):
    """The time that an answer about partitions is waited for."""


class GroupSyncSerializer(WaitSerializer):
    """An order to write committed offsets to the target now."""

    dry_run = serializers.BooleanField(required=False, default=False, help_text="only answer what would be written")
    reason = serializers.CharField(required=False, default="", allow_blank=True, max_length=500)
    limit = serializers.IntegerField(
        required=False, default=1_000, min_value=1, max_value=_MOST_RECEIPTS, help_text="most receipts in the answer"
    )


class GroupsSyncSerializer(GroupSyncSerializer):
    """The same of several groups."""

    groups = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_GROUP, trim_whitespace=False),
        required=False,
        default=list,
        max_length=MOST_GROUPS,
        help_text="none: all groups of the flow",
    )


class PlaceSerializer(StrictSerializer):
    """A place in a partition, by offset or by time."""

    topic = serializers.CharField(max_length=249, help_text="name on the source, or on the target")
    partition = serializers.IntegerField(min_value=0, max_value=_MOST_PARTITION)
    offset = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=_MOST_OFFSET)
    timestamp_ms = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=_MOST_OFFSET, help_text="instead of the offset"
    )
    direction = serializers.ChoiceField(required=False, default="to_target", choices=DIRECTION_CHOICES)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs.get("offset") is None) == (attrs.get("timestamp_ms") is None):
            raise serializers.ValidationError({"offset": "a place is an offset or a time: send offset or timestamp_ms"})
        return attrs


class TranslateSerializer(WaitSerializer):
    """Places of the flow's topics to translate to the other cluster."""

    items = serializers.ListField(child=PlaceSerializer(), allow_empty=False, max_length=MOST_PLACES)

    def validate_items(self, items: list[dict[str, Any]]) -> list[PlaceToTranslate]:
        return [PlaceToTranslate(**item) for item in items]
