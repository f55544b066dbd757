"""Shapes of requests and answers about audits (docs/contracts.md section 10)."""

from typing import Any

from rest_framework import serializers

from srm_service.core.pagination import DEFAULT_PAGE, MAX_PAGE
from srm_service.monitoring.api.serializers import ListSerializer
from srm_service.monitoring.audits import FINDING_KINDS

AUDIT_MODE_CHOICES = [("full", "full"), ("incremental", "incremental"), ("sample", "sample")]
AUDIT_STATE_CHOICES = [(word, word) for word in ("requested", "running", "done", "failed", "cancelled")]
AUDIT_VERDICT_CHOICES = [(word, word) for word in ("equal", "counts_agree", "warnings", "different", "unknown")]
FINDING_KIND_CHOICES = [(kind, kind) for kind in FINDING_KINDS]
_MOST = 10**12
_SAMPLE = "sample"
_USUAL_SAMPLE = 10


class AuditRequestSerializer(serializers.Serializer[Any]):
    """What to compare. Without `topics`: all topics of the flow that are known."""

    topics = serializers.ListField(
        child=serializers.CharField(max_length=249), required=False, default=list, max_length=10_000
    )
    mode = serializers.ChoiceField(
        choices=AUDIT_MODE_CHOICES,
        required=False,
        default="full",
        help_text="incremental: only what is newer than the last proof; sample: one stretch in `sample`",
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
        """A wish that would be ignored is refused: without it another audit would run than was meant."""
        strange = self.initial_data.keys() - self.fields
        if strange:
            text = f"is no field of an audit; there are {', '.join(self.fields)}"
            raise serializers.ValidationError(dict.fromkeys(sorted(strange), text))
        # clients made from the schema send the usual number with every mode
        says_sample = attrs[_SAMPLE] != _USUAL_SAMPLE or "mode" not in self.initial_data
        if attrs["mode"] != _SAMPLE and _SAMPLE in self.initial_data and says_sample:
            raise serializers.ValidationError({_SAMPLE: f'counts with "mode": "sample" only, not with {attrs["mode"]}'})
        return attrs


class FindingCountsSerializer(serializers.Serializer[Any]):
    """Records by kind."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {kind: serializers.IntegerField() for kind in FINDING_KINDS}


class AuditProgressSerializer(serializers.Serializer[Any]):
    done = serializers.FloatField(allow_null=True, help_text="0 to 1")
    text = serializers.CharField()


class AuditSerializer(serializers.Serializer[Any]):
    """An audit of a flow."""

    id = serializers.IntegerField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field, whatever the base class has under this name
    target = serializers.CharField()
    state = serializers.ChoiceField(choices=AUDIT_STATE_CHOICES)
    verdict = serializers.ChoiceField(
        choices=AUDIT_VERDICT_CHOICES,
        help_text="warnings: nothing but records that were copied more than once, or left out and recorded "
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
        help_text="while it is open: since the metrics process gave its last sign, or since nobody has begun it",
    )
    topics_asked = serializers.IntegerField()
    first_topics = serializers.ListField(child=serializers.CharField(), help_text="at most three of those asked for")
    topics_done = serializers.IntegerField()
    records_source = serializers.IntegerField()
    records_target = serializers.IntegerField()
    findings = FindingCountsSerializer()
    proven_until_ms = serializers.IntegerField(
        allow_null=True, help_text="what the source held at this time is proven to be on the target"
    )


class NotComparedSerializer(serializers.Serializer[Any]):
    """Offsets [first, next) about which the audit says nothing."""

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
    compared = serializers.CharField(help_text="records, last values (compacted topics) or counts (changed on the way)")
    started_ms = serializers.IntegerField()
    ended_ms = serializers.IntegerField(allow_null=True)
    records_source = serializers.IntegerField()
    records_target = serializers.IntegerField()
    ranges = serializers.IntegerField()
    ranges_bad = serializers.IntegerField()
    findings = FindingCountsSerializer()
    filtered_records = serializers.IntegerField(help_text="left out by the flow's transforms")
    local_records = serializers.IntegerField(help_text="written to the target by others (identity names)")
    not_compared = NotComparedSerializer(many=True)
    proven_until_ms = serializers.IntegerField(allow_null=True)
    error = serializers.CharField(allow_null=True)


class AuditDetailSerializer(AuditSerializer):
    """An audit with its topics."""

    topics = AuditTopicSerializer(many=True)


class TopicVerdictSerializer(serializers.Serializer[Any]):
    """Where a topic stands; nulls where no audit has compared it to its end."""

    topic = serializers.CharField()
    verdict = serializers.ChoiceField(
        choices=AUDIT_VERDICT_CHOICES,
        help_text="different: until a later audit that compared the same records says otherwise",
    )
    audit_id = serializers.IntegerField(allow_null=True, help_text="the audit that says so")
    at_ms = serializers.IntegerField(allow_null=True, help_text="when it had compared the topic")
    findings = FindingCountsSerializer(allow_null=True)


class TopicsByVerdictSerializer(serializers.Serializer[Any]):
    """Topics by verdict."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {verdict: serializers.IntegerField() for verdict, _ in AUDIT_VERDICT_CHOICES}


class AuditStandingSerializer(serializers.Serializer[Any]):
    """A flow by all of its audits."""

    verdict = serializers.ChoiceField(choices=AUDIT_VERDICT_CHOICES, help_text="that of the worst topic")
    topics_total = serializers.IntegerField(help_text="topics the flow copies")
    by_verdict = TopicsByVerdictSerializer()
    topics = TopicVerdictSerializer(many=True, help_text="the worst first")
    as_of_ms = serializers.IntegerField()


class AuditListSerializer(ListSerializer):
    """The newest audits of a flow, newest first."""

    items = AuditSerializer(many=True)


class FindingSerializer(serializers.Serializer[Any]):
    """`records` neighbours from these offsets on; null: that side has no such record."""

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


class AuditListQuery(serializers.Serializer[Any]):
    limit = serializers.IntegerField(required=False, default=20, min_value=1, max_value=200)


class AuditStandingQuery(serializers.Serializer[Any]):
    limit = serializers.IntegerField(
        required=False, default=DEFAULT_PAGE, min_value=1, max_value=10_000, help_text="topics listed"
    )


class FindingListQuery(serializers.Serializer[Any]):
    topic = serializers.CharField(required=False, default="", max_length=249)
    kind = serializers.ChoiceField(required=False, choices=FINDING_KIND_CHOICES)
    cursor = serializers.IntegerField(
        required=False, default=0, min_value=0, help_text="`next_cursor` of the last page"
    )
    limit = serializers.IntegerField(required=False, default=DEFAULT_PAGE, min_value=1, max_value=MAX_PAGE)


class ReportQuery(serializers.Serializer[Any]):
    limit = serializers.IntegerField(
        required=False, default=500, min_value=0, max_value=10_000, help_text="findings listed"
    )
