"""The place of a full key: its level and aliases follow from the aliases of the system and the dialect's prefixes."""

from collections.abc import Sequence

from replication.config.tree.properties import PropertyPlace

WORKERS, CONNECTORS = "workers.", "connectors."


def place_of(key: str, *, aliases: Sequence[str], has_levels: bool) -> PropertyPlace:
    """Return the place of a key; one that names an unknown cluster or flow is on the global level as it is written.

    `has_levels`: the dialect knows `workers.` and `connectors.`.
    """
    flow = _flow_of(key, aliases)
    if flow is not None:
        source, target = flow
        return PropertyPlace(level="flow", source=source, target=target, name=key[len(f"{source}->{target}.") :])
    alias = alias_of(key, aliases)
    if alias is not None and "->" not in key:
        return PropertyPlace(level="cluster", alias=alias, name=key[len(alias) + 1 :])
    if has_levels and key.startswith(WORKERS):
        return PropertyPlace(level="workers", name=key.removeprefix(WORKERS))
    if has_levels and key.startswith(CONNECTORS):
        return PropertyPlace(level="connectors", name=key.removeprefix(CONNECTORS))
    return PropertyPlace(level="global", name=key)


def alias_of(key: str, aliases: Sequence[str]) -> str | None:
    """Return the longest alias that the key begins with."""
    matching = [alias for alias in aliases if alias and key.startswith(f"{alias}.")]
    return max(matching, key=len) if matching else None


def _flow_of(key: str, aliases: Sequence[str]) -> tuple[str, str] | None:
    """Return the two aliases that the key begins with; an alias may hold `.` and `-`, so the longest ones count."""
    for source in sorted(aliases, key=len, reverse=True):
        if key.startswith(f"{source}->"):
            target = alias_of(key[len(source) + 2 :], aliases)
            return None if target is None or target == source else (source, target)
    return None
