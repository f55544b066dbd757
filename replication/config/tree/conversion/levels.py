"""Levels that one dialect of properties lacks: `workers.` and `connectors.` in mm2, most global keys in srm."""

from collections.abc import Sequence

from replication.config.files.levels import works_without_prefix
from replication.config.settings.global_keys import GLOBAL_WORKER_FAMILIES
from replication.config.settings.prefixes import CLIENT_PREFIXES, find_key
from replication.config.tree.conversion.draft import Draft
from replication.config.tree.properties import PropertyPlace, TreeLevel, TreeProperty
from replication.domain.settings.registry.records import TRANSFORMS

_WORKER = "worker."
_OVERRIDE = "producer.override."
# the prefix below a cluster that reaches the clients a prefix of connectors means
_BELOW_CLUSTERS = {
    "source.consumer.": "consumer.",
    "consumer.": "consumer.",
    "admin.": "admin.",
    "producer.": "producer.",
}


def without_levels(draft: Draft, aliases: Sequence[str], *, had_levels: bool) -> None:
    """Fold `workers.`, `connectors.` and `.worker.` into what MirrorMaker can express."""
    for prop in draft.before.values():
        place = prop.place
        if place.level == "workers":
            _fold(draft, prop, _worker_places(place.name, aliases))
        elif place.level == "connectors":
            _fold(draft, prop, _connector_places(place.name, aliases))
        elif place.level == "flow" and had_levels and place.name.startswith(_WORKER):
            name = place.name.removeprefix(_WORKER)
            draft.warn(prop, "MirrorMaker ignores keys of workers on a flow")
            moved = PropertyPlace(level="flow", source=place.source, target=place.target, name=name)
            draft.move(prop, moved, note="is written as")
        elif place.level == "global" and had_levels and not works_without_prefix(place.name):
            draft.drop(prop, "it has no effect in srm.properties and would have one in mm2.properties")
        elif place.level == "global" and _is_beaten(draft, place.name):
            draft.note(prop, "is not written: the value of workers. or connectors. beats it on every flow")
        else:
            draft.keep(prop)


def with_levels(draft: Draft) -> None:
    """Give global keys the prefix without which they have no effect."""
    for prop in draft.before.values():
        name = prop.place.name
        level = _level_of(name) if prop.place.level == "global" else "global"
        if level == "global":
            draft.keep(prop)
        else:
            draft.move(prop, PropertyPlace(level=level, name=name), note="is written as")


def _level_of(name: str) -> TreeLevel:
    """Return the level on which a dialect with levels reads a global key of one without."""
    setting = find_key(name)
    if works_without_prefix(name) or (setting is not None and setting.role == "manager"):
        return "global"
    if setting is None:
        return "connectors" if name.startswith((f"{TRANSFORMS}.", _OVERRIDE)) else "global"
    return "workers" if setting.role == "worker" else "connectors"


def _fold(draft: Draft, prop: TreeProperty, places: Sequence[PropertyPlace]) -> None:
    """Move a property; a global value of the same name loses, because the level is stronger."""
    if places and places[0].level == "global":
        draft.put(prop, *places, note="is written as")
    else:
        draft.move(prop, *places, note="is written as")


def _is_beaten(draft: Draft, name: str) -> bool:
    is_family = any(name == family or name.startswith(f"{family}.") for family in GLOBAL_WORKER_FAMILIES)
    levels = [PropertyPlace(level="connectors", name=name)]
    if is_family:
        levels.append(PropertyPlace(level="workers", name=name))
    return any(place in draft.before for place in levels)


def _worker_places(name: str, aliases: Sequence[str]) -> list[PropertyPlace]:
    """MirrorMaker reads some families of worker keys without prefix, the others below each target."""
    if any(name == family or name.startswith(f"{family}.") for family in GLOBAL_WORKER_FAMILIES):
        return [PropertyPlace(level="global", name=name)]
    return [PropertyPlace(level="cluster", alias=alias, name=name) for alias in aliases]


def _connector_places(name: str, aliases: Sequence[str]) -> list[PropertyPlace]:
    prefix = next((each for each in CLIENT_PREFIXES if name.startswith(each)), "")
    if find_key(name) is not None or prefix not in _BELOW_CLUSTERS:
        return [PropertyPlace(level="global", name=name)]
    below = _BELOW_CLUSTERS[prefix] + name.removeprefix(prefix)
    return [PropertyPlace(level="cluster", alias=alias, name=below) for alias in aliases]
