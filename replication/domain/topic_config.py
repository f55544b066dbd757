"""Which configs of an upstream topic its new remote topic takes over."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from replication.domain.filters import NameFilter

ConfigSource = Literal["topic", "dynamic_broker", "dynamic_default_broker", "static_broker", "default", "unknown"]

# MirrorMaker's DefaultConfigPropertyFilter
EXCLUDED_CONFIGS = (
    r"follower\.replication\.throttled\.replicas",
    r"leader\.replication\.throttled\.replicas",
    r"message\.timestamp\.difference\.max\.ms",
    r"message\.timestamp\.type",
    r"unclean\.leader\.election\.enable",
    r"min\.insync\.replicas",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigValue:
    """One config entry of a topic and where its value comes from."""

    name: str
    value: str | None
    source: ConfigSource
    read_only: bool = False
    sensitive: bool = False


def configs_to_copy(configs: Iterable[ConfigValue], excluded: NameFilter) -> dict[str, str]:
    """MirrorSourceConnector.targetConfig at creation: what somebody chose, but neither defaults nor broker files."""
    copied: dict[str, str] = {}
    for config in configs:
        is_choice = config.source not in ("default", "static_broker", "unknown")
        is_copyable = not config.read_only and not config.sensitive and not excluded.accepts(config.name)
        if is_choice and is_copyable and config.value is not None:
            copied[config.name] = config.value
    return copied
