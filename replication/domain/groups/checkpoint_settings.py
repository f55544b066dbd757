"""The settings of a flow's checkpoint connector."""

from dataclasses import dataclass

from replication.domain.desired.desired_flow import DesiredFlow
from replication.domain.names.filters import NameFilter
from replication.domain.settings.registry.consumer_groups import (
    EMIT_CHECKPOINTS,
    EMIT_CHECKPOINTS_INTERVAL,
    REFRESH_GROUPS,
    REFRESH_GROUPS_INTERVAL,
    REVERSE_CHECKPOINTING,
    SYNC_GROUP_OFFSETS,
    SYNC_GROUP_OFFSETS_INTERVAL,
)
from replication.domain.settings.registry.records import OFFSET_SYNCS

_MS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointSettings:
    """`is_on` is false where MirrorMaker refuses the connector: without checkpoints or without offset syncs."""

    groups: NameFilter
    topics: NameFilter
    is_on: bool
    off_because: str  # the setting that switches the connector off; empty while it is on
    refreshes: bool
    refresh_interval_ms: int
    emit_interval_ms: int
    syncs_groups: bool
    sync_interval_ms: int
    reverse: bool

    @classmethod
    def of(cls, flow: DesiredFlow) -> "CheckpointSettings":
        """Raises SettingError and InvalidPatternError."""
        own = flow.connectors.checkpoint
        off = _off_because(flow)
        return cls(
            groups=NameFilter.of(flow.groups.allow, flow.groups.deny),
            topics=NameFilter.of(flow.topics.allow, flow.topics.deny),
            is_on=not off,
            off_because=off,
            refreshes=REFRESH_GROUPS.read(own),
            refresh_interval_ms=REFRESH_GROUPS_INTERVAL.read(own) * _MS,
            emit_interval_ms=EMIT_CHECKPOINTS_INTERVAL.read(own) * _MS,
            syncs_groups=SYNC_GROUP_OFFSETS.read(own),
            sync_interval_ms=SYNC_GROUP_OFFSETS_INTERVAL.read(own) * _MS,
            reverse=REVERSE_CHECKPOINTING.read(own),
        )

    @property
    def effective_sync_interval_ms(self) -> int:
        """Offsets are set as often as they are translated, at most."""
        return max(self.sync_interval_ms, self.emit_interval_ms)


def _off_because(flow: DesiredFlow) -> str:
    if not EMIT_CHECKPOINTS.read(flow.connectors.checkpoint):
        return f"{EMIT_CHECKPOINTS}=false"
    return "" if OFFSET_SYNCS.read(flow.connectors.source) else f"{OFFSET_SYNCS}=false"
