"""The topics that are copied, and the remote topics that must be created."""

from dataclasses import replace
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from replication.domain.names.filters import NameFilter
from replication.domain.names.internal_topic_filter import InternalTopicFilter
from replication.domain.names.replication_policy import DefaultPolicy, TemplatePolicy
from replication.domain.plan.topic_plan import (
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


def test_internal_topics_and_cycles_are_skipped_with_any_filter() -> None:
    source = {"t": 1, "b.t": 1, "c.b.t": 1, "__consumer_offsets": 50, "mm2-offsets.x.internal": 25, "c.t": 1}

    assert [topic.upstream for topic in select_topics(RULES, source).wanted] == ["c.t", "t"]


def test_heartbeats_pass_a_filter_that_does_not_allow_them() -> None:
    rules = TopicRules(source="a", target="b", policy=DefaultPolicy(), topics=NameFilter.of(["orders"]))
    source = {"heartbeats": 1, "c.heartbeats": 1, "orders": 1, "other": 1}

    assert [topic.upstream for topic in select_topics(rules, source).wanted] == ["c.heartbeats", "heartbeats", "orders"]


def test_heartbeats_can_be_skipped() -> None:
    rules = TopicRules(
        source="a", target="b", policy=DefaultPolicy(), topics=NameFilter.of(["orders"]), heartbeats=False
    )

    assert select_topics(rules, {"heartbeats": 1}).wanted == ()


def test_a_remote_name_above_the_limit_is_skipped_with_the_reason() -> None:
    selection = select_topics(RULES, {"x" * 248: 1, "t": 1})

    assert [topic.upstream for topic in selection.wanted] == ["t"]
    assert "249" in selection.skipped[0].reason


def test_two_topics_for_one_remote_name_are_told_and_the_first_is_copied() -> None:
    rules = TopicRules(
        source="a", target="b", policy=TemplatePolicy("x-{topic}", "a", "b"), topics=NameFilter.of([".*"])
    )
    clash = TopicRules(source="a", target="b", policy=_Same(), topics=NameFilter.of([".*"]))

    assert select_topics(rules, {"one": 1, "two": 1}).skipped == ()
    selection = select_topics(clash, {"one": 1, "two": 1})

    assert [topic.upstream for topic in selection.wanted] == ["one"]
    assert "already that of one" in selection.skipped[0].reason


class _Same:
    """A policy somebody wrote too quickly."""

    def format_remote_topic(self, source: str, topic: str) -> str:
        return "same"

    def topic_source(self, topic: str) -> str | None:
        return None

    def upstream_topic(self, topic: str) -> str | None:
        return None


def test_a_template_that_hides_its_source_never_copies_a_copy() -> None:
    rules = TopicRules(
        source="a", target="b", policy=TemplatePolicy("{topic}-copy", "a", "b"), topics=NameFilter.of([".*"])
    )

    selection = select_topics(rules, {"t": 1, "t-copy": 1})

    assert [topic.remote for topic in selection.wanted] == ["t-copy"]
    assert "{source}" in selection.skipped[0].reason


def test_heartbeats_that_went_in_a_cycle_are_reported_and_not_copied_on() -> None:
    """On a: another deployment calls the two clusters alab and blab."""
    source = {"heartbeats": 1, "blab.heartbeats": 1, "blab.a.heartbeats": 1, "blab.a.blab.heartbeats": 1}

    selection = select_topics(RULES, source)

    assert [topic.upstream for topic in selection.wanted] == ["blab.heartbeats", "heartbeats"]
    assert {trip.topic for trip in selection.round_trips} == {"blab.a.heartbeats", "blab.a.blab.heartbeats"}
    assert {alias for trip in selection.round_trips for alias in trip.foreign} == {"blab"}


def test_the_rule_for_internal_topics_is_the_flows() -> None:
    source = {"connect.configs.internal": 1, "mm2-offsets.x.internal": 25}
    newer = TopicRules(
        source="a",
        target="b",
        policy=DefaultPolicy(),
        topics=NameFilter.of([".*"]),
        internal=InternalTopicFilter(rule="kafka4"),
    )

    assert select_topics(RULES, source).wanted == ()
    assert [topic.upstream for topic in select_topics(newer, source).wanted] == ["connect.configs.internal"]


def test_heartbeats_are_copied_three_hops_far_so_that_cycles_of_clusters_do_not_multiply_them() -> None:
    source = {"heartbeats": 1, "c.heartbeats": 1, "d.c.heartbeats": 1, "e.d.c.heartbeats": 1, "e.d.c.orders": 1}

    assert [topic.remote for topic in select_topics(RULES, source).wanted] == [
        "a.c.heartbeats",
        "a.d.c.heartbeats",
        "a.e.d.c.orders",
        "a.heartbeats",
    ]
    further = replace(RULES, heartbeat_hops=4)
    assert "a.e.d.c.heartbeats" in [topic.remote for topic in select_topics(further, source).wanted]
    nearer = replace(RULES, heartbeat_hops=1)
    assert [topic.remote for topic in select_topics(nearer, source).wanted] == ["a.e.d.c.orders", "a.heartbeats"]


def test_ten_clusters_with_flows_between_all_have_a_bounded_number_of_heartbeats_topics() -> None:
    aliases = "abcdefghij"
    topics = {alias: {"heartbeats"} for alias in aliases}
    for _ in range(4):  # each planning may see topics that the one before created
        before = {alias: dict.fromkeys(names, 1) for alias, names in topics.items()}
        for source, target in permutations(aliases, 2):
            rules = replace(RULES, source=source, target=target, heartbeat_hops=2)
            topics[target] |= {topic.remote for topic in select_topics(rules, before[source]).wanted}

    assert {len(names) for names in topics.values()} == {1 + 9 + 9 * 8}
