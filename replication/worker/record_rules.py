"""From a slot's settings to what its record path does with every record; plug-ins are loaded here."""

from importlib.metadata import entry_points

from replication.domain.record_rules import RecordRules
from replication.domain.slot import SlotSpec
from replication.domain.transforms.catalogue import ENTRY_POINTS, make_transform


def make_record_rules(spec: SlotSpec) -> RecordRules | None:
    """None where no record has to be looked at. Raises TransformSettingsError."""
    settings = spec.records
    plug_ins = {point.name: point.load for point in entry_points(group=ENTRY_POINTS)}
    rules = RecordRules(
        flow=spec.flow,
        transforms=tuple(make_transform(one, plug_ins) for one in settings.transforms),
        provenance=settings.loop_protection == "headers",
        source_offset=settings.source_offset_header,
        stops_at_refused=spec.errors.policy == "stop_partition",
    )
    return rules if rules else None
