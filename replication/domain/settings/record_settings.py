"""The settings of a flow's batches and records."""

from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.batches.compression import CodecName
from replication.domain.batches.rebatching import RebatchingMode
from replication.domain.settings.choices import LoopChoice, LoopProtectionMode
from replication.domain.settings.registry.clients import PRODUCER_COMPRESSION
from replication.domain.settings.registry.records import (
    COMPRESSION,
    LINGER,
    LOOP_ORIGINS,
    LOOP_PROTECTION,
    MAX_UNPACKED_BYTES,
    REBATCHING,
    SOURCE_OFFSET_HEADER,
    TRANSFORMS_MAX_BYTES,
)
from replication.domain.transforms.catalogue import check_built_in
from replication.domain.transforms.contract import TransformSettingsError
from replication.domain.transforms.settings import TransformSettings, read_transforms


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSettings:
    """By default no record of a flow that renames topics is touched, and only batches that are too small are merged."""

    compression: CodecName | None = COMPRESSION.default  # None keeps each batch's own
    rebatching: RebatchingMode = REBATCHING.default
    linger_ms: float | None = LINGER.default  # None chooses it by load
    source_offset_header: bool = SOURCE_OFFSET_HEADER.default
    transforms: tuple[TransformSettings, ...] = ()
    transforms_max_bytes: int = TRANSFORMS_MAX_BYTES.default
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES.default
    loop_protection: LoopProtectionMode = "off"
    loop_origins: tuple[str, ...] = LOOP_ORIGINS.default  # clusters whose records are skipped, besides the target


def read_record_settings(settings: Mapping[str, str], *, identity: bool) -> RecordSettings:
    """Return the settings of a flow; `identity` says that it keeps topic names.

    Raises SettingError or TransformSettingsError, both of which are ValueErrors.
    """
    ours_or_theirs = COMPRESSION if COMPRESSION.key in settings else PRODUCER_COMPRESSION
    return RecordSettings(
        compression=ours_or_theirs.read(settings),
        rebatching=REBATCHING.read(settings),
        linger_ms=LINGER.read(settings),
        source_offset_header=SOURCE_OFFSET_HEADER.read(settings),
        transforms=read_transforms(settings),
        transforms_max_bytes=TRANSFORMS_MAX_BYTES.read(settings),
        max_unpacked_bytes=MAX_UNPACKED_BYTES.read(settings),
        loop_protection=_loop_protection(LOOP_PROTECTION.read(settings), identity=identity),
        loop_origins=LOOP_ORIGINS.read(settings),
    )


def _loop_protection(choice: LoopChoice, *, identity: bool) -> LoopProtectionMode:
    """Return what `auto` means: copies with a prefix are known by their names, others need another sign."""
    if choice == "auto":
        return "producer_ids" if identity else "off"
    return choice


def check_transforms(settings: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first error of the transforms as (key, text), or None. Transforms of plug-ins are not checked."""
    try:
        for transform in read_transforms(settings):
            check_built_in(transform)
    except TransformSettingsError as error:
        key = next((name for name in sorted(settings, key=len, reverse=True) if error.text.startswith(name)), None)
        return key or "transforms", error.text
    return None
