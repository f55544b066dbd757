"""Which topics are copied, and what must be created for them."""

from hypothesis import given
from hypothesis import strategies as st

from replication.domain.filters import NameFilter
from replication.domain.naming import DefaultPolicy
from replication.domain.topic_config import EXCLUDED_CONFIGS, ConfigValue, configs_to_copy
from replication.domain.topic_plan import (
    AddPartitions,
    CreateTopic,
    TopicRules,
    TopicStep,
    WantedTopic,
    diff_topics,
    select_topics,
)

RULES = TopicRules(source="a", target="b", policy=DefaultPolicy(), topics=NameFilter.of([".*"]))
COUNTS = st.dictionaries(st.text(alphabet="abc.", min_size=1, max_size=6), st.integers(1, 5), max_size=8)


def after(steps: tuple[TopicStep, ...], actual: dict[str, int]) -> dict[str, int]:
    result = dict(actual)
    for step in steps:
        if isinstance(step, CreateTopic):
            result[step.topic.remote] = step.topic.partitions
        else:
            result[step.remote] = step.count
    return result


@given(COUNTS, COUNTS)
def test_a_plan_applied_is_empty_the_second_time(source: dict[str, int], target: dict[str, int]) -> None:
    wanted = select_topics(RULES, source).wanted
    steps = diff_topics(wanted, target)

    assert diff_topics(wanted, after(steps, target)) == ()


@given(COUNTS, COUNTS)
def test_nothing_is_ever_shrunk_or_removed(source: dict[str, int], target: dict[str, int]) -> None:
    result = after(diff_topics(select_topics(RULES, source).wanted, target), target)

    assert all(result[name] >= count for name, count in target.items())


def test_missing_topics_are_created_and_narrow_ones_grow() -> None:
    wanted = select_topics(RULES, {"new": 3, "narrow": 4, "fine": 1}).wanted

    steps = diff_topics(wanted, {"a.narrow": 2, "a.fine": 5})

    assert steps == (
        AddPartitions(remote="a.narrow", count=4),
        CreateTopic(topic=WantedTopic(upstream="new", remote="a.new", partitions=3)),
    )


def test_internal_topics_and_cycles_are_left_out_whatever_the_filter_says() -> None:
    source = {"t": 1, "b.t": 1, "c.b.t": 1, "__consumer_offsets": 50, "mm2-offsets.x.internal": 25, "c.t": 1}

    assert [topic.upstream for topic in select_topics(RULES, source).wanted] == ["c.t", "t"]


def test_heartbeats_pass_a_filter_that_does_not_allow_them() -> None:
    rules = TopicRules(source="a", target="b", policy=DefaultPolicy(), topics=NameFilter.of(["orders"]))
    source = {"heartbeats": 1, "c.heartbeats": 1, "orders": 1, "other": 1}

    assert [topic.upstream for topic in select_topics(rules, source).wanted] == ["c.heartbeats", "heartbeats", "orders"]


def test_heartbeats_can_be_left_out() -> None:
    rules = TopicRules(
        source="a", target="b", policy=DefaultPolicy(), topics=NameFilter.of(["orders"]), heartbeats=False
    )

    assert select_topics(rules, {"heartbeats": 1}).wanted == ()


def test_a_remote_name_above_the_limit_is_skipped_with_the_reason() -> None:
    selection = select_topics(RULES, {"x" * 248: 1, "t": 1})

    assert [topic.upstream for topic in selection.wanted] == ["t"]
    assert "249" in selection.skipped[0].reason


def test_only_what_somebody_chose_is_copied_to_a_new_remote_topic() -> None:
    configs = [
        ConfigValue(name="retention.ms", value="5", source="topic"),
        ConfigValue(name="compression.type", value="lz4", source="dynamic_default_broker"),
        ConfigValue(name="segment.bytes", value="1", source="default"),
        ConfigValue(name="flush.ms", value="1", source="static_broker"),
        ConfigValue(name="min.insync.replicas", value="2", source="topic"),
        ConfigValue(name="message.timestamp.type", value="LogAppendTime", source="topic"),
        ConfigValue(name="secret", value=None, source="topic", sensitive=True),
        ConfigValue(name="fixed", value="1", source="topic", read_only=True),
    ]

    copied = configs_to_copy(configs, NameFilter.of(EXCLUDED_CONFIGS))

    assert copied == {"retention.ms": "5", "compression.type": "lz4"}
