"""A partition that gets nowhere gives its memory back, and misses nothing when it gets on."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from replication.domain.errors import RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.positions import Position
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.stuck_partitions import LOOK_S, STUCK_S, StuckPartitions, forget_unsent
from replication.wire.buffers import BufferPool, SlotMemory
from tests.unit.replication.tasks.producing import ProducingSlot

BATCHES = (3, 1, 4, 1, 5, 9, 2, 6)
RECORDS = sum(BATCHES)
RIGHT_MISSING = 29
FAR_AWAY_S = 60.0


class Stuck:
    """A producing slot whose batches lie in frames; what is let go is fed again by `refetch`."""

    def __init__(self, **changes: object) -> None:
        self.slot = ProducingSlot(**changes)  # type: ignore[arg-type]
        self.pool = BufferPool(96 * 1024 * 1024)
        self.memory = SlotMemory()
        self.gone: list[PartitionCopy] = []
        self.stuck = StuckPartitions(self.slot.context, self.gone.append)
        for copy in self.slot.copies:
            copy._memory = self.memory
        self.slot.feed(*BATCHES)
        for copy in self.slot.copies:
            for entry in copy.queue:
                entry.frame = self.pool.take(1_000)
                assert entry.data is not None
                entry.frame.view[: len(entry.data)] = entry.data
                entry.data = entry.frame.view[: len(entry.data)]
                entry.on_heap = False
        self.memory.held_bytes = 0

    def look_for(self, seconds: float) -> None:
        until = self.slot.loop.monotonic_s() + seconds
        while self.slot.loop.monotonic_s() < until:
            self.slot.loop.run_for(LOOK_S)
            self.stuck.look()

    def refetch(self) -> None:
        for copy in self.gone:
            self.slot._rewound(copy)
        self.gone.clear()


def assert_gets_on(lab: Stuck, stored: Mapping[TopicPartition, list[bytes]]) -> None:
    """What was let go is fetched again, and every record is on the target once and in order."""
    lab.refetch()
    lab.slot.run_until_done(RECORDS)
    for copy in lab.slot.copies:
        number = copy.upstream.partition
        assert stored[TopicPartition("a.t", number)] == lab.slot.expected(number, RECORDS)


def test_a_right_that_is_missing_pins_no_frame_and_costs_no_record() -> None:
    lab = Stuck(faults=[RIGHT_MISSING] * 12, partitions=2)
    lab.slot._running = [lab.slot.loop.spawn(lab.slot.produce.run())]
    lab.look_for(STUCK_S + 3)

    assert not lab.pool.used_bytes
    assert lab.memory.held_bytes == sum(copy.pending_bytes for copy in lab.slot.copies)
    assert [len(copy.queue) + len(copy.sent) for copy in lab.slot.copies] == [1, 1]

    assert_gets_on(lab, lab.slot.broker.values)


def test_a_coordinator_that_is_away_pins_no_frame() -> None:
    lab = Stuck(delivery="exactly_once", isolation_level="read_committed", partitions=2)
    for copy in lab.slot.copies:
        copy.committed = Position(next_offset=0, topic_id=copy.topic_id)
    joins = lab.slot.broker.join_transaction

    async def away(partitions: object) -> object:
        await lab.slot.loop.sleep(0.01)
        if lab.slot.loop.monotonic_s() < 1_000 + FAR_AWAY_S:
            raise RetriableError("coordinator not available")
        return await joins(partitions)  # type: ignore[arg-type]

    lab.slot.broker.join_transaction = away  # type: ignore[method-assign, assignment]
    parts = [lab.slot.produce, lab.slot.transactions]
    lab.slot._running = [lab.slot.loop.spawn(part.run()) for part in parts if part is not None]
    lab.look_for(STUCK_S + 3)

    assert not lab.pool.used_bytes

    assert_gets_on(lab, lab.slot.broker.committed)


def test_a_partition_that_gets_on_keeps_what_it_has() -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    for number in range(20):
        copy.acknowledged_s = float(number)
        lab.slot.loop.run_for(LOOK_S)
        lab.stuck.look()

    assert len(copy.queue) == len(BATCHES)
    assert not lab.gone


def test_what_may_be_on_the_target_leaves_memory_for_a_file_and_arrives_as_it_was() -> None:
    lab = Stuck(faults=[RIGHT_MISSING] * 12, partitions=2)
    lab.slot.context.memory = lab.memory = SlotMemory(share_bytes=2)
    for copy in lab.slot.copies:
        copy._memory = lab.memory
    lab.slot._running = [lab.slot.loop.spawn(lab.slot.produce.run())]
    lab.look_for(STUCK_S + 3)

    assert [len(copy.queue) for copy in lab.slot.copies] == [1, 1]
    assert lab.memory.held_bytes < 2
    assert lab.memory.has_room

    assert_gets_on(lab, lab.slot.broker.values)


def test_a_disk_that_is_full_leaves_the_batches_in_memory(tmp_path: Path) -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    copy._memory = memory = SlotMemory(share_bytes=2, folder=tmp_path / "gone")
    copy.unpin()
    before = [bytes(entry.data or b"") for entry in copy.queue]

    copy.set_aside()

    assert memory.held_bytes == copy.pending_bytes
    assert [bytes(entry.data or b"") for entry in copy.queue] == before


def test_what_may_be_on_the_target_stays() -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    copy.queue[2].base_sequence, copy.queue[2].in_doubt = 4, True

    assert forget_unsent(copy)

    assert [entry.first for entry in copy.queue] == [0, 3, 4]
    assert copy.fetch_offset == 8
    assert copy.pending_bytes == sum(entry.size_bytes for entry in copy.queue)


@pytest.mark.parametrize("reason", ["letters", "repair", "state"])
def test_nothing_is_taken_back_where_its_offsets_must_not_be_read_twice(reason: str) -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    copy.letters_on_their_way = int(reason == "letters")
    copy.in_repair = reason == "repair"
    copy.special_state = "gap" if reason == "state" else None

    assert not forget_unsent(copy)

    assert len(copy.queue) == len(BATCHES)


def test_a_reset_on_its_way_stays_with_all_before_it() -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    copy.restart_at(copy.topic_id, 500, reset_ids=("r",))

    assert not forget_unsent(copy)

    assert copy.fetch_offset == 500


def test_a_partition_that_cannot_be_read_either_gives_back_what_waits() -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    copy.special_state = "stalled"

    assert forget_unsent(copy)

    assert len(copy.queue) == 1
