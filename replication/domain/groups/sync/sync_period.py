"""Finds the settings of checkpoints and group offset sync that are given in vain."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.settings.registry.consumer_groups import (
    EMIT_CHECKPOINTS_INTERVAL,
    REFRESH_GROUPS,
    REFRESH_GROUPS_INTERVAL,
    SYNC_GROUP_OFFSETS,
    SYNC_GROUP_OFFSETS_INTERVAL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UselessSetting:
    """A setting that is given and has no effect, with the reason."""

    key: str
    text: str


def useless_settings(settings: CheckpointSettings, given: Collection[str]) -> tuple[UselessSetting, ...]:
    """Return the settings that have no effect, of the keys that someone has given."""
    return tuple(UselessSetting(key=key, text=f"{key} {text}") for key, text in _useless(settings) if key in given)


def _useless(settings: CheckpointSettings) -> Iterator[tuple[str, str]]:
    emit, sync = EMIT_CHECKPOINTS_INTERVAL.key, SYNC_GROUP_OFFSETS_INTERVAL.key
    if not settings.is_on:
        why = f"has no effect: no group is translated because of {settings.off_because}"
        yield from ((key, why) for key in (emit, sync, REFRESH_GROUPS_INTERVAL.key))
        if settings.syncs_groups:
            yield SYNC_GROUP_OFFSETS.key, why
        return
    if not settings.refreshes:
        yield REFRESH_GROUPS_INTERVAL.key, f"has no effect: {REFRESH_GROUPS.key}=false"
    if not settings.syncs_groups:
        yield sync, f"has no effect: {SYNC_GROUP_OFFSETS.key}=false"
    elif settings.sync_interval_ms < settings.emit_interval_ms:
        shorter, longer = settings.sync_interval_ms / 1000, settings.emit_interval_ms / 1000
        remedy = f"offsets are set every {longer:g} s; shorten {emit}"
        yield sync, f"({shorter:g} s) is shorter than {emit} ({longer:g} s): {remedy}"
