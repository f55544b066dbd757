"""The configs that a remote topic takes over by MirrorSourceConnector's rules, and the change that applies them."""

import pytest

from replication.domain.names.filters import NameFilter
from replication.domain.plan.topic_config import (
    EXCLUDED_CONFIGS,
    ConfigChange,
    ConfigRules,
    ConfigSource,
    ConfigValue,
    configs_to_copy,
    diff_configs,
)

RULES = ConfigRules(excluded=NameFilter.of(EXCLUDED_CONFIGS))


def config(name: str, value: str | None, source: ConfigSource = "topic", **flags: bool) -> ConfigValue:
    return ConfigValue(name=name, value=value, source=source, **flags)


CONFIGS = [
    config("retention.ms", "5"),
    config("compression.type", "lz4", "dynamic_default_broker"),
    config("max.message.bytes", "7", "dynamic_broker"),
    config("segment.bytes", "1", "default"),
    config("flush.ms", "1", "static_broker"),
    config("min.insync.replicas", "2"),
    config("message.timestamp.type", "LogAppendTime"),
    config("unclean.leader.election.enable", "true"),
    config("follower.replication.throttled.replicas", "*"),
    config("secret", None, sensitive=True),
    config("fixed", "1", read_only=True),
]


def test_only_what_somebody_chose_is_carried_over() -> None:
    assert configs_to_copy(CONFIGS, RULES) == {"retention.ms": "5", "compression.type": "lz4", "max.message.bytes": "7"}


def test_the_sources_defaults_are_pinned_when_asked_for_but_not_the_brokers_file() -> None:
    rules = ConfigRules(excluded=NameFilter.of(EXCLUDED_CONFIGS), defaults_from_source=True)

    copied = configs_to_copy(CONFIGS, rules)

    assert copied["segment.bytes"] == "1"
    assert "flush.ms" not in copied


def test_excluded_keys_are_full_matches_of_java_patterns() -> None:
    rules = ConfigRules(excluded=NameFilter.of([r"retention\..*", "max"]))

    assert set(configs_to_copy(CONFIGS, rules)) >= {"max.message.bytes", "min.insync.replicas"}
    assert "retention.ms" not in configs_to_copy(CONFIGS, rules)


@pytest.mark.parametrize(
    ("wanted", "actual", "owned", "change"),
    [
        pytest.param({"a": "1"}, [config("a", "1")], {}, None, id="equal"),
        pytest.param({}, [config("a", "1")], {}, None, id="an override of the target's owner stays"),
        pytest.param({"a": "2"}, [config("a", "1")], {}, ({"a": "2"}, ()), id="another value"),
        pytest.param({"a": "1"}, [config("a", "1", "default")], {}, ({"a": "1"}, ()), id="equal by default only"),
        pytest.param({}, [config("a", "1")], {"a": "1"}, ({}, ("a",)), id="ours and not wanted any more"),
        pytest.param({}, [config("a", "9")], {"a": "1"}, None, id="ours once, changed by somebody since"),
        pytest.param({}, [], {"a": "1"}, None, id="ours once, gone already"),
        pytest.param({"b": "1"}, [config("a", "1")], {"a": "1"}, ({"b": "1"}, ("a",)), id="both at once"),
    ],
)
def test_the_change_touches_only_what_differs_and_is_ours(
    wanted: dict[str, str],
    actual: list[ConfigValue],
    owned: dict[str, str],
    change: tuple[dict[str, str], tuple[str, ...]] | None,
) -> None:
    expected = None if change is None else ConfigChange(topic="t", set=change[0], delete=change[1])

    assert diff_configs("t", wanted, {each.name: each for each in actual}, owned) == expected
