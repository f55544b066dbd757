"""Shapes of change plans, previews, topic states and drift, derived from their dataclasses."""

from typing import Any

from rest_framework import serializers

from replication.domain.errors import InvalidPatternError
from replication.domain.names.filters import NameFilter
from replication.domain.questions.near_misses import MissKind
from replication.domain.questions.question import DEFAULT_WAIT_MS, LEAST_WAIT_MS, MOST_NAMES, MOST_WAIT_MS
from replication.domain.questions.topic_state import STATE_ORDERINGS, TopicStateWord
from srm_service.configuration.api.serializers import MOST_CHANGES, PropertyChangeSerializer
from srm_service.core.api.requests import StrictSerializer
from srm_service.core.choices import choices_of
from srm_service.flows.api.change_serializers import FlowCreateSerializer, PolicyChangeSerializer

MISS_KIND_CHOICES = choices_of(MissKind)
MOST_PATTERNS, MOST_LISTED = 500, 1_000
_LONGEST_NAME = 500


def wait_field(default_ms: int) -> serializers.IntegerField:
    return serializers.IntegerField(
        required=False,
        default=default_ms,
        min_value=LEAST_WAIT_MS,
        max_value=MOST_WAIT_MS,
        help_text="the deadline for the target's control worker; what it has not inspected then is named",
    )


class WaitSerializer(StrictSerializer):
    """The time that an answer is waited for."""

    wait_ms = wait_field(DEFAULT_WAIT_MS)


class PlanRequestSerializer(WaitSerializer):
    """The draft: changes of the property tree, the id of a stored draft, or the settings of one flow."""

    changes = serializers.ListField(child=PropertyChangeSerializer(), required=False, max_length=MOST_CHANGES)
    draft = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="of config/drafts, instead of changes"
    )
    flow = FlowCreateSerializer(
        required=False, help_text="a flow to create or to change, instead of changes: the fields of POST replications"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if [bool(attrs.get("changes")), "draft" in attrs, "flow" in attrs].count(True) != 1:
            raise serializers.ValidationError(
                {"changes": "a change plan is of changes, of a draft or of a flow: send one of them"}
            )
        return attrs


class PatternsSerializer(WaitSerializer):
    """Allow and deny patterns in Java's syntax, which match whole names; deny wins."""

    allow = serializers.ListField(child=serializers.CharField(max_length=_LONGEST_NAME), max_length=MOST_PATTERNS)
    deny = serializers.ListField(
        child=serializers.CharField(max_length=_LONGEST_NAME), required=False, default=list, max_length=MOST_PATTERNS
    )
    policy = PolicyChangeSerializer(
        required=False, help_text="the naming of remote topics to preview with; default: that of the flow"
    )
    limit = serializers.IntegerField(required=False, default=MOST_NAMES, min_value=1, max_value=MOST_LISTED)

    def validate_allow(self, patterns: list[str]) -> list[str]:
        return _checked(patterns)

    def validate_deny(self, patterns: list[str]) -> list[str]:
        return _checked(patterns)


class GroupPatternsSerializer(PatternsSerializer):
    """Patterns of groups; those of topics say which offsets the flow translates."""

    topics_allow = serializers.ListField(
        child=serializers.CharField(max_length=_LONGEST_NAME),
        required=False,
        max_length=MOST_PATTERNS,
        help_text="the patterns of topics to preview with; default: those of the flow",
    )
    topics_deny = serializers.ListField(
        child=serializers.CharField(max_length=_LONGEST_NAME), required=False, max_length=MOST_PATTERNS
    )

    def validate_topics_allow(self, patterns: list[str]) -> list[str]:
        return _checked(patterns)

    def validate_topics_deny(self, patterns: list[str]) -> list[str]:
        return _checked(patterns)


class TopicStatesQuerySerializer(WaitSerializer):
    """A page of topics in an order; by name without one."""

    state = serializers.ChoiceField(choices=choices_of(TopicStateWord), required=False, default="")
    search = serializers.CharField(required=False, default="", max_length=_LONGEST_NAME)
    after = serializers.CharField(required=False, default="", max_length=_LONGEST_NAME, help_text="`next_after`")
    ordering = serializers.ChoiceField(
        choices=[(name, name) for field in STATE_ORDERINGS for name in (field, f"-{field}")],
        required=False,
        default="topic",
        help_text="ascending, or descending with `-`; unknown values are last",
    )
    limit = serializers.IntegerField(required=False, default=MOST_NAMES, min_value=1, max_value=MOST_LISTED)


class DriftQuerySerializer(WaitSerializer):
    """The topics to compare; all without a choice."""

    topic = serializers.CharField(required=False, default="", max_length=_LONGEST_NAME, help_text="of the source")
    with_equal = serializers.BooleanField(
        required=False, default=False, help_text="also configs that are the same on both sides"
    )
    limit = serializers.IntegerField(required=False, default=MOST_NAMES, min_value=1, max_value=MOST_LISTED)


class SetAgainRequestSerializer(WaitSerializer):
    """The configs to set again: of these topics of the source, all that the flow sets, or only these keys."""

    topics = serializers.ListField(
        child=serializers.CharField(max_length=_LONGEST_NAME), allow_empty=False, max_length=MOST_LISTED
    )
    keys = serializers.ListField(
        child=serializers.CharField(max_length=_LONGEST_NAME), required=False, default=list, max_length=MOST_PATTERNS
    )


def _checked(patterns: list[str]) -> list[str]:
    errors = []
    for pattern in patterns:
        try:
            NameFilter.of([pattern])
        except InvalidPatternError as error:
            errors.append(error.text)
    if errors:
        raise serializers.ValidationError(errors)
    return patterns
