"""Positions are read at the start, and written in one turn after the other."""

from collections.abc import Collection, Mapping
from typing import Any

import pytest

from replication.domain.errors import ClusterUnreachableError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.positions import Position
from replication.ports.fetch.metadata import OffsetAt
from replication.ports.offsets.target_history import LastRun
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.offsets.gap_log import GapLog
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.partition.partition_copy import PartitionCopy
from tests.support.engine.virtual_loop import VirtualLoop
from tests.unit.replication.tasks.a_slot import TOPIC_ID, a_context, a_copy, planned

ORDERS = TopicPartition("orders", 0)
START = 3
Written = tuple[dict[TopicPartition, Position], bool]


class Clusters:
    """Both clusters: stored positions, remote ends, and what is written."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self.stored: dict[TopicPartition, Position] = {}
        self.remote_end = 0
        self.written: list[Written] = []
        self.failures: list[Exception] = []
        self.asked_gaps: list[set[TopicPartition]] = []
        self.forgotten = 0
        self.at_once = self._writing = 0

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        return {
            place: START if place.topic == "orders" else self.remote_end for place in at if place.topic != "leaderless"
        }

    async def read(self, topic: str, source: str) -> dict[TopicPartition, Position]:
        assert (topic, source) == ("mm2-offsets.a.internal", "a")
        return dict(self.stored)

    async def commit(
        self, topic: str, source: str, positions: Mapping[TopicPartition, Position], *, transactional: bool
    ) -> None:
        self._writing += 1
        self.at_once = max(self.at_once, self._writing)
        await self._loop.sleep(1)
        self._writing -= 1
        if self.failures:
            raise self.failures.pop(0)
        self.written.append((dict(positions), transactional))

    def forget(self) -> None:
        self.forgotten += 1

    async def last_runs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, LastRun]:
        return {}

    async def last_syncs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        return {}

    async def last_gaps(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, Gap]:
        self.asked_gaps.append(set(upstreams))
        return {}


class Lab:
    def __init__(self, **changes: Any) -> None:
        self.loop = VirtualLoop()
        self.clusters = found = Clusters(self.loop)
        ports = {"source": found, "target": found, "positions": found, "history": found}
        self.context = a_context(self.loop, ports, **changes)
        self.log = GapLog()
        self.committer = PositionCommitter(self.context, GapHandler(self.context, self.log))

    def run(self, coroutine: Any) -> None:
        done = self.loop.spawn(coroutine)
        self.loop.run_until(lambda: done.done, limit_s=1_000)
        if done.error is not None:
            raise done.error


@pytest.mark.parametrize(("delivery", "commits"), [("at_least_once", 1), ("exactly_once", 0)])
def test_a_new_partition_has_a_position_from_its_start_on(delivery: str, commits: int) -> None:
    lab = Lab(delivery=delivery)

    lab.run(lab.committer.add_partitions([planned("orders")]))

    [copy] = lab.context.roster.copies.values()
    assert copy.progress.next_offset == START
    assert len(lab.clusters.written) == commits
    assert copy.progress.is_committed is (commits == 1)
    assert lab.clusters.forgotten == 1


def test_a_stored_position_is_committed_already() -> None:
    lab = Lab()
    lab.clusters.stored[ORDERS] = Position(next_offset=7, topic_id=TOPIC_ID)

    lab.run(lab.committer.add_partitions([planned("orders")]))

    [copy] = lab.context.roster.copies.values()
    assert (copy.progress.next_offset, copy.progress.is_committed) == (7, True)
    assert (lab.clusters.written, lab.clusters.asked_gaps) == ([], [])
    assert copy.cursor.topic_id == TOPIC_ID


def removed(lab: Lab, topic: str = "orders") -> PartitionCopy:
    """A partition that was added and removed again."""
    lab.run(lab.committer.add_partitions([planned(topic)]))
    before = lab.context.roster.copies[TopicPartition(topic, 0)]
    lab.context.roster.remove(before.upstream)
    return before


def test_a_partition_that_was_removed_continues_at_its_committed_position_with_the_ends_of_its_log() -> None:
    lab = Lab()
    lab.clusters.stored[ORDERS] = Position(next_offset=7, topic_id=TOPIC_ID)
    before = removed(lab)
    before.cursor.note_ends(2, 30, 40)

    copy = lab.committer.reopen(before)

    assert copy is not None
    assert lab.context.roster.copies == {ORDERS: copy}
    assert (copy.progress.next_offset, copy.progress.is_committed, copy.cursor.offset) == (7, True, 7)
    assert (copy.cursor.log_start, copy.cursor.log_end, copy.cursor.high_watermark) == (2, 30, 40)


def test_ends_of_a_log_that_are_zero_are_known_and_unknown_ones_stay_unknown() -> None:
    lab = Lab()
    lab.clusters.stored[ORDERS] = Position(next_offset=0, topic_id=TOPIC_ID)
    before = removed(lab)

    unknown = lab.committer.reopen(before)
    assert unknown is not None
    assert (unknown.cursor.log_start, unknown.cursor.log_end) == (None, None)
    lab.context.roster.remove(ORDERS)
    before.cursor.note_ends(0, 0, 0)
    known = lab.committer.reopen(before)

    assert known is not None
    assert (known.cursor.log_start, known.cursor.log_end, known.cursor.high_watermark) == (0, 0, 0)


def test_a_partition_without_a_committed_or_known_position_is_not_opened_again() -> None:
    lab = Lab(delivery="exactly_once")
    assert lab.committer.reopen(removed(lab)) is None

    lab.clusters.stored[ORDERS] = Position(next_offset=7, topic_id=TOPIC_ID)
    before = removed(lab)
    before.progress.mark_unknown()

    assert lab.committer.reopen(before) is None
    assert lab.context.roster.copies == {}


def test_no_partitions_cost_nothing() -> None:
    lab = Lab()

    lab.run(lab.committer.add_partitions([]))

    assert lab.clusters.forgotten == 0


def test_a_position_of_a_former_topic_is_followed_so_that_the_gap_is_found() -> None:
    lab, former = Lab(), bytes([9] * 16)
    lab.clusters.stored[ORDERS] = Position(next_offset=7, topic_id=former)

    lab.run(lab.committer.add_partitions([planned("orders")]))

    [copy] = lab.context.roster.copies.values()
    assert (copy.cursor.topic_id, copy.progress.topic_id) == (former, former)


def test_a_partition_of_unknown_position_is_there_and_waits() -> None:
    lab = Lab(writes_offset_syncs=True)
    lab.clusters.remote_end = 50

    lab.run(lab.committer.add_partitions([planned("orders")]))

    [copy] = lab.context.roster.copies.values()
    assert (copy.progress.next_offset, copy.progress.is_known, copy.progress.committed) == (0, False, None)
    assert copy.state == "gap"
    assert lab.clusters.asked_gaps == [{ORDERS}]
    assert lab.clusters.written == []


def test_a_partition_that_starts_over_has_a_gap_record() -> None:
    lab = Lab(gap_policy="restart_generation")
    lab.clusters.remote_end = 50

    lab.run(lab.committer.add_partitions([planned("orders")]))

    assert [waiting.gap.cause for waiting in lab.log.take_pending()] == ["positions_lost"]


def test_gaps_are_read_where_partitions_may_wait_at_one() -> None:
    lab = Lab(gap_policy="stop")
    lab.clusters.stored[ORDERS] = Position(next_offset=7, topic_id=TOPIC_ID)

    lab.run(lab.committer.add_partitions([planned("orders")]))

    assert lab.clusters.asked_gaps == [{ORDERS}]


def test_a_partition_without_a_start_is_tried_later() -> None:
    lab = Lab()

    lab.run(lab.committer.add_partitions([planned("leaderless"), planned("orders")]))

    assert list(lab.context.roster.copies) == [ORDERS]
    assert list(lab.context.roster.unstarted) == [TopicPartition("leaderless", 0)]
    assert lab.clusters.forgotten == 0


def test_only_positions_that_moved_are_committed_and_with_the_generation() -> None:
    lab = Lab(generation=4)
    moved, still = a_copy(lab.context, "orders", 0, 5), a_copy(lab.context, "orders", 1, 6)
    still.progress.note_committed(still.progress.position)

    lab.run(lab.committer.commit())
    lab.run(lab.committer.commit())

    [(positions, transactional)] = lab.clusters.written
    assert {place: (each.next_offset, each.generation) for place, each in positions.items()} == {moved.upstream: (5, 4)}
    assert transactional
    assert moved.progress.is_committed
    assert lab.committer.committed_ms == lab.loop.now_ms()


def test_a_clean_stop_writes_known_positions_in_a_transaction_and_then_plainly() -> None:
    lab = Lab()
    known, unknown = a_copy(lab.context, "orders", 0, 5), a_copy(lab.context, "orders", 1)
    known.progress.note_committed(known.progress.position)
    unknown.progress.mark_unknown()

    lab.run(lab.committer.commit_for_others())

    assert [(list(positions), transactional) for positions, transactional in lab.clusters.written] == [
        ([known.upstream], True),
        ([known.upstream], False),
    ]


def test_a_stop_without_positions_writes_nothing() -> None:
    lab = Lab()

    lab.run(lab.committer.commit_for_others())

    assert lab.clusters.written == []


def test_nothing_is_written_plainly_by_a_slot_that_lost_its_transaction() -> None:
    lab = Lab()
    a_copy(lab.context, "orders", 0, 5)
    lab.clusters.failures.append(TransactionAbortedError("another owner"))

    with pytest.raises(TransactionAbortedError):
        lab.run(lab.committer.commit_for_others())

    assert lab.clusters.written == []


def test_one_write_follows_the_other() -> None:
    lab = Lab()
    a_copy(lab.context, "orders", 0, 5)
    jobs = [lab.loop.spawn(lab.committer.commit_for_others()) for _ in range(3)]

    lab.loop.run_until(lambda: all(job.done for job in jobs), limit_s=100)

    assert lab.clusters.at_once == 1
    assert len(lab.clusters.written) == 6


def test_commits_continue_after_an_aborted_one_and_end_with_another_failure() -> None:
    lab = Lab(commit_interval_ms=1_000)
    a_copy(lab.context, "orders", 0, 5)
    lab.clusters.failures.append(TransactionAbortedError("expired"))
    running = lab.loop.spawn(lab.committer.run())
    lab.loop.run_until(lambda: bool(lab.clusters.written), limit_s=100)
    assert lab.context.failure is None

    lost = ClusterUnreachableError("away")
    lab.clusters.failures.append(lost)
    a_copy(lab.context, "orders", 1, 6)
    lab.loop.run_until(lambda: running.done, limit_s=100)

    assert lab.context.failure is lost


def test_a_slot_that_stops_commits_no_more_by_itself() -> None:
    lab = Lab(commit_interval_ms=1_000)
    a_copy(lab.context, "orders", 0, 5)
    running = lab.loop.spawn(lab.committer.run())
    lab.context.stop()

    lab.loop.run_until(lambda: running.done, limit_s=100)

    assert lab.clusters.written == []
