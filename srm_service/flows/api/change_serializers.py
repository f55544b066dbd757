"""Shapes of requests and answers about the settings of flows."""

from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from replication.domain.names.replication_policy import PolicyKind
from replication.domain.settings.choices import Delivery, GapPolicy
from replication.domain.settings.registry.flow import POLICY_CLASS, POLICY_SEPARATOR, POLICY_TEMPLATE, TASKS_MAX
from replication.domain.settings.registry.planning import REFRESH_TOPICS_INTERVAL
from srm_service.configuration.forms.fields import FLOW_FIELDS
from srm_service.core.api.description_fields import DescriptionChangeSerializer, DescriptionSerializer
from srm_service.core.api.requests import StrictSerializer
from srm_service.core.choices import choices_of
from srm_service.flows.api.dry_runs import DryRunQuery, ReasonQuery
from srm_service.flows.models import validate_start

POLICY_KIND_CHOICES = choices_of(PolicyKind)
DELIVERY_CHOICES = choices_of(Delivery)
GAP_POLICY_CHOICES = choices_of(GapPolicy)
FORM_FIELDS = tuple(FLOW_FIELDS)
_MOST_PATTERNS = 10_000
_POLICY_KEYS = (POLICY_CLASS.key, POLICY_SEPARATOR.key, POLICY_TEMPLATE.key)
FIELD_OF_KEY = {field.key: name for name, field in FLOW_FIELDS.items()} | dict.fromkeys(_POLICY_KEYS, "policy")


@extend_schema_field({"oneOf": [{"type": "string", "enum": ["earliest", "latest"]}, {"type": "integer", "minimum": 0}]})
class StartField(serializers.JSONField):
    """`earliest`, `latest` or a timestamp in ms."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            validate_start(data)
        except (DjangoValidationError, TypeError) as error:
            raise serializers.ValidationError(
                "the start must be earliest, latest or a time in ms since 1970"
            ) from error
        return data


def _patterns(text: str) -> serializers.ListField:
    pattern = serializers.RegexField(
        r"^[^,\s]+$", max_length=1_000, error_messages={"invalid": "it holds a comma or blank"}
    )
    return serializers.ListField(
        child=pattern, required=False, allow_null=True, max_length=_MOST_PATTERNS, help_text=text
    )


class PolicyChangeSerializer(StrictSerializer):
    """The naming of remote topics; missing parts are not changed."""

    kind = serializers.ChoiceField(required=False, choices=POLICY_KIND_CHOICES)
    separator = serializers.CharField(required=False, max_length=20)
    template = serializers.CharField(required=False, allow_null=True, max_length=200)


class FlowFieldsSerializer(StrictSerializer, DescriptionChangeSerializer):
    """Settings of a flow; missing fields are not changed, null restores a default."""

    enabled = serializers.BooleanField(required=False)
    heartbeats = serializers.BooleanField(required=False)
    tasks_max = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=10_000)
    delivery = serializers.ChoiceField(required=False, allow_null=True, choices=DELIVERY_CHOICES)
    policy = PolicyChangeSerializer(required=False)
    topics_allow = _patterns("regular expressions of topics to copy")
    topics_deny = _patterns("regular expressions of topics that are not copied")
    groups_allow = _patterns("regular expressions of groups")
    groups_deny = _patterns("regular expressions of groups that are not translated")
    start = StartField(required=False, allow_null=True, help_text="earliest, latest or epoch ms")
    gap_policy = serializers.ChoiceField(required=False, allow_null=True, choices=GAP_POLICY_CHOICES)
    properties = serializers.DictField(
        child=serializers.CharField(allow_blank=True, allow_null=True, max_length=100_000),
        required=False,
        default=dict,
        help_text=f"keys of the flow, such as `{REFRESH_TOPICS_INTERVAL}`; null removes one",
    )
    comment = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=500, help_text="of the new version"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a key together with the field that it holds: the request would have two values for it."""
        twice = {key: FIELD_OF_KEY[key] for key in attrs["properties"] if FIELD_OF_KEY.get(key) in attrs}
        if twice:
            text = "it is the field {}, which has a value here too; give one of them"
            raise serializers.ValidationError({"properties": {key: text.format(name) for key, name in twice.items()}})
        return attrs


class FlowCreateSerializer(FlowFieldsSerializer):
    """A new flow; its lists are empty unless they are given."""

    source = serializers.CharField(max_length=100)  # type: ignore[assignment]  # a field that hides one of the base class
    target = serializers.CharField(max_length=100)
    paused = serializers.BooleanField(
        required=False, default=False, help_text="create it paused; `comment` is the reason"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        if attrs["source"] == attrs["target"]:
            raise serializers.ValidationError({"target": "the target is the source, too: choose another cluster"})
        return attrs


class PolicySerializer(serializers.Serializer[Any]):
    """The naming of remote topics."""

    kind = serializers.ChoiceField(choices=POLICY_KIND_CHOICES)
    separator = serializers.CharField()
    template = serializers.CharField(allow_null=True)


class FlowSettingsSerializer(DescriptionSerializer):
    """The settings of a flow. `GET .../effective` has every key with its level."""

    source = serializers.CharField()  # type: ignore[assignment]  # a field that hides one of the base class
    target = serializers.CharField()
    enabled = serializers.BooleanField()
    heartbeats = serializers.BooleanField()
    tasks_max = serializers.IntegerField(help_text=TASKS_MAX.doc)
    delivery = serializers.ChoiceField(choices=DELIVERY_CHOICES)
    policy = PolicySerializer()
    topics_allow = serializers.ListField(child=serializers.CharField())
    topics_deny = serializers.ListField(child=serializers.CharField())
    groups_allow = serializers.ListField(child=serializers.CharField())
    groups_deny = serializers.ListField(child=serializers.CharField())
    start = StartField()
    gap_policy = serializers.ChoiceField(choices=GAP_POLICY_CHOICES)
    problem = serializers.CharField(help_text="why the settings cannot be used; empty if they can")


class FlowChangedSerializer(FlowSettingsSerializer):
    """The settings of a changed flow."""

    order = serializers.IntegerField(
        allow_null=True,
        help_text="id of the order that enables or disables the flow, see GET .../actions/{id}; null: it does neither",
    )


class FlowDeletionQuery(DryRunQuery, ReasonQuery):
    """The query of the DELETE of a flow."""
