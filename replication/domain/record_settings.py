"""What a flow wants of its batches and records, read from its settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from replication.domain.compression import CodecName, read_compression
from replication.domain.filters import split_list
from replication.domain.rebatching import RebatchingMode
from replication.domain.transforms.catalogue import check_built_in
from replication.domain.transforms.contract import TransformSettingsError
from replication.domain.transforms.settings import TransformSettings, read_transforms

LoopProtection = Literal["off", "producer_ids", "headers"]
LoopChoice = Literal["auto", "producer_ids", "headers", "off"]

COMPRESSION = "srm.compression"
PRODUCER_COMPRESSION = "producer.compression.type"  # MirrorMaker 2's way to say it
REBATCHING = "srm.rebatching"
LINGER = "srm.linger.ms"
LOOP_PROTECTION = "srm.loop.protection"
LOOP_ORIGINS = "srm.loop.origins"
SOURCE_OFFSET_HEADER = "copy.source.offset.in.header.enabled"
LONGEST_LINGER_MS = 1_000
ADAPTIVE = "adaptive"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSettings:
    """Defaults touch no record of a prefixed flow and merge only batches that are too small."""

    compression: CodecName | None = None  # None keeps each batch's own
    rebatching: RebatchingMode = "adaptive"
    linger_ms: float | None = None  # None chooses it by load
    source_offset_header: bool = False
    transforms: tuple[TransformSettings, ...] = ()
    loop_protection: LoopProtection = "off"
    loop_origins: tuple[str, ...] = ()  # clusters whose flows into the source are left out, besides the target


def read_record_settings(settings: Mapping[str, str], *, identity: bool) -> RecordSettings:
    """`identity`: the flow keeps topic names. Raises ValueError or TransformSettingsError that names the setting."""
    return RecordSettings(
        compression=_compression(settings),
        rebatching=read_rebatching(settings.get(REBATCHING, ADAPTIVE)),
        linger_ms=read_linger(settings.get(LINGER, ADAPTIVE)),
        source_offset_header=settings.get(SOURCE_OFFSET_HEADER, "false").strip().lower() == "true",
        transforms=read_transforms(settings),
        loop_protection=_loop_protection(read_loop_choice(settings.get(LOOP_PROTECTION, "auto")), identity=identity),
        loop_origins=split_list(settings.get(LOOP_ORIGINS, "")),
    )


def _compression(settings: Mapping[str, str]) -> CodecName | None:
    """Ours first; a producer setting of MirrorMaker's counts only where somebody wrote it down."""
    for name in (COMPRESSION, PRODUCER_COMPRESSION):
        text = settings.get(name)
        if text is not None:
            try:
                return read_compression(text.strip())
            except ValueError as error:
                raise ValueError(f"{name}: {error}; correct it in the flow's settings") from error
    return None


def read_rebatching(text: str) -> RebatchingMode:
    """Raises ValueError with the choices."""
    for mode in get_args(RebatchingMode):
        if text.strip() == mode:
            return mode  # type: ignore[no-any-return] # a member of the literal
    raise ValueError(f"{REBATCHING} must be one of {', '.join(get_args(RebatchingMode))}, not {text!r}")


def read_linger(text: str) -> float | None:
    """Milliseconds, or None for adaptive. Raises ValueError."""
    if text.strip() == ADAPTIVE:
        return None
    try:
        linger_ms = float(text)
    except ValueError:
        linger_ms = -1.0
    if not 0 <= linger_ms <= LONGEST_LINGER_MS:
        raise ValueError(f"{LINGER} must be {ADAPTIVE} or a number from 0 to {LONGEST_LINGER_MS}, not {text!r}")
    return linger_ms


def read_loop_choice(text: str) -> LoopChoice:
    """Raises ValueError with the choices."""
    for choice in get_args(LoopChoice):
        if text.strip() == choice:
            return choice  # type: ignore[no-any-return] # a member of the literal
    raise ValueError(f"{LOOP_PROTECTION} must be one of {', '.join(get_args(LoopChoice))}, not {text!r}")


def _loop_protection(choice: LoopChoice, *, identity: bool) -> LoopProtection:
    """Prefixed copies are told by their names; only copies that keep their names need another sign."""
    if choice == "auto":
        return "producer_ids" if identity else "off"
    return choice


def check_transforms(settings: Mapping[str, str]) -> tuple[str, str] | None:
    """What is wrong with the transforms as far as it shows without plug-ins: (key, text), or None."""
    try:
        for transform in read_transforms(settings):
            check_built_in(transform)
    except TransformSettingsError as error:
        key = next((name for name in sorted(settings, key=len, reverse=True) if error.text.startswith(name)), None)
        return key or "transforms", error.text
    return None
