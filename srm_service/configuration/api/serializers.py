"""Bodies and answers of the configuration (docs/contracts/configuration.md)."""

from typing import Any

from rest_framework import serializers

from replication.config.tree import TREE_FORMATS
from replication.config.tree.properties import TREE_LEVELS
from replication.domain.plan.preflight import FindingSeverity
from srm_service.configuration.models import COMMENT_LENGTH, NAME_LENGTH
from srm_service.configuration.place_rules import VALUE_LENGTH
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.requests import StrictSerializer
from srm_service.core.choices import choices_of
from srm_service.core.web.body_limit import MOST_BYTES

LEVEL_CHOICES = [(level, level) for level in TREE_LEVELS]
CHAIN_LEVEL_CHOICES = [(level, level) for level in ("default", *TREE_LEVELS)]
FORMAT_CHOICES = [(each, each) for each in TREE_FORMATS]
SEVERITY_CHOICES = choices_of(FindingSeverity)
MOST_CHANGES = 5_000


class ConfigFindingSerializer(serializers.Serializer[Any]):
    """A remark about a key; the message ends with the remedy if there is one."""

    severity = serializers.ChoiceField(choices=SEVERITY_CHOICES)
    key = serializers.CharField(allow_blank=True)
    line = serializers.IntegerField(allow_null=True, help_text="of the file; null if there is none")
    message = serializers.CharField()


class PropertySerializer(serializers.Serializer[Any]):
    """A stored property. The value of a secret is not shown."""

    key = serializers.CharField(help_text="the full spelling, such as `us-east->us-west.tasks.max`")
    level = serializers.ChoiceField(choices=LEVEL_CHOICES)
    alias = serializers.CharField(allow_blank=True, help_text="on the level cluster")
    source = serializers.CharField(  # type: ignore[assignment]  # a field that hides one of the base class
        allow_blank=True, help_text="on the level flow"
    )
    target = serializers.CharField(allow_blank=True, help_text="on the level flow")
    name = serializers.CharField(help_text="without the level's prefix")
    value = serializers.CharField(allow_blank=True)
    is_secret = serializers.BooleanField(help_text="true: a secret is set")
    comment = serializers.CharField(allow_blank=True)
    origin = serializers.CharField(allow_blank=True, help_text="who wrote it, such as `mm2.properties:12` or `rest`")
    effect = serializers.CharField(help_text="what the key does here; `none` and `unknown` have no effect")
    note = serializers.CharField(allow_blank=True, help_text="why it has no effect, or what else there is to say")


class PropertyListSerializer(ListSerializer):
    """Properties in their order."""

    items = PropertySerializer(many=True)
    version = serializers.IntegerField()
    dialect = serializers.CharField()


class PropertyChangeSerializer(StrictSerializer):
    """A property to set, or to remove if the value is null. Without a comment, the present one is kept."""

    key = serializers.CharField(
        max_length=NAME_LENGTH,
        help_text="the full spelling, such as `connectors.tasks.max` or `us-east->us-west.topics`",
    )
    value = serializers.CharField(
        allow_null=True, allow_blank=True, trim_whitespace=False, max_length=VALUE_LENGTH, help_text="null removes it"
    )
    comment = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, default=None, max_length=COMMENT_LENGTH
    )


def _changes_field(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=PropertyChangeSerializer(), max_length=MOST_CHANGES, **options)


class StepSerializer(StrictSerializer):
    """The comment of a version, and dry runs."""

    comment = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=COMMENT_LENGTH, help_text="why; shown with the version"
    )
    dry_run = serializers.BooleanField(required=False, default=False, help_text="only report what would change")


class ChangeOrderSerializer(StepSerializer):
    """Changes that become one version."""

    changes = _changes_field(min_length=1)


class ImportOrderSerializer(StepSerializer):
    """A file to import."""

    text = serializers.CharField(max_length=MOST_BYTES, trim_whitespace=False, help_text="the content of the file")
    format = serializers.ChoiceField(choices=FORMAT_CHOICES)
    name = serializers.CharField(
        required=False, default="import", max_length=200, help_text="of the file; it is kept as origin"
    )
    replace = serializers.BooleanField(
        required=False, default=False, help_text="remove all properties that the file does not have"
    )


class DifferenceSerializer(serializers.Serializer[Any]):
    """A property on two sides; null: it does not exist there. Secrets are not shown."""

    key = serializers.CharField()
    before = serializers.CharField(allow_null=True, allow_blank=True)
    after = serializers.CharField(allow_null=True, allow_blank=True)
    comment_before = serializers.CharField(allow_null=True, allow_blank=True)
    comment_after = serializers.CharField(allow_null=True, allow_blank=True)
    is_secret = serializers.BooleanField()


class ChangedFlowSerializer(serializers.Serializer[Any]):
    """A flow that a change concerns."""

    source = serializers.CharField()  # type: ignore[assignment]  # a field that hides one of the base class
    target = serializers.CharField()


class AppliedSerializer(serializers.Serializer[Any]):
    """The effect of a change; `changed` is false if everything already was as wanted, so that no version was made."""

    version = serializers.IntegerField(help_text="in force after the change; of a dry run, before it")
    changed = serializers.BooleanField()
    dry_run = serializers.BooleanField()
    differences = DifferenceSerializer(many=True)
    clusters = serializers.ListField(child=serializers.CharField(), help_text="that change")
    flows = ChangedFlowSerializer(many=True)
    findings = ConfigFindingSerializer(many=True)


class ExportSerializer(serializers.Serializer[Any]):
    """The stored properties as a file; findings name what the format does not hold."""

    format = serializers.ChoiceField(choices=FORMAT_CHOICES)
    version = serializers.IntegerField()
    text = serializers.CharField(allow_blank=True)
    findings = ConfigFindingSerializer(many=True)


class VersionSerializer(serializers.Serializer[Any]):
    """A version of the configuration."""

    number = serializers.IntegerField()
    author = serializers.CharField()
    at_ms = serializers.IntegerField()
    comment = serializers.CharField(allow_blank=True)
    request_id = serializers.CharField(allow_blank=True)
    dialect = serializers.CharField()
    edits = serializers.IntegerField(help_text="the number of properties that it set, changed or removed")


class VersionListSerializer(ListSerializer):
    """Versions, newest first."""

    items = VersionSerializer(many=True)


class VersionDetailSerializer(VersionSerializer):
    """A version with its differences from the previous one."""

    differences = DifferenceSerializer(many=True)


class VersionDiffSerializer(serializers.Serializer[Any]):
    """The differences between two versions."""

    from_version = serializers.IntegerField()
    to_version = serializers.IntegerField()
    differences = DifferenceSerializer(many=True)


class DraftOrderSerializer(StrictSerializer):
    """A draft to store. Its changes replace those that it has; `${secret:hidden}` keeps the draft's secret."""

    name = serializers.CharField(max_length=200)
    changes = _changes_field(required=False, default=list)


class DraftChangeOrderSerializer(StrictSerializer):
    """The parts of a draft to change."""

    name = serializers.CharField(required=False, max_length=200)
    changes = _changes_field(required=False)
    rebase = serializers.BooleanField(
        required=False, default=False, help_text="put the draft on top of the current version"
    )


class DraftSerializer(serializers.Serializer[Any]):
    """Changes that a person prepares."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    author = serializers.CharField()
    base_version = serializers.IntegerField()
    created_ms = serializers.IntegerField()
    updated_ms = serializers.IntegerField()
    changes = PropertyChangeSerializer(many=True)


class DraftListSerializer(ListSerializer):
    """Drafts by name."""

    items = DraftSerializer(many=True)


class CheckedDraftSerializer(DraftSerializer):
    """A draft with what it would change if it was applied now, and everything that is wrong with it."""

    current_version = serializers.IntegerField(help_text="if it is not the base version, others made changes since")
    is_valid = serializers.BooleanField()  # type: ignore[assignment]  # a field that hides one of the base class
    differences = DifferenceSerializer(many=True)
    clusters = serializers.ListField(child=serializers.CharField())
    flows = ChangedFlowSerializer(many=True)
    findings = ConfigFindingSerializer(many=True)


class KeySerializer(serializers.Serializer[Any]):
    """A known key."""

    key = serializers.CharField()
    owner = serializers.CharField(help_text="whose key it is: manager, flow, worker, consumer, producer, admin ...")
    kind = serializers.CharField(help_text="the type of its values")
    allowed = serializers.CharField(help_text="completes: must be ...")
    effect = serializers.CharField(help_text="what it does here; `none`: nothing")
    levels = serializers.ListField(child=serializers.CharField(), help_text="on which it works, weakest first")
    default = serializers.CharField(allow_null=True, allow_blank=True, help_text="null: none, or the key has no effect")
    choices = serializers.ListField(child=serializers.CharField())
    description = serializers.CharField(allow_blank=True)
    why = serializers.CharField(allow_blank=True, help_text="why it has no effect")
    change = serializers.CharField(
        allow_null=True, help_text="live: running slots take a new value; restart: they restart"
    )
    is_secret = serializers.BooleanField()
    old_spellings = serializers.ListField(child=serializers.CharField())


class KeyListSerializer(ListSerializer):
    """Known keys by owner and name."""

    items = KeySerializer(many=True)


class ChainLinkSerializer(serializers.Serializer[Any]):
    """A value that lost."""

    level = serializers.ChoiceField(choices=CHAIN_LEVEL_CHOICES)
    key = serializers.CharField(allow_blank=True)
    value = serializers.CharField(allow_blank=True)
    origin = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)
    has_effect = serializers.BooleanField(help_text="false: the level or the prefix is not read for this key")


class EffectiveValueSerializer(serializers.Serializer[Any]):
    """The value in force of a key for one client of the flow, and those that lost, strongest first."""

    client = serializers.CharField()
    name = serializers.CharField()
    value = serializers.CharField(allow_null=True, allow_blank=True, help_text="null: no level and no default has one")
    level = serializers.ChoiceField(choices=CHAIN_LEVEL_CHOICES)
    key = serializers.CharField(allow_blank=True, help_text="as it is written; empty for a default")
    origin = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)
    beaten = ChainLinkSerializer(many=True)
    effect = serializers.CharField()
    why = serializers.CharField(allow_blank=True)
    is_secret = serializers.BooleanField()


class EffectiveListSerializer(ListSerializer):
    """Effective values by client and name."""

    items = EffectiveValueSerializer(many=True)
    version = serializers.IntegerField()
