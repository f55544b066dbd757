"""Configs of a remote topic that differ are told apart by whether the flow sets them."""

from replication.domain.names.filters import NameFilter
from replication.domain.plan.topic_config import EXCLUDED_CONFIGS, ConfigRules, ConfigSource, ConfigValue
from replication.domain.questions.config_drift import change_again, compared, drifted

RULES = ConfigRules(excluded=NameFilter.of(EXCLUDED_CONFIGS))


def _config(name: str, value: str, source: ConfigSource = "topic", *, sensitive: bool = False) -> ConfigValue:
    return ConfigValue(name=name, value=value, source=source, sensitive=sensitive)


def _configs(*values: ConfigValue) -> dict[str, ConfigValue]:
    return {each.name: each for each in values}


def test_a_config_that_the_flow_sets_is_synced_drift() -> None:
    upstream = _configs(_config("retention.ms", "1000"))
    actual = _configs(_config("retention.ms", "2000"))

    (row,) = drifted("a", "east.a", upstream, actual, RULES)

    assert (row.key, row.source_value, row.target_value, row.is_synced) == ("retention.ms", "1000", "2000", True)


def test_excluded_and_foreign_configs_differ_without_being_synced() -> None:
    upstream = _configs(_config("min.insync.replicas", "2"), _config("segment.bytes", "9", "default"))
    actual = _configs(_config("min.insync.replicas", "1", "default"), _config("segment.bytes", "5"))

    reasons = {each.key: each.reason for each in drifted("a", "east.a", upstream, actual, RULES)}

    assert reasons == {
        "min.insync.replicas": "config.properties.exclude matches it",
        "segment.bytes": "it is set on the remote topic only",
    }


def test_equal_values_and_other_defaults_are_no_drift() -> None:
    upstream = _configs(_config("retention.ms", "7", "topic"), _config("segment.ms", "1", "default"))
    actual = _configs(_config("retention.ms", "7", "topic"), _config("segment.ms", "2", "static_broker"))

    assert drifted("a", "east.a", upstream, actual, RULES) == []


def test_all_configs_are_compared_and_those_without_drift_are_marked() -> None:
    upstream = _configs(
        _config("retention.ms", "7"), _config("segment.ms", "1", "default"), _config("segment.bytes", "5")
    )
    actual = _configs(_config("retention.ms", "7"), _config("segment.ms", "2", "static_broker"))

    rows = {each.key: (each.is_drift, each.reason) for each in compared("a", "east.a", upstream, actual, RULES)}

    assert rows == {"retention.ms": (False, None), "segment.ms": (False, None), "segment.bytes": (True, None)}


def test_sensitive_values_are_never_shown() -> None:
    upstream, actual = _configs(_config("k", "1", sensitive=True)), _configs(_config("k", "2"))

    assert drifted("a", "east.a", upstream, actual, RULES) == []


def test_only_chosen_synced_keys_are_set_again() -> None:
    upstream = _configs(_config("retention.ms", "1"), _config("segment.ms", "1"), _config("min.insync.replicas", "2"))
    rows = drifted("a", "east.a", upstream, {}, RULES)

    one = change_again("east.a", rows, frozenset(["retention.ms", "min.insync.replicas"]))
    every = change_again("east.a", rows, frozenset())

    assert one is not None
    assert dict(one.set) == {"retention.ms": "1"}
    assert every is not None
    assert dict(every.set) == {"retention.ms": "1", "segment.ms": "1"}
    assert change_again("east.a", rows, frozenset(["min.insync.replicas"])) is None
