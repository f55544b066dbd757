"""Leaders are requested for all partitions periodically, and otherwise only for those in trouble."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import pytest

from replication.domain.errors import Cause, ClusterUnreachableError, ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient
from replication.ports.fetch.metadata import OffsetAt, TopicLeaders
from replication.tasks.fetch.leaders import CLIENT_RACK, NEAR_ENDS_EVERY_S, NEAR_REPLICA_S, REFRESH_EVERY_S, Leaders
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.offset_records import OffsetRecords
from replication.tasks.offsets.target_logs import TargetLogs
from replication.tasks.partition.partition_copy import PartitionCopy
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import TOPIC_ID, a_context, a_copy
from tests.unit.replication.tasks.noted_events import NotedEvents


class Cluster:
    """Notes what it is asked; every topic has one partition, led by broker 1."""

    def __init__(self, topic_id: bytes) -> None:
        self._topic_id = topic_id
        self.asked: list[list[str]] = []
        self.without_leader: set[str] = set()
        self.disks_lost: dict[int, int] = {}
        self.end = 40

    async def describe(self, topics: Sequence[str]) -> dict[str, TopicLeaders]:
        self.asked.append(list(topics))
        return {
            name: TopicLeaders(
                name, self._topic_id, {0: -1 if name in self.without_leader else 1}, None, self.disks_lost
            )
            for name in topics
        }

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        return {upstream: 5 if wanted == "earliest" else self.end for upstream, wanted in at.items()}


class Slot(NotedEvents):
    """Leaders of three topics; `ready` and `stalled` note the topics they were called for."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualLoop()
        self.source, self.target = Cluster(TOPIC_ID), Cluster(TOPIC_ID)
        ports = {"source": self.source, "target": self.target}
        source = ClusterClient(alias="a", bootstrap=("a:1",), client={CLIENT_RACK: "rack-7"})
        self.context = a_context(self.loop, ports, source=source)
        self.copies = [a_copy(self.context, topic) for topic in ("x", "y", "z")]
        for copy in self.copies:
            copy.cursor.start_fetching()
        log = GapLog()
        gaps = GapHandler(self.context, log)
        target_logs = TargetLogs(self.context, self, gaps, OffsetRecords(self.context, log))
        self.leaders = Leaders(self.context, self, gaps, target_logs)

    @property
    def ready_topics(self) -> list[str]:
        return [copy.upstream.topic for copy in self.made_ready]

    @property
    def stalled_topics(self) -> list[str]:
        return [copy.upstream.topic for copy in self.stopped]

    def refresh(self) -> None:
        self.loop.spawn(self.leaders.refresh())
        self.loop.run_for(0.1)

    def try_to_refresh(self) -> None:
        async def trying() -> None:
            with suppress(ReplicationError):
                await self.leaders.refresh()

        self.loop.spawn(trying())
        self.loop.run_for(0.1)

    def stall(self, copy: PartitionCopy) -> None:
        copy.obstructions.stop_for("stalled", Cause(code="c", text="t", topic=None, partition=None, since_ms=0))


def test_the_first_look_is_at_everything() -> None:
    slot = Slot()

    slot.refresh()

    assert (slot.source.asked, slot.target.asked) == ([["x", "y", "z"]], [["a.x", "a.y", "a.z"]])
    assert slot.ready_topics == ["x", "y", "z"]


def test_only_partitions_in_trouble_are_asked_about_in_between() -> None:
    slot = Slot()
    slot.refresh()
    slot.stall(slot.copies[0])
    slot.copies[2].retries.note_failure(1.0, is_out_of_order=False)

    slot.refresh()

    assert slot.source.asked[1] == ["x", "z"]
    assert slot.copies[0].obstructions.special is None


def test_everything_is_looked_at_again_after_a_while_although_one_stays_in_trouble() -> None:
    slot = Slot()
    slot.source.without_leader.add("x")
    slot.refresh()
    slot.loop.run_for(REFRESH_EVERY_S + 1)

    slot.refresh()

    assert slot.source.asked == [["x", "y", "z"], ["x", "y", "z"]]
    assert slot.stalled_topics == ["x", "x"]
    assert (slot.copies[0].state, slot.copies[1].state) == ("stalled", "replicating")


@pytest.mark.parametrize(
    ("disks_lost", "code", "text"),
    [
        ({}, "remote_leader_not_available", "remote partition a.x-0 has no leader"),
        (
            {0: 7},
            "target_storage",
            "remote partition a.x-0 cannot be stored; is a disk of the target full or broken? (a log directory of "
            "broker 7 is offline)",
        ),
    ],
)
def test_a_remote_partition_without_a_leader_says_if_its_disk_is_lost(
    disks_lost: dict[int, int], code: str, text: str
) -> None:
    slot = Slot()
    slot.target.without_leader.add("a.x")
    slot.target.disks_lost = disks_lost

    slot.refresh()

    cause = slot.copies[0].obstructions.cause
    assert cause is not None
    assert (cause.code, cause.text) == (code, text)


def test_a_source_partition_without_a_leader_says_if_its_disk_is_lost() -> None:
    slot = Slot()
    slot.source.without_leader.add("x")
    slot.source.disks_lost = {0: 7}

    slot.refresh()

    cause = slot.copies[0].obstructions.cause
    assert cause is not None
    assert cause.text.endswith("a log directory of broker 7 is offline; is its disk full or broken?")


def test_partitions_that_are_not_read_still_learn_both_ends_of_their_log() -> None:
    slot = Slot()
    slot.copies[1].cursor.stop_fetching()
    slot.copies[1].obstructions.stop_for("gap", Cause(code="c", text="t", topic=None, partition=None, since_ms=0))

    slot.refresh()

    assert (slot.copies[1].cursor.log_start, slot.copies[1].cursor.log_end, slot.copies[1].lag) == (5, 40, 40)
    assert slot.copies[0].cursor.log_end is None


def test_a_partition_that_fails_while_its_leader_is_asked_for_stays_failed() -> None:
    slot = Slot()
    failed = slot.copies[0]
    slot.source.without_leader.add("x")
    describe = slot.target.describe

    async def fails_meanwhile(topics: Sequence[str]) -> dict[str, TopicLeaders]:
        failed.obstructions.stop_for("failed", Cause(code="refused", text="t", topic=None, partition=None, since_ms=0))
        return await describe(topics)

    slot.target.describe = fails_meanwhile  # type: ignore[method-assign]
    slot.refresh()
    slot.target.describe = describe  # type: ignore[method-assign]
    slot.source.without_leader.clear()
    slot.refresh()

    assert failed.state == "failed"
    assert "x" not in slot.ready_topics


def test_the_lag_grows_while_the_target_does_not_answer() -> None:
    slot = Slot()
    slot.refresh()
    for copy in slot.copies:
        copy.cursor.note_ends(0, 7, 7)
        copy.retries.note_failure(1.0, is_out_of_order=False)

    async def no_answer(topics: Sequence[str]) -> dict[str, TopicLeaders]:
        raise ClusterUnreachableError("cluster b does not answer", cluster="b")

    slot.target.describe = no_answer  # type: ignore[method-assign]
    slot.try_to_refresh()

    assert [copy.cursor.log_end for copy in slot.copies] == [40, 40, 40]


def test_an_end_that_was_fetched_meanwhile_is_not_overwritten_by_an_older_one() -> None:
    slot = Slot()
    slot.refresh()
    slot.copies[0].cursor.note_ends(0, 50, 50)
    slot.copies[0].retries.note_failure(1.0, is_out_of_order=False)

    slot.refresh()

    assert slot.copies[0].cursor.log_end == 50


def read_near(slot: Slot) -> PartitionCopy:
    """A partition at the end of a follower that has 30 of 40 records."""
    copy = slot.copies[0]
    copy.cursor.read_from_replica(7)
    copy.cursor.note_ends(5, 30, 30)
    return copy


def test_the_end_of_a_log_that_a_follower_serves_is_asked_of_its_leader() -> None:
    slot = Slot()
    copy = read_near(slot)
    copy.cursor.advance(30, 0)

    slot.refresh()
    copy.cursor.note_ends(5, 31, 31)  # the next answer of the follower

    assert (copy.cursor.log_end, copy.lag) == (40, 40)
    slot.source.end = 20  # the log was cut
    slot.loop.run_for(REFRESH_EVERY_S)
    slot.refresh()
    assert copy.cursor.log_end == 20


def test_after_a_few_minutes_with_a_follower_the_leader_is_read_again() -> None:
    slot = Slot()
    copy = read_near(slot)
    slot.refresh()
    slot.loop.run_for(NEAR_REPLICA_S - 1)
    slot.refresh()
    assert copy.cursor.read_node == 7

    slot.loop.run_for(2)
    slot.refresh()

    assert (copy.cursor.read_node, copy.cursor.near_replica) == (1, -1)
    assert copy in slot.made_ready


def test_a_partition_that_the_leader_sends_back_stays_with_its_follower_as_long_again() -> None:
    slot = Slot()
    copy = read_near(slot)
    for _ in range(2):
        slot.refresh()
        slot.loop.run_for(NEAR_REPLICA_S + 1)
    copy.cursor.read_from_replica(7)

    slot.refresh()

    assert copy.cursor.read_node == 7


def test_the_ends_behind_followers_are_asked_for_every_few_seconds_and_nothing_else() -> None:
    slot = Slot()
    slot.loop.spawn(slot.leaders.run())
    slot.context.refresh_signal.set()
    slot.loop.run_for(1)
    copy = read_near(slot)
    looks = len(slot.source.asked)

    slot.loop.run_for(NEAR_ENDS_EVERY_S + 1)

    assert (copy.cursor.log_end, len(slot.source.asked)) == (40, looks)
    slot.loop.run_for(REFRESH_EVERY_S)
    assert len(slot.source.asked) == looks + 1
