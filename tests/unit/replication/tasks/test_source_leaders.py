"""How much is asked about leaders: everything now and then, otherwise only what is in trouble."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from replication.domain.errors import Cause, ClusterUnreachableError, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.ports.source_reader import OffsetAt, TopicLeaders
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.source_gaps import SourceGaps
from replication.tasks.source_leaders import REFRESH_EVERY_S, SourceLeaders
from tests.support.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import TOPIC_ID, a_context, a_copy


class Cluster:
    """Notes what it is asked; every topic has one partition, led by broker 1."""

    def __init__(self, topic_id: bytes) -> None:
        self._topic_id = topic_id
        self.asked: list[list[str]] = []
        self.without_leader: set[str] = set()

    async def describe(self, topics: Sequence[str]) -> dict[str, TopicLeaders]:
        self.asked.append(list(topics))
        return {
            name: TopicLeaders(name, self._topic_id, {0: -1 if name in self.without_leader else 1}, None)
            for name in topics
        }

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        return {upstream: 5 if wanted == "earliest" else 40 for upstream, wanted in at.items()}


class Slot:
    """Leaders of three topics; `ready` and `stalled` note the topics they were called for."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.source, self.target = Cluster(TOPIC_ID), Cluster(TOPIC_ID)
        self.context = a_context(self.loop, {"reader": self.source, "writer": self.target})
        self.copies = [a_copy(self.context, topic) for topic in ("x", "y", "z")]
        for copy in self.copies:
            copy.fetching = True
        self.ready: list[str] = []
        self.stalled: list[str] = []
        self._leaders = SourceLeaders(
            self.context,
            SourceGaps(self.context),
            lambda copy: self.ready.append(copy.upstream.topic),
            lambda copy: self.stalled.append(copy.upstream.topic),
            self._nobody_else,
        )

    async def _nobody_else(self) -> None: ...

    def refresh(self) -> None:
        self.loop.spawn(self._leaders.refresh())
        self.loop.run_for(0.1)

    def try_to_refresh(self) -> None:
        async def trying() -> None:
            with suppress(ReplicationError):
                await self._leaders.refresh()

        self.loop.spawn(trying())
        self.loop.run_for(0.1)

    def stall(self, copy: PartitionCopy) -> None:
        copy.stop_for("stalled", Cause(code="c", text="t", topic=None, partition=None, since_ms=0))


def test_the_first_look_is_at_everything() -> None:
    slot = Slot()

    slot.refresh()

    assert (slot.source.asked, slot.target.asked) == ([["x", "y", "z"]], [["a.x", "a.y", "a.z"]])
    assert slot.ready == ["x", "y", "z"]


def test_only_partitions_in_trouble_are_asked_about_in_between() -> None:
    slot = Slot()
    slot.refresh()
    slot.stall(slot.copies[0])
    slot.copies[2].attempts = 1

    slot.refresh()

    assert slot.source.asked[1] == ["x", "z"]
    assert slot.copies[0].special_state is None


def test_everything_is_looked_at_again_after_a_while_although_one_stays_in_trouble() -> None:
    slot = Slot()
    slot.source.without_leader.add("x")
    slot.refresh()
    slot.loop.run_for(REFRESH_EVERY_S + 1)

    slot.refresh()

    assert slot.source.asked == [["x", "y", "z"], ["x", "y", "z"]]
    assert slot.stalled == ["x", "x"]
    assert (slot.copies[0].state, slot.copies[1].state) == ("stalled", "replicating")


def test_partitions_that_are_not_read_still_learn_both_ends_of_their_log() -> None:
    slot = Slot()
    slot.copies[1].fetching = False
    slot.copies[1].stop_for("gap", Cause(code="c", text="t", topic=None, partition=None, since_ms=0))

    slot.refresh()

    assert (slot.copies[1].log_start, slot.copies[1].log_end, slot.copies[1].lag) == (5, 40, 40)
    assert slot.copies[0].log_end is None


def test_a_partition_that_fails_while_its_leader_is_asked_for_stays_failed() -> None:
    slot = Slot()
    failed = slot.copies[0]
    slot.source.without_leader.add("x")
    describe = slot.target.describe

    async def fails_meanwhile(topics: Sequence[str]) -> dict[str, TopicLeaders]:
        failed.stop_for("failed", Cause(code="refused", text="t", topic=None, partition=None, since_ms=0))
        return await describe(topics)

    slot.target.describe = fails_meanwhile  # type: ignore[method-assign]
    slot.refresh()
    slot.target.describe = describe  # type: ignore[method-assign]
    slot.source.without_leader.clear()
    slot.refresh()

    assert failed.state == "failed"
    assert "x" not in slot.ready


def test_the_lag_grows_while_the_target_does_not_answer() -> None:
    slot = Slot()
    slot.refresh()
    for copy in slot.copies:
        copy.log_end, copy.attempts = 7, 1

    async def no_answer(topics: Sequence[str]) -> dict[str, TopicLeaders]:
        raise ClusterUnreachableError("cluster b does not answer", cluster="b")

    slot.target.describe = no_answer  # type: ignore[method-assign]
    slot.try_to_refresh()

    assert [copy.log_end for copy in slot.copies] == [40, 40, 40]


def test_an_end_that_was_fetched_meanwhile_is_not_overwritten_by_an_older_one() -> None:
    slot = Slot()
    slot.refresh()
    slot.copies[0].log_end, slot.copies[0].attempts = 50, 1

    slot.refresh()

    assert slot.copies[0].log_end == 50
