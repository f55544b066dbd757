"""The places of properties that are named by their full keys, for change plans."""

from collections.abc import Collection
from typing import Any

from replication.config.tree.properties import TREE_LEVELS, PropertyPlace
from srm_cli.errors import UsageError

_PREFIXED = ("workers", "connectors")


def place_of(key: str, aliases: Collection[str]) -> PropertyPlace:
    """Return the place that a full key names, such as `us-east->us-west.tasks.max`. Raises UsageError."""
    source, arrow, rest = key.partition("->")
    if arrow:
        target = _alias_before(rest, aliases)
        if target is None or source not in aliases:
            raise UsageError(f"{key!r} names no known clusters; known are: {', '.join(sorted(aliases))}")
        return PropertyPlace(level="flow", name=rest.removeprefix(f"{target}."), source=source, target=target)
    for level in TREE_LEVELS:
        if level in _PREFIXED and key.startswith(f"{level}."):
            return PropertyPlace(level=level, name=key.removeprefix(f"{level}."))
    alias = _alias_before(key, aliases)
    if alias is not None:
        return PropertyPlace(level="cluster", name=key.removeprefix(f"{alias}."), alias=alias)
    return PropertyPlace(level="global", name=key)


def change_of(key: str, value: str | None, aliases: Collection[str]) -> dict[str, Any]:
    """Return a change of a property for a request; a value of None removes it. Raises UsageError."""
    place = place_of(key, aliases)
    return {
        "level": place.level,
        "name": place.name,
        "alias": place.alias,
        "source": place.source,
        "target": place.target,
        "value": value,
    }


def _alias_before(text: str, aliases: Collection[str]) -> str | None:
    """The longest alias that the text starts with."""
    found = [alias for alias in aliases if text.startswith(f"{alias}.")]
    return max(found, key=len, default=None)
