"""Request and response bodies of lists (docs/contracts/rest.md)."""

from typing import Any

from rest_framework import serializers

from replication.domain.desired.name_lists import LIST_KINDS, LONGEST_PATTERN
from srm_service.core.api.requests import StrictSerializer

_KIND_CHOICES = [(kind, kind) for kind in LIST_KINDS]
_MOST_PATTERNS = 1_000


class ListedPatternSerializer(serializers.Serializer[Any]):
    """A pattern of a list, with the record of the control topic that put it there."""

    pattern = serializers.CharField()
    offset = serializers.IntegerField()
    written_ms = serializers.IntegerField()
    by = serializers.CharField(allow_blank=True, help_text="empty if the record does not say")
    problem = serializers.CharField(allow_null=True, help_text="why the pattern has no effect; null: it has")


class UnreadableRecordSerializer(serializers.Serializer[Any]):
    """A record of the control topic that no list contains."""

    offset = serializers.IntegerField()
    error = serializers.CharField()


class ControlListSerializer(serializers.Serializer[Any]):
    """The allow and deny list of a flow, by pattern."""

    kind = serializers.ChoiceField(choices=_KIND_CHOICES)
    control_offset = serializers.IntegerField(
        allow_null=True, help_text="the last record read from the control topic; null: none"
    )
    allow = ListedPatternSerializer(many=True)
    deny = ListedPatternSerializer(many=True)
    unreadable = UnreadableRecordSerializer(many=True)
    problem = serializers.CharField(
        allow_null=True, help_text="why the control topic cannot be read; the lists as last read stay in force"
    )
    read_ms = serializers.IntegerField(allow_null=True, help_text="when the lists last changed here; null: never")


class _PatternsField(serializers.ListField):
    def __init__(self, help_text: str) -> None:
        child = serializers.CharField(max_length=LONGEST_PATTERN, trim_whitespace=False)
        super().__init__(child=child, required=False, default=list, max_length=_MOST_PATTERNS, help_text=help_text)


class ListChangeSerializer(StrictSerializer):
    """Patterns to add and to remove: names or regular expressions in Java's syntax, which match whole names."""

    add = _PatternsField("add to the allow list")
    remove = _PatternsField("remove from the allow list")
    add_denied = _PatternsField("add to the deny list")
    remove_denied = _PatternsField("remove from the deny list")
    dry_run = serializers.BooleanField(required=False, default=False, help_text="only check the patterns")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not any(attrs[name] for name in ("add", "remove", "add_denied", "remove_denied")):
            raise serializers.ValidationError("the change is empty: name at least one pattern to add or to remove")
        return attrs
