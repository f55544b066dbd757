"""Progress on copies is translated back to the original topics, where a flow leads back to them."""

from dataclasses import replace

import pytest

from replication.domain.desired.desired_flow import NamePatterns
from replication.domain.groups.consumer_group import Commit
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.returned_topics import ReturnedTopics
from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from replication.domain.names.filters import NameFilter
from replication.domain.names.replication_policy import DefaultPolicy, IdentityPolicy
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.tasks.groups.group_round import RoundView
from replication.tasks.groups.topic_places import TopicPlaces

ID = bytes([7] * 16)
COPY, ORIGINAL = TopicPartition("us.orders", 2), TopicPartition("orders", 2)


def returned(
    *, topics: tuple[str, ...] = (), allow: tuple[str, ...] = (), deny: tuple[str, ...] = (), is_on: bool = True
) -> ReturnedTopics:
    """The flow eu->us, which leads back to topics of us."""
    return ReturnedTopics.of(
        DefaultPolicy(),
        "us",
        topics=NamePatterns(allow=topics),
        listed=NamePatterns(allow=allow, deny=deny),
        is_on=is_on,
    )


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        (returned(allow=("orders",)), "orders"),
        (returned(allow=("us.orders",)), "orders"),
        (returned(topics=(".*",)), "orders"),
        (returned(topics=("orders",)), None),
        (returned(), None),
        (returned(allow=(".*",), deny=("orders",)), None),
        (returned(topics=(".*",), deny=(r"us\.orders",)), None),
        (returned(allow=("orders",), is_on=False), None),
    ],
    ids=[
        "by original",
        "by copy",
        "by the flow",
        "another topic of the flow",
        "nothing",
        "denied",
        "denied copy",
        "off",
    ],
)
def test_lists_choose_the_copies_that_lead_back(topics: ReturnedTopics, expected: str | None) -> None:
    assert topics.original("us.orders") == expected
    assert topics.copy_of("orders") == (None if expected is None else "us.orders")


@pytest.mark.parametrize("topic", ["orders", "asia.orders", "us.heartbeats", "us."])
def test_other_topics_are_no_copies_of_the_target(topic: str) -> None:
    assert returned(allow=(".*",), topics=(".*",)).original(topic) is None


def test_names_that_stay_lead_nowhere() -> None:
    everything = NamePatterns(allow=(".*",))
    same = ReturnedTopics.of(IdentityPolicy("eu"), "us", topics=everything, listed=everything, is_on=True)

    assert same.original("orders") is None


@pytest.fixture
def view() -> RoundView:
    """A group on eu has read the copy of a topic of us up to some offset."""
    reverse = CopyAccount()
    reverse.add_segment(b"key", RunSegment("orders", 2, ID, (OffsetRun(100, 0, 50), OffsetRun(160, 51, 40))))
    places = TopicPlaces(
        topics={},
        remote_of={},
        upstream_of={},
        skipped={},
        accepted=NameFilter.of([]),
        returned=returned(allow=("orders",)),
    )
    return RoundView(
        places=places,
        account=CopyAccount(),
        source={COPY: LogRange(start=0, end=91)},
        remote={ORIGINAL: LogRange(start=90, end=300, topic_id=ID)},
        now_ms=5,
        reverse=reverse,
    )


def test_a_checkpoint_names_the_original_and_its_offset(view: RoundView) -> None:
    facts, written = view.evaluate("app", {COPY: Commit(61, "note")}, {})

    (checkpoint,) = written
    assert (checkpoint.remote, checkpoint.place.upstream, checkpoint.place.downstream) == (ORIGINAL, 61, 170)
    assert checkpoint.metadata == "note"
    assert facts[0].remote == ORIGINAL


def test_a_checkpoint_of_before_leads_to_the_copy(view: RoundView) -> None:
    assert view.places.upstream(ORIGINAL) == COPY
    assert view.places.upstream(TopicPartition("others", 0)) is None


def test_without_knowledge_of_the_copying_nothing_is_translated_back(view: RoundView) -> None:
    for blind in (
        replace(view, is_reverse_read=False),
        replace(view, reverse=CopyAccount()),
        replace(view, source={}),
        replace(view, remote={}),
    ):
        facts, written = blind.evaluate("app", {COPY: Commit(61)}, {})
        assert not written
        assert facts[0].translation is not None
        assert facts[0].translation.kind == "impossible"


def test_copies_that_lead_nowhere_are_not_judged(view: RoundView) -> None:
    """They came from the flow's own target, so that no copy of them is missing there."""
    places = replace(view.places, returned=returned(topics=(".*",), is_on=False))
    commits = {COPY: Commit(61), TopicPartition("payments", 0): Commit(5)}

    facts, _written = replace(view, places=places).evaluate("app", commits, {})

    assert [each.upstream.topic for each in facts] == ["payments"]
    assert not returned(topics=(".*",), is_on=False).accepts("us.orders")
    assert returned(topics=(".*",)).accepts("us.orders")
    assert returned(topics=(".*",), is_on=False).accepts("asia.orders")
