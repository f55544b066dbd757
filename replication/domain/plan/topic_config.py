"""Selects the configs that a remote topic takes over from its upstream topic, and the changes this needs.

The rules are MirrorSourceConnector.targetConfig's. One thing is done otherwise: MirrorMaker deletes every override of
the remote topic whose key is a default at the source; here only what was set by us is ever taken away again.
"""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from replication.domain.names.filters import NameFilter

ConfigSource = Literal["topic", "dynamic_broker", "dynamic_default_broker", "static_broker", "default", "unknown"]

_SOURCES: Mapping[int, ConfigSource] = {  # of Kafka's protocol
    1: "topic",
    2: "dynamic_broker",
    3: "dynamic_default_broker",
    4: "static_broker",
    5: "default",
}

# MirrorMaker's DefaultConfigPropertyFilter
EXCLUDED_CONFIGS = (
    r"follower\.replication\.throttled\.replicas",
    r"leader\.replication\.throttled\.replicas",
    r"message\.timestamp\.difference\.max\.ms",
    r"message\.timestamp\.type",
    r"unclean\.leader\.election\.enable",
    r"min\.insync\.replicas",
)


def config_source(number: int) -> ConfigSource:
    """Return the source that a broker gives as a number."""
    return _SOURCES.get(number, "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigValue:
    """One config entry of a topic and where its value comes from."""

    name: str
    value: str | None
    source: ConfigSource
    read_only: bool = False
    sensitive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigRules:
    """`excluded` are the keys left alone; `defaults_from_source` pins the source's defaults (`use.defaults.from`)."""

    excluded: NameFilter
    defaults_from_source: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange:
    """The configs to alter on one remote topic; all others stay as they are."""

    topic: str
    set: Mapping[str, str]
    delete: tuple[str, ...] = ()


def configs_to_copy(configs: Iterable[ConfigValue], rules: ConfigRules) -> dict[str, str]:
    """Return the configs set on the source topic, without those of the broker's file and (by default) defaults."""
    copied: dict[str, str] = {}
    for config in configs:
        is_default = config.source == "default"
        is_choice = config.source not in ("default", "static_broker", "unknown")
        is_wanted = is_choice or (is_default and rules.defaults_from_source)
        is_copyable = not config.read_only and not config.sensitive and not rules.excluded.accepts(config.name)
        if is_wanted and is_copyable and config.value is not None:
            copied[config.name] = config.value
    return copied


def diff_configs(
    topic: str, wanted: Mapping[str, str], actual: Mapping[str, ConfigValue], owned: Mapping[str, str]
) -> ConfigChange | None:
    """Return the change that brings the remote topic to `wanted`; None when there is nothing to change.

    `owned` is what we set at the last run: a key in it that is no longer wanted is deleted if it still has our value.
    """
    own_values = {name: config.value for name, config in actual.items() if config.source == "topic"}
    to_set = {name: value for name, value in wanted.items() if own_values.get(name) != value}
    to_delete = tuple(
        name for name, value in sorted(owned.items()) if name not in wanted and own_values.get(name) == value
    )
    if not to_set and not to_delete:
        return None
    return ConfigChange(topic=topic, set=to_set, delete=to_delete)


def alter_command(bootstrap: str, change: ConfigChange) -> str:
    """Return the `kafka-configs` call that sets these configs."""
    words = ["kafka-configs", "--bootstrap-server", bootstrap, "--alter", "--entity-type", "topics"]
    configs = ",".join(f"{key}={value}" for key, value in change.set.items())
    return shlex.join([*words, "--entity-name", change.topic, "--add-config", configs])


def delete_command(bootstrap: str, topic: str) -> str:
    """Return the `kafka-topics` call that deletes a topic."""
    return shlex.join(["kafka-topics", "--bootstrap-server", bootstrap, "--delete", "--topic", topic])
