"""The rules of SRM, of Kafka up to 3.9 and of Kafka 4 for topics that are never replicated."""

import pytest

from replication.domain.names.internal_topic_filter import InternalTopicFilter, InternalTopicRule

OLD: tuple[InternalTopicRule, ...] = ("srm", "kafka3")


@pytest.mark.parametrize(
    ("topic", "older", "newer"),
    [
        pytest.param("orders", False, False, id="a user's topic"),
        pytest.param("__consumer_offsets", True, True, id="the broker's own"),
        pytest.param(".hidden", True, True, id="a leading dot"),
        pytest.param("mm2-offsets.a.internal", True, True, id="MirrorMaker's positions"),
        pytest.param("a.checkpoints.internal", True, True, id="checkpoints"),
        pytest.param("srm-metrics.a.internal", True, True, id="ours, under any rule"),
        pytest.param("connect.configs.internal", True, False, id="somebody else's internal topic"),
        pytest.param("app-internal", True, False, id="a name that only sounds internal"),
        pytest.param("internal", False, False, id="the word alone"),
        pytest.param("mm2.internal.x", False, False, id="internal in the middle"),
    ],
)
def test_each_rule_draws_the_line_where_its_release_did(topic: str, older: bool, newer: bool) -> None:
    assert [InternalTopicFilter(rule=rule).matches(topic) for rule in OLD] == [older, older]
    assert InternalTopicFilter(rule="kafka4").matches(topic) is newer


def test_internal_names_follow_the_separator() -> None:
    topics = InternalTopicFilter(rule="kafka4", separator="__")

    assert topics.matches("mm2-offset-syncs__b__internal")
    assert topics.matches("a__checkpoints__internal")
    assert not topics.matches("mm2-offset-syncs.b.internal")
