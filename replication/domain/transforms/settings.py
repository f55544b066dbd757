"""Transforms as Kafka Connect spells them: `transforms=a,b`, `transforms.a.type=...`, `transforms.a.<option>=...`."""

from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.settings.registry.records import TRANSFORMS
from replication.domain.transforms.contract import TransformSettingsError

PREFIX = f"{TRANSFORMS}."
TYPE = "type"
TOPICS = "topics"  # on every transform: a pattern of the upstream topics it is meant for


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformSettings:
    """One transform of a flow, in the order it is applied in."""

    name: str
    type: str
    topics: str | None = None
    options: tuple[tuple[str, str], ...] = ()


def read_transforms(settings: Mapping[str, str]) -> tuple[TransformSettings, ...]:
    """Raises TransformSettingsError that names the setting."""
    names = TRANSFORMS.read(settings)
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise TransformSettingsError(f"{TRANSFORMS}: {repeated!r} is named twice; give each transform its own name")
    _reject_unknown(settings, names)
    return tuple(_read(settings, name) for name in names)


def _read(settings: Mapping[str, str], name: str) -> TransformSettings:
    prefix = f"{PREFIX}{name}."
    own = {key.removeprefix(prefix): value for key, value in settings.items() if key.startswith(prefix)}
    kind = own.pop(TYPE, "").strip()
    if not kind:
        raise TransformSettingsError(f"{prefix}{TYPE} is missing: say what the transform {name!r} does")
    if "predicate" in own:
        raise TransformSettingsError(
            f"{prefix}predicate: predicates are not supported; {prefix}{TOPICS}=<pattern> limits it to some topics"
        )
    return TransformSettings(name=name, type=kind, topics=own.pop(TOPICS, None), options=tuple(sorted(own.items())))


def _reject_unknown(settings: Mapping[str, str], names: tuple[str, ...]) -> None:
    for key in sorted(settings):
        if key.startswith(PREFIX) and key.removeprefix(PREFIX).partition(".")[0] not in names:
            raise TransformSettingsError(f"{key} belongs to no transform: add it to {TRANSFORMS} or remove the setting")
