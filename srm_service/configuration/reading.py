"""Reads a configuration file into a tree."""

from pathlib import Path

from replication.config import ConfigFinding, load
from replication.config.files.dialects import DIALECTS
from replication.config.files.java_properties import RawProperty, parse_properties
from replication.config.tree.properties import PropertyPlace, PropertyTree, TreeProperty
from replication.domain.names.filters import split_list
from replication.domain.settings.registry.flow import CLUSTERS


def read_file(path: Path, dialect: str) -> tuple[PropertyTree, tuple[ConfigFinding, ...]]:
    """Return the file's tree, and its warnings and notes. Raises ConfigError with every error found."""
    config = load(path, dialect)
    raw = {each.key: each for each in parse_properties(path.read_text(encoding="utf-8"))}
    aliases = split_list(raw[CLUSTERS.key].value)
    properties = tuple(
        TreeProperty(place=_place(each, aliases, dialect), value=each.value, origin=f"{path.name}:{each.line}")
        for each in raw.values()
    )
    return PropertyTree(dialect=dialect, properties=properties), config.findings


def _place(raw: RawProperty, aliases: tuple[str, ...], dialect: str) -> PropertyPlace:
    key = raw.key
    for source in aliases:
        for target in aliases:
            if source != target and key.startswith(prefix := f"{source}->{target}."):
                return PropertyPlace(level="flow", source=source, target=target, name=key.removeprefix(prefix))
    for alias in sorted(aliases, key=len, reverse=True):
        if key.startswith(f"{alias}."):
            return PropertyPlace(level="cluster", alias=alias, name=key.removeprefix(f"{alias}."))
    if DIALECTS[dialect].levels:
        if key.startswith("workers."):
            return PropertyPlace(level="workers", name=key.removeprefix("workers."))
        if key.startswith("connectors."):
            return PropertyPlace(level="connectors", name=key.removeprefix("connectors."))
    return PropertyPlace(level="global", name=key)
