"""Replication policies, with Java's edge cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.domain.errors import InvalidPolicyError
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import offset_syncs_topic
from replication.domain.names.replication_policy import (
    DefaultPolicy,
    IdentityPolicy,
    PolicyKind,
    TemplatePolicy,
    is_cycle,
    is_heartbeats_topic,
    original_topic,
    policy_for,
)
from replication.domain.names.topic_name import is_legal_topic_name

NAMES = st.text(alphabet="abcdefgh.-_0", min_size=1, max_size=30)
ALIASES = st.text(alphabet="abcdefgh-0", min_size=1, max_size=10)


@pytest.mark.parametrize(
    ("topic", "source", "upstream"),
    [
        pytest.param("a.t", "a", "t", id="plain"),
        pytest.param("a.b.t", "a", "b.t", id="two hops"),
        pytest.param("t", None, None, id="no separator"),
        pytest.param("a.", None, None, id="empty strings at the end do not count"),
        pytest.param(".", None, None, id="separator only"),
        pytest.param("a..", None, None, id="separators at the end"),
        pytest.param(".t", "", "t", id="empty source"),
        pytest.param("a..b", "a", ".b", id="empty string in the middle"),
    ],
)
def test_the_default_policy_splits_names_as_java_does(topic: str, source: str | None, upstream: str | None) -> None:
    policy = DefaultPolicy()

    assert policy.topic_source(topic) == source
    assert policy.upstream_topic(topic) == upstream


@given(ALIASES, NAMES.filter(lambda name: name.strip(".") != ""))
def test_the_upstream_of_a_default_name_is_the_topic(source: str, topic: str) -> None:
    policy = DefaultPolicy()
    remote = policy.format_remote_topic(source, topic)

    assert policy.topic_source(remote) == source
    assert policy.upstream_topic(remote) == topic


@given(NAMES)
def test_the_identity_policy_keeps_every_name_but_heartbeats(topic: str) -> None:
    policy = IdentityPolicy("a")
    remote = policy.format_remote_topic("a", topic)

    assert remote == (f"a.{topic}" if topic.endswith("heartbeats") else topic)
    assert policy.upstream_topic(remote) == topic


@given(ALIASES, NAMES)
def test_the_upstream_of_a_template_name_is_the_topic(source: str, topic: str) -> None:
    policy = TemplatePolicy("{source}_{topic}.copy", source, "zz")
    if not topic.endswith("heartbeats"):
        assert policy.upstream_topic(policy.format_remote_topic(source, topic)) == topic


@pytest.mark.parametrize(
    "template", ["", "fixed", "{topic}{topic}", "{source}{source}{topic}", "a b{topic}", "{topic}"]
)
def test_a_template_that_cannot_name_topics_is_refused(template: str) -> None:
    with pytest.raises(InvalidPolicyError):
        policy_for("template", separator=".", template=template, source="a", target="b")


@pytest.mark.parametrize("separator", ["", " ", "/"])
def test_a_separator_that_topic_names_cannot_have_is_refused(separator: str) -> None:
    with pytest.raises(InvalidPolicyError):
        policy_for("default", separator=separator, template=None, source="a", target="b")


def test_a_topic_that_was_on_the_target_anywhere_on_its_way_is_a_cycle() -> None:
    policy = DefaultPolicy()

    assert is_cycle(policy, "b.t", "b")
    assert is_cycle(policy, "c.b.t", "b")
    assert not is_cycle(policy, "c.t", "b")
    assert not is_cycle(policy, "b", "b")


def test_the_template_policy_sees_the_cycle_of_a_name_with_the_targets_alias() -> None:
    policy = TemplatePolicy("{source}_{topic}", "a", "b")

    assert is_cycle(policy, "b_t", "b")
    assert not is_cycle(policy, "x_t", "b")


def test_heartbeats_are_recognised_after_any_number_of_hops() -> None:
    policy = DefaultPolicy()

    assert is_heartbeats_topic(policy, "heartbeats")
    assert is_heartbeats_topic(policy, "a.b.heartbeats")
    assert not is_heartbeats_topic(policy, "a.heartbeats2")
    assert original_topic(policy, "a.b.t") == "t"


def test_the_template_policy_follows_a_ring_of_clusters_it_was_told_of() -> None:
    """c->a in the ring a->b->c->a: the copy of the copy came from b, and before that from a."""
    blind = TemplatePolicy("{topic}-{source}", "c", "a")
    told = TemplatePolicy("{topic}-{source}", "c", "a", others=frozenset({"b"}))

    assert not is_cycle(blind, "x-a-b", "a")
    assert is_cycle(told, "x-a-b", "a")


def test_of_two_aliases_that_fit_a_template_the_longer_one_counts() -> None:
    policy = TemplatePolicy("{source}-{topic}", "us", "us-east")

    assert (policy.topic_source("us-east-t"), policy.upstream_topic("us-east-t")) == ("us-east", "t")


def test_names_above_kafkas_limit_are_not_legal() -> None:
    assert is_legal_topic_name("a" * 249)
    assert not is_legal_topic_name("a" * 250)
    assert not is_legal_topic_name("..")
    assert not is_legal_topic_name("a/b")


def test_the_offset_syncs_topic_is_named_after_the_cluster_that_does_not_hold_it() -> None:
    flow = FlowId("a", "b")
    assert offset_syncs_topic(flow, separator=".", on_target=False) == "mm2-offset-syncs.b.internal"
    assert offset_syncs_topic(flow, separator="__", on_target=True) == "mm2-offset-syncs__a__internal"


@pytest.mark.parametrize("kind", ["default", "template"])
def test_a_policy_that_can_make_no_legal_name_is_refused(kind: PolicyKind) -> None:
    with pytest.raises(InvalidPolicyError, match="at most 249"):
        policy_for(kind, separator="-" * 248, template="x" * 249 + "{topic}", source="east", target="west")
    with pytest.raises(InvalidPolicyError, match="at most 249"):
        policy_for(kind, separator=".", template="{source}.{topic}", source="e" * 249, target="west")


def test_a_policy_that_makes_a_legal_name_of_a_short_topic_is_accepted() -> None:
    policy = policy_for("template", separator=".", template="x" * 240 + "{topic}", source="east", target="west")

    assert is_legal_topic_name(policy.format_remote_topic("east", "short"))
