"""Request and response bodies of the audit trail."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework import serializers

from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.files.row_files import file_kind_field
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.pagination import PageQuery
from srm_service.core.api.requests import RANGE_IS_EMPTY, StrictSerializer
from srm_service.core.choices import choices_of
from srm_service.trail.contracts import ActorKind, SubjectKind, TrailDto, TrailOutcome

ACTOR_KIND_CHOICES = choices_of(ActorKind)
SUBJECT_KIND_CHOICES = choices_of(SubjectKind)
TRAIL_OUTCOME_CHOICES = choices_of(TrailOutcome)
_LATEST_MS = 4_102_444_800_000  # the year 2100


def _text(help_text: str, most: int = 255) -> serializers.CharField:
    return serializers.CharField(required=False, default="", max_length=most, help_text=help_text)


def _time(help_text: str) -> serializers.IntegerField:
    return serializers.IntegerField(required=False, min_value=0, max_value=_LATEST_MS, help_text=help_text)


class TrailFilterQuery(StrictSerializer):
    """The wanted entries."""

    actor = _text("name of who acted", 150)
    actor_kind = serializers.ChoiceField(required=False, default="", choices=ACTOR_KIND_CHOICES)
    action = _text("an action such as flow.pause, or its noun", 60)
    subject_kind = serializers.ChoiceField(required=False, default="", choices=SUBJECT_KIND_CHOICES)
    subject = _text("name of the object; of a flow: source->target")
    address = _text("network address of who acted", 64)
    request_id = _text("the X-Request-ID of the request", 64)
    outcome = serializers.ChoiceField(required=False, default="", choices=TRAIL_OUTCOME_CHOICES)
    from_ms = _time("epoch ms, inclusive")
    to_ms = _time("epoch ms, exclusive")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("from_ms", 0) >= attrs.get("to_ms", _LATEST_MS):
            raise serializers.ValidationError({"from_ms": RANGE_IS_EMPTY})
        return attrs


class TrailQuery(TrailFilterQuery, PageQuery):
    """A page of the wanted entries; the newest are first."""

    orderings: ClassVar[Mapping[str, str]] = {
        "id": "id",
        **{name: name for name in ("actor", "action", "subject", "outcome")},
    }


class TrailExportQuery(TrailFilterQuery):
    """The wanted entries and the format of the file."""

    file = file_kind_field()


class TrailEntrySerializer(DataclassSerializer):
    """A change or an order. Secrets in `before` and `after` are replaced by `(hidden)`."""

    shape = TrailDto


class TrailListSerializer(ListSerializer):
    """Entries, the newest first."""

    items = TrailEntrySerializer(many=True)
