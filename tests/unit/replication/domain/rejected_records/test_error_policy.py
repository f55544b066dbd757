"""Kafka Connect's error settings and ours, as one policy."""

import pytest

from replication.domain.rejected_records.error_policy import read_error_handling
from replication.domain.settings.registry.all_settings import setting_errors
from replication.domain.settings.setting_error import SettingError


@pytest.mark.parametrize(
    ("settings", "policy", "topic"),
    [
        ({}, "stop_partition", "srm-dead-letters.east.internal"),
        ({"errors.tolerance": "none"}, "stop_partition", "srm-dead-letters.east.internal"),
        ({"errors.tolerance": "all"}, "skip", "srm-dead-letters.east.internal"),
        ({"errors.tolerance": "ALL"}, "skip", "srm-dead-letters.east.internal"),
        ({"errors.deadletterqueue.topic.name": "letters"}, "dead_letter", "letters"),
        ({"errors.tolerance": "all", "errors.deadletterqueue.topic.name": "letters"}, "dead_letter", "letters"),
        ({"srm.errors.policy": "dead_letter"}, "dead_letter", "srm-dead-letters.east.internal"),
        ({"srm.errors.policy": "stop_partition", "errors.tolerance": "all"}, "stop_partition", None),
        ({"srm.errors.policy": "skip", "errors.deadletterqueue.topic.name": "letters"}, "skip", "letters"),
    ],
)
def test_the_policy_is(settings: dict[str, str], policy: str, topic: str | None) -> None:
    handling = read_error_handling(settings, "east")

    assert handling.policy == policy
    assert topic in (None, handling.dead_letter_topic)


@pytest.mark.parametrize(
    ("settings", "timeout_ms", "delay_ms"),
    [
        ({}, None, 5_000),
        ({"errors.retry.timeout": "0"}, None, 5_000),
        ({"errors.retry.timeout": "-1"}, None, 5_000),
        ({"errors.retry.timeout": "30000", "errors.retry.delay.max.ms": "60000"}, 30_000, 60_000),
        ({"errors.retry.delay.max.ms": "1"}, None, 100),
    ],
)
def test_retries_are_bounded_where_it_is_said(settings: dict[str, str], timeout_ms: int | None, delay_ms: int) -> None:
    handling = read_error_handling(settings, "east")

    assert (handling.retry_timeout_ms, handling.retry_delay_max_ms) == (timeout_ms, delay_ms)


@pytest.mark.parametrize(
    "settings",
    [
        {"srm.errors.policy": "ignore"},
        {"errors.tolerance": "some"},
        {"errors.retry.timeout": "soon"},
        {"srm.errors.deadletters.unmasked": "1"},
    ],
)
def test_nonsense_is_refused_with_the_setting_named(settings: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        read_error_handling(settings, "east")


def test_letters_hold_what_transforms_hide_only_where_it_is_said() -> None:
    assert not read_error_handling({}, "east").unmasked_letters
    assert read_error_handling({"srm.errors.deadletters.unmasked": "True"}, "east").unmasked_letters


@pytest.mark.parametrize("name", ["dead letters", "a/b", ".", "..", "x" * 250, "${topic}-letters"])
def test_a_dead_letter_topic_that_kafka_refuses_is_refused_where_it_is_read(name: str) -> None:
    settings = {"errors.deadletterqueue.topic.name": name}

    with pytest.raises(SettingError, match="at most 249 letters"):
        read_error_handling(settings, "east")
    assert [error.key for error in setting_errors(settings)] == ["errors.deadletterqueue.topic.name"]
