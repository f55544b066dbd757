"""Builds the record rules of a slot from its settings and loads transform plug-ins."""

from importlib.metadata import entry_points

from replication.domain.batches.record_rules import RecordRules
from replication.domain.plan.slot import SlotSpec
from replication.domain.transforms.catalogue import ENTRY_POINTS, make_transform


def make_record_rules(spec: SlotSpec) -> RecordRules | None:
    """Return the rules, or None when no record has to be decoded. Raises TransformSettingsError."""
    settings = spec.records
    plug_ins = {point.name: point.load for point in entry_points(group=ENTRY_POINTS)}
    rules = RecordRules(
        flow=spec.flow,
        transforms=tuple(make_transform(one, plug_ins, settings.transforms_max_bytes) for one in settings.transforms),
        provenance=settings.loop_protection == "headers",
        source_offset=settings.source_offset_header,
    )
    return rules if rules else None
