"""Request and response bodies of audits (docs/contracts/rest.md)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework import serializers

from replication.domain.reporting.audit_words import FINDING_KINDS, AuditMode
from srm_service.audits.selectors import AuditOutcome, AuditState
from srm_service.core.api.lists import ListSerializer, PagedSerializer
from srm_service.core.api.pagination import DEFAULT_PAGE, PageQuery, SortKey
from srm_service.core.api.requests import StrictSerializer
from srm_service.core.choices import choices_of

AUDIT_MODE_CHOICES = choices_of(AuditMode)
AUDIT_STATE_CHOICES = choices_of(AuditState)
AUDIT_VERDICT_CHOICES = choices_of(AuditOutcome)
FINDING_KIND_CHOICES = [(kind, kind) for kind in FINDING_KINDS]
_MOST = 10**12
_SAMPLE = "sample"
_USUAL_SAMPLE = 10


class AuditRequestSerializer(StrictSerializer):
    """The comparison to run. Without `topics`: all known topics of the flow."""

    topics = serializers.ListField(
        child=serializers.CharField(max_length=249), required=False, default=list, max_length=10_000
    )
    mode = serializers.ChoiceField(
        choices=AUDIT_MODE_CHOICES,
        required=False,
        default="full",
        help_text="incremental: only records newer than the last proof; sample: one range of offsets in `sample`",
    )
    sample = serializers.IntegerField(required=False, default=_USUAL_SAMPLE, min_value=2, max_value=10_000)
    max_offsets = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        max_value=_MOST,
        help_text="source offsets per partition in this run, the oldest first",
    )
    records_per_second = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=_MOST, help_text="of both clusters"
    )
    strict = serializers.BooleanField(required=False, default=False, help_text="SHA-256 instead of a 64-bit hash")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Reject options that would be ignored, because a different audit than the requested one would run."""
        # clients generated from the schema send the default with every mode
        says_sample = attrs[_SAMPLE] != _USUAL_SAMPLE or "mode" not in self.initial_data
        if attrs["mode"] != _SAMPLE and _SAMPLE in self.initial_data and says_sample:
            text = f"only the mode sample has a sample, {attrs['mode']} has none: leave it out, or choose that mode"
            raise serializers.ValidationError({_SAMPLE: text})
        return attrs


class FindingCountsSerializer(serializers.Serializer[Any]):
    """The numbers of records by kind of finding."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {kind: serializers.IntegerField() for kind in FINDING_KINDS}


class AuditProgressSerializer(serializers.Serializer[Any]):
    done = serializers.FloatField(allow_null=True, help_text="0 to 1")
    text = serializers.CharField()


class AuditSerializer(serializers.Serializer[Any]):
    """An audit of a flow."""

    id = serializers.IntegerField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field that hides one of the base class
    target = serializers.CharField()
    state = serializers.ChoiceField(choices=AUDIT_STATE_CHOICES)
    verdict = serializers.ChoiceField(
        choices=AUDIT_VERDICT_CHOICES,
        help_text="warnings: only records that were copied more than once, or skipped and recorded "
        "(gap, skipped, dead_lettered); counts_agree: of some topics only numbers could be compared",
    )
    mode = serializers.ChoiceField(choices=AUDIT_MODE_CHOICES)
    requested_ms = serializers.IntegerField(allow_null=True)
    requested_by = serializers.CharField()
    scheduled = serializers.BooleanField()
    progress = AuditProgressSerializer()
    error = serializers.CharField(allow_null=True)
    silent_ms = serializers.IntegerField(
        allow_null=True,
        help_text="while it is open: time since the last heartbeat of the metrics process, or since the request",
    )
    topics_asked = serializers.IntegerField()
    first_topics = serializers.ListField(
        child=serializers.CharField(), help_text="at most three of the requested topics"
    )
    topics_done = serializers.IntegerField()
    records_source = serializers.IntegerField()
    records_target = serializers.IntegerField()
    findings = FindingCountsSerializer()
    proven_until_ms = serializers.IntegerField(
        allow_null=True, help_text="the records that the source held at this time are proven to be on the target"
    )


class NotComparedSerializer(serializers.Serializer[Any]):
    """Offsets [first, next) that the audit has not compared."""

    partition = serializers.IntegerField()
    side = serializers.ChoiceField(choices=[("source", "source"), ("target", "target")])
    first = serializers.IntegerField()
    next = serializers.IntegerField()
    reason = serializers.CharField()


class AuditTopicSerializer(serializers.Serializer[Any]):
    """One topic of an audit."""

    topic = serializers.CharField()
    remote_topic = serializers.CharField()
    state = serializers.CharField()
    compared = serializers.CharField(
        help_text="records, last values (compacted topics) or counts (transformed records)"
    )
    started_ms = serializers.IntegerField()
    ended_ms = serializers.IntegerField(allow_null=True)
    records_source = serializers.IntegerField()
    records_target = serializers.IntegerField()
    ranges = serializers.IntegerField()
    ranges_bad = serializers.IntegerField()
    findings = FindingCountsSerializer()
    filtered_records = serializers.IntegerField(help_text="dropped by the flow's transforms")
    local_records = serializers.IntegerField(help_text="written to the target by other producers (identity names)")
    not_compared = NotComparedSerializer(many=True)
    proven_until_ms = serializers.IntegerField(allow_null=True)
    error = serializers.CharField(allow_null=True)


class AuditDetailSerializer(AuditSerializer):
    """An audit with its topics."""

    topics = AuditTopicSerializer(many=True)


class TopicVerdictSerializer(serializers.Serializer[Any]):
    """The audit result of a topic; nulls when no audit has compared it to its end."""

    topic = serializers.CharField()
    verdict = serializers.ChoiceField(
        choices=AUDIT_VERDICT_CHOICES,
        help_text="different: until a later audit of the same records finds no difference",
    )
    audit_id = serializers.IntegerField(allow_null=True, help_text="the audit with this result")
    at_ms = serializers.IntegerField(allow_null=True, help_text="when it had compared the topic")
    findings = FindingCountsSerializer(allow_null=True)


class TopicsByVerdictSerializer(serializers.Serializer[Any]):
    """Topics by verdict."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {verdict: serializers.IntegerField() for verdict, _ in AUDIT_VERDICT_CHOICES}


class AuditStandingSerializer(PagedSerializer):
    """The combined result of all audits of a flow."""

    rows = "topics"

    verdict = serializers.ChoiceField(choices=AUDIT_VERDICT_CHOICES, help_text="that of the worst topic")
    topics_total = serializers.IntegerField(help_text="topics the flow copies")
    by_verdict = TopicsByVerdictSerializer()
    topics = TopicVerdictSerializer(many=True, help_text="the worst first")
    next_cursor = serializers.CharField(allow_null=True, help_text="of the next page of `topics`")


class AuditListSerializer(ListSerializer):
    """The newest audits of a flow, newest first."""

    items = AuditSerializer(many=True)


class FindingSerializer(serializers.Serializer[Any]):
    """`records` consecutive records from these offsets; null: that side has no such record."""

    topic = serializers.CharField()
    partition = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=FINDING_KIND_CHOICES)
    source_offset = serializers.IntegerField(allow_null=True)
    target_offset = serializers.IntegerField(allow_null=True)
    records = serializers.IntegerField()
    detail = serializers.CharField()


class FindingListSerializer(ListSerializer):
    """Findings in the order of topic, partition, kind and offset."""

    items = FindingSerializer(many=True)


class AuditListQuery(PageQuery):
    """Orders of the list of audits; the newest are first."""

    orderings: ClassVar[Mapping[str, str]] = {"id": "id"}

    limit = serializers.IntegerField(required=False, default=20, min_value=1, max_value=200)


class AuditStandingQuery(PageQuery):
    """Orders of a flow's topics; those with the worst results are first."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        "topic": lambda topic: topic.topic,
        "at_ms": lambda topic: topic.at_ms,
    }

    limit = serializers.IntegerField(
        required=False, default=DEFAULT_PAGE, min_value=1, max_value=10_000, help_text="most topics to list"
    )
    topic = serializers.CharField(required=False, default="", max_length=249, help_text="only this topic")


class FindingListQuery(PageQuery):
    """Filters and orders of the findings of an audit."""

    orderings: ClassVar[Mapping[str, str]] = {
        **{name: name for name in ("id", "kind", "topic", "partition", "source_offset", "target_offset", "records")},
        "detail": "detail_start",
    }

    topic = serializers.CharField(required=False, default="", max_length=249)
    kind = serializers.ChoiceField(required=False, choices=FINDING_KIND_CHOICES)


class ReportQuery(StrictSerializer):
    limit = serializers.IntegerField(
        required=False, default=500, min_value=0, max_value=10_000, help_text="most findings to list"
    )
