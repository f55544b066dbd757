"""The check of subscriptions against remote names."""

import pytest

from replication.domain.groups.consumer_group import GroupDescription
from replication.domain.groups.group_summary import Readiness
from replication.domain.groups.judgement.subscription import namesakes, subscription_causes
from replication.domain.groups.readiness import readiness_of

SOURCE_TOPICS = ("topic1", "b.topic1", "other")

# names and patterns of the subscription, the remote topic, topics of the source: readiness and number of causes
CASES: dict[str, tuple[set[str] | None, tuple[str, ...], str, tuple[str, ...], Readiness, int]] = {
    "a pattern for both names": (None, (".*topic1",), "a.topic1", SOURCE_TOPICS, "ready", 0),
    "a pattern for the name of the source": (None, ("topic1",), "a.topic1", SOURCE_TOPICS, "blocked", 1),
    "an unreadable pattern is not judged": (None, ("(?<x>topic1)\\1",), "a.topic1", SOURCE_TOPICS, "ready", 0),
    "the remote name itself": ({"topic1", "a.topic1"}, (), "a.topic1", SOURCE_TOPICS, "ready", 0),
    "a name, and a copy that a pattern would read": ({"topic1"}, (), "a.topic1", SOURCE_TOPICS, "blocked", 1),
    "names that a pattern may have given": ({"topic1", "b.topic1"}, (), "a.topic1", SOURCE_TOPICS, "ready", 1),
    "a name, and no other evidence": ({"topic1"}, (), "a.topic1", ("topic1",), "ready", 1),
    "identity names": ({"topic1"}, (), "topic1", SOURCE_TOPICS, "ready", 0),
    "a topic that is not subscribed any more": ({"other"}, (), "a.topic1", SOURCE_TOPICS, "ready", 0),
    "a pattern beside names": ({"other"}, (".*topic1",), "a.topic1", SOURCE_TOPICS, "ready", 0),
    "unknown": (None, (), "a.topic1", SOURCE_TOPICS, "ready", 0),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_subscription_is_compared_with_the_remote_name(
    case: tuple[set[str] | None, tuple[str, ...], str, tuple[str, ...], Readiness, int],
) -> None:
    names, patterns, remote, source_topics, readiness, count = case
    described = GroupDescription(
        name="g",
        type="consumer",
        state="active",
        members=1,
        topics=None if names is None else frozenset(names),
        patterns=patterns,
    )

    causes = subscription_causes(described, ["topic1"], {"topic1": remote}, namesakes(source_topics))

    assert readiness_of(causes) == readiness
    assert len(causes) == count
    assert all("a.topic1" in each.text and ".*topic1" in each.remedy for each in causes)


def test_without_members_nothing_is_known() -> None:
    described = GroupDescription(
        name="g", type="consumer", state="empty", members=0, topics=frozenset({"topic1"}), patterns=("topic1",)
    )

    assert subscription_causes(described, ["topic1"], {"topic1": "a.topic1"}, namesakes(SOURCE_TOPICS)) == ()
