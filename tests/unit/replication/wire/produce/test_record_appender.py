"""Small records go to the leaders of their topics, which are remembered for a bounded number of topics."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from replication.ports.produce.record_appender import OutgoingRecord
from replication.wire.produce.record_appender import MOST_TOPICS, WireRecordAppender


class Cluster:
    """A link to a cluster whose topics all have one partition, led by broker 1."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def leaders(self, topic: str) -> dict[int, int]:
        self.asked.append(topic)
        return {0: 1}

    async def send(self, request: Any, node: int, *, doing: str) -> Any:
        return SimpleNamespace(results=[SimpleNamespace(error_code=0)])

    def check(self, code: int, doing: str) -> None:
        assert code == 0


def append(appender: WireRecordAppender, topic: str) -> None:
    writing = appender.append(topic, [OutgoingRecord(b"k", b"v", partition=0)])
    with pytest.raises(StopIteration) as ended:
        writing.send(None)
    assert ended.value.value > 0


def test_the_leaders_of_a_topic_are_asked_for_once() -> None:
    cluster = Cluster()
    appender = WireRecordAppender(cast("Any", SimpleNamespace(now_ms=lambda: 1)), cast("Any", cluster))

    for _ in range(3):
        append(appender, "letters")

    assert cluster.asked == ["letters"]


def test_the_leaders_of_a_bounded_number_of_topics_are_remembered() -> None:
    cluster = Cluster()
    appender = WireRecordAppender(cast("Any", SimpleNamespace(now_ms=lambda: 1)), cast("Any", cluster))

    for number in range(5 * MOST_TOPICS):
        append(appender, f"letters.{number}")
        assert len(appender._leaders) <= MOST_TOPICS

    append(appender, "letters.0")
    assert cluster.asked.count("letters.0") == 2
