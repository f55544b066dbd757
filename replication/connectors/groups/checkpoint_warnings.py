"""Warns about settings of consumer groups that are given in vain."""

from collections.abc import Iterator

from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.groups.sync.sync_period import useless_settings
from replication.domain.plan.plan_document import PlanWarning, plan_warning
from replication.domain.settings.registry.consumer_groups import EMIT_CHECKPOINTS
from replication.domain.settings.registry.records import OFFSET_SYNCS


def checkpoint_warnings(flow: DesiredFlow, settings: CheckpointSettings) -> Iterator[PlanWarning]:
    """Yield the warnings of a flow's plan."""
    if settings.off_because.startswith(OFFSET_SYNCS.key):
        text = (
            f"no consumer group is translated because of {settings.off_because}, as in MirrorMaker: set it to true, or "
            f"set {EMIT_CHECKPOINTS}=false"
        )
        yield plan_warning("checkpoints_off", text)
    for useless in useless_settings(settings, flow.connectors.checkpoint):
        yield plan_warning("setting_in_vain", useless.text)
