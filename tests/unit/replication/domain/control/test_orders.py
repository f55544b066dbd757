"""Holds and resets: which ones count now."""

import pytest

from replication.domain.control.orders import Hold, Reset, hold_of, pending_resets, remembered
from replication.domain.identifiers import TopicPartition

ORDERS = TopicPartition("orders", 3)


@pytest.mark.parametrize(
    ("hold", "now_ms", "covers"),
    [
        (Hold(topic="orders"), 0, True),
        (Hold(topic="orders", partition=3), 0, True),
        (Hold(topic="orders", partition=2), 0, False),
        (Hold(topic="order"), 0, False),
        (Hold(topic="orders", until_ms=100), 99, True),
        (Hold(topic="orders", until_ms=100), 100, False),
    ],
    ids=["topic", "partition", "another partition", "another topic", "not over yet", "over"],
)
def test_a_hold_covers_its_topic_or_partition_until_its_end(hold: Hold, now_ms: int, covers: bool) -> None:
    assert (hold_of([hold], ORDERS, now_ms) is hold) is covers


def test_the_hold_of_the_partition_itself_is_the_reason_shown() -> None:
    whole, own = Hold(topic="orders", reason="all"), Hold(topic="orders", partition=3, reason="this one")

    assert hold_of([whole, own], ORDERS, 0) is own
    assert hold_of([whole, own], TopicPartition("orders", 0), 0) is whole


def reset(name: str, partition: int = 3) -> Reset:
    return Reset(id=name, topic="orders", partition=partition, to="earliest")


def test_resets_done_before_and_those_of_others_are_not_pending() -> None:
    resets = [reset("a"), reset("b", partition=1), reset("c"), reset("d")]

    assert [one.id for one in pending_resets(resets, ORDERS, ("a",))] == ["c", "d"]


def test_only_the_newest_ids_are_remembered() -> None:
    done = tuple(str(number) for number in range(16))

    assert remembered(done, [reset("x"), reset("y")]) == (*done[2:], "x", "y")
