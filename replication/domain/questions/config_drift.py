"""Config drift: configs in which a remote topic differs from its upstream topic, and what sets them again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from replication.domain.plan.topic_config import ConfigChange, ConfigRules, ConfigValue, configs_to_copy
from replication.domain.settings.registry.topic_filters import CONFIG_PROPERTIES_EXCLUDE

_CHOSEN = ("topic", "dynamic_broker", "dynamic_default_broker")
Configs = Mapping[str, ConfigValue]
SetAgainState = Literal["set", "refused", "unchanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftedConfig:
    """A config of both sides. `is_synced`: the flow sets it when it checks the topic next.

    `is_drift` is False only if equal ones were asked for too: for these, and where only defaults of the brokers differ.
    """

    topic: str  # upstream
    remote: str
    key: str
    source_value: str | None
    target_value: str | None
    is_synced: bool
    reason: str | None  # why the flow does not set it
    is_drift: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDrift:
    """The first configs that differ, by topic and key; `counts` has the number of all."""

    source: str
    target: str
    items: tuple[DriftedConfig, ...]
    unread: tuple[str, ...] = ()  # topics whose configs we may not read on one side
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAgainResult:
    """The effect on the chosen configs of one topic."""

    topic: str
    remote: str | None
    state: SetAgainState
    keys: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAgain:
    """One result per chosen topic."""

    source: str
    target: str
    items: tuple[SetAgainResult, ...]


def drifted(topic: str, remote: str, upstream: Configs, actual: Configs, rules: ConfigRules) -> list[DriftedConfig]:
    """Return the configs of a pair of topics that differ and that one side has chosen; rules are the flow's."""
    return [each for each in compared(topic, remote, upstream, actual, rules) if each.is_drift]


def compared(topic: str, remote: str, upstream: Configs, actual: Configs, rules: ConfigRules) -> list[DriftedConfig]:
    """Return all configs of a pair of topics but sensitive ones; rules are the flow's."""
    wanted = configs_to_copy(upstream.values(), rules)
    found: list[DriftedConfig] = []
    for key in sorted({*upstream, *actual}):
        mine, theirs = upstream.get(key), actual.get(key)
        is_own = theirs is not None and theirs.source == "topic"
        own = theirs.value if theirs is not None and is_own else None
        is_synced = key in wanted and own != wanted[key]
        is_chosen = (mine is not None and mine.source in _CHOSEN) or is_own
        differs = _value(mine) != _value(theirs)
        if any(config is not None and config.sensitive for config in (mine, theirs)):
            continue
        is_drift = is_synced or (is_chosen and differs)
        found.append(
            DriftedConfig(
                topic=topic,
                remote=remote,
                key=key,
                source_value=_value(mine),
                target_value=_value(theirs),
                is_synced=is_synced,
                reason=None if is_synced or not is_drift else _reason(key, mine, rules),
                is_drift=is_drift,
            )
        )
    return found


def change_again(remote: str, drift: Iterable[DriftedConfig], keys: frozenset[str]) -> ConfigChange | None:
    """Return the change that sets the chosen keys (all without a choice) that the flow sets; None without any."""
    chosen = {
        each.key: each.source_value
        for each in drift
        if each.is_synced and each.source_value is not None and (not keys or each.key in keys)
    }
    return ConfigChange(topic=remote, set=chosen) if chosen else None


def _reason(key: str, mine: ConfigValue | None, rules: ConfigRules) -> str:
    if rules.excluded.accepts(key):
        return f"{CONFIG_PROPERTIES_EXCLUDE} matches it"
    if mine is None or mine.source not in _CHOSEN:
        return "it is set on the remote topic only"
    return "it is read-only" if mine.read_only else "the flow does not copy it"


def _value(config: ConfigValue | None) -> str | None:
    return None if config is None else config.value
