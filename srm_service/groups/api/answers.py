"""Serializers of the answers about consumer groups, from the dataclasses that hold them."""

from rest_framework import serializers

from replication.domain.groups import group_summary
from replication.domain.questions import groups
from srm_service.core.api.derived_fields import ShapeSerializers
from srm_service.core.api.lists import ListSerializer
from srm_service.groups import contracts

_SERIALIZERS = ShapeSerializers(
    __name__,
    group_summary.GroupCause,
    group_summary.IfSourceGone,
    groups.UnlookedGroups,
    groups.PartitionPlace,
    groups.SyncReceipt,
    groups.TranslatedPlace,
    contracts.ReceiptCounts,
    group_summary.SkippedGroup,
)
GroupSerializer = _SERIALIZERS.of(contracts.ConsumerGroupNow)
GroupCountsSerializer = _SERIALIZERS.of(group_summary.GroupCounts)
SyncTimesSerializer = _SERIALIZERS.of(group_summary.SyncTimes)
SyncReceiptsSerializer = _SERIALIZERS.of(contracts.SyncReceiptsNow)
GroupPlacesSerializer = _SERIALIZERS.of(contracts.GroupPlacesNow)
TranslationsSerializer = _SERIALIZERS.of(groups.Translations)


class GroupListSerializer(ListSerializer):
    """The consumer groups of a flow that match, by name."""

    items = GroupSerializer(many=True)
    counts = GroupCountsSerializer(allow_null=True, help_text="of all groups of the flow; null: unknown")
    sync = SyncTimesSerializer(allow_null=True, help_text="of the group offset sync; null: unknown")
    skipped = _SERIALIZERS.known(group_summary.SkippedGroup)(
        many=True, help_text="the first groups that the flow does not translate, by name"
    )
    skipped_total = serializers.IntegerField()
