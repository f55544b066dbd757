"""Patterns select topics, miss some by little, and say why others are not copied."""

import pytest

from replication.domain.names.filters import NameFilter
from replication.domain.names.replication_policy import DefaultPolicy
from replication.domain.plan.topic_plan import TopicRules, select_topics
from replication.domain.questions.near_misses import near_misses
from replication.domain.questions.topic_preview import TopicPreview, preview

TOPICS = {"orders": 3, "Orders": 1, "eu.orders": 2, "orders-v2": 1, "logs": 1, "west.logs": 1, "x.internal": 1}


def _preview(allow: list[str], deny: list[str] | None = None, *, most: int = 100) -> TopicPreview:
    rules = TopicRules(
        source="east", target="west", policy=DefaultPolicy(), topics=NameFilter.of(allow, deny or []), heartbeats=False
    )
    selection = select_topics(rules, TOPICS)
    copied_by = {"orders": ("north->west",)}
    return preview(rules, TOPICS, selection, replicated=["orders"], copied_by=copied_by, most=most)


def test_matches_name_their_remote_topic_and_who_copies_them_already() -> None:
    (match,) = _preview(["orders"]).matches

    assert (match.topic, match.remote, match.partitions) == ("orders", "east.orders", 3)
    assert match.is_replicated
    assert match.copied_by == ("north->west",)


def test_heartbeats_are_selected_as_the_plan_selects_them_and_no_pattern_denies_them() -> None:
    rules = TopicRules(
        source="east", target="west", policy=DefaultPolicy(), topics=NameFilter.of([".*"], ["heartbeats"])
    )
    topics = {"orders": 3, "heartbeats": 1}
    selection = select_topics(rules, topics)

    found = preview(rules, topics, selection, replicated=[], copied_by={}, most=100)

    assert {match.topic: match.is_heartbeats for match in found.matches} == {"heartbeats": True, "orders": False}
    assert (len(selection.wanted), found.counts["matches"], found.counts["heartbeat_topics"]) == (2, 2, 1)
    assert found.denied == ()


def test_near_misses_are_told_by_kind() -> None:
    misses = {each.name: each.kind for each in _preview(["orders"]).near_misses}

    assert misses == {"Orders": "case", "eu.orders": "prefix", "orders-v2": "part"}


def test_a_prefix_is_named() -> None:
    (miss,) = [each for each in _preview(["orders"]).near_misses if each.kind == "prefix"]

    assert miss.reason.endswith("what follows eu.")


def test_denied_topics_name_the_reason() -> None:
    denied = {each.topic: each.reason for each in _preview([".*"], ["log.*"]).denied}

    assert denied["logs"] == "the deny pattern log.* matches it"
    assert denied["west.logs"] == "it comes from west"
    assert denied["x.internal"] == "it is an internal topic"


def test_patterns_that_match_nothing_are_listed() -> None:
    assert _preview(["orders", "bills.*"]).unmatched_patterns == ("bills.*",)


def test_lists_are_bounded_and_counted() -> None:
    found = _preview([".*"], most=1)

    assert len(found.matches) == 1
    assert found.counts["matches"] == 5


@pytest.mark.parametrize("pattern", [".*", "a*", ""])
def test_a_pattern_that_is_in_every_name_misses_none(pattern: str) -> None:
    assert near_misses(NameFilter.of([pattern]).allow, ["orders"]) == ()
