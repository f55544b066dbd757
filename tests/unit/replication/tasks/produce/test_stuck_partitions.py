"""A partition that gets nowhere gives its memory back, and misses nothing when it gets on."""

from dataclasses import replace
from pathlib import Path

import pytest

from replication.domain.errors import Cause, RetriableError
from replication.domain.offsets.positions import Position
from replication.tasks.partition.entry import Entry
from replication.tasks.produce.stuck_partitions import CHECK_S, STUCK_S, StuckPartitions
from replication.wire.network.buffers import BufferPool, SlotMemory
from tests.unit.replication.tasks.producing import ProducingSlot, failing

BATCHES = (3, 1, 4, 1, 5, 9, 2, 6)
RECORDS = sum(BATCHES)
RIGHT_MISSING = 29
FAR_AWAY_S = 60.0
GONE = Cause(code="gone", text="gone", topic=None, partition=None, since_ms=0)


class Stuck:
    """A producing slot whose batches lie in frames; what is let go is fed again by `refetch`."""

    def __init__(self, **changes: object) -> None:
        self.slot = ProducingSlot(**changes)  # type: ignore[arg-type]
        self.pool = BufferPool(96 * 1024 * 1024)
        self.memory = SlotMemory()
        self.stuck = StuckPartitions(self.slot.context, self.slot)
        for copy in self.slot.copies:
            copy.queue._memory = self.memory
        self.slot.feed(*BATCHES)
        for copy in self.slot.copies:
            for entry in copy.queue.waiting:
                entry.frame = self.pool.acquire(1_000)
                assert entry.data is not None
                entry.frame.view[: len(entry.data)] = entry.data
                entry.data = entry.frame.view[: len(entry.data)]
                entry.on_heap = False
        self.memory.held_bytes = 0

    def release_memory_for(self, seconds: float) -> None:
        until = self.slot.loop.monotonic_s() + seconds
        while self.slot.loop.monotonic_s() < until:
            self.slot.loop.run_for(CHECK_S)
            self.stuck.release_memory()

    def refetch(self) -> None:
        for copy in self.slot.released:
            self.slot.rewound(copy)
        self.slot.released.clear()


def assert_gets_on(lab: Stuck, *, committed: bool = False) -> None:
    """Dropped batches are fetched again, and every record is on the target once and in order."""
    lab.refetch()
    lab.slot.run_until_done(RECORDS)
    for copy in lab.slot.copies:
        expected = lab.slot.expected(copy.upstream.partition, RECORDS)
        assert lab.slot.values(copy, committed=committed) == expected


def test_a_right_that_is_missing_pins_no_frame_and_costs_no_record() -> None:
    lab = Stuck(faults=[failing(RIGHT_MISSING)] * 12, partitions=2)
    lab.slot._running = [lab.slot.loop.spawn(lab.slot.sender.run())]
    lab.release_memory_for(STUCK_S + 3)

    assert not lab.pool.used_bytes
    assert lab.memory.held_bytes == sum(copy.queue.pending_bytes for copy in lab.slot.copies)
    assert [len(copy.queue.waiting) + len(copy.queue.sent) for copy in lab.slot.copies] == [1, 1]

    assert_gets_on(lab)


def test_a_coordinator_that_is_away_pins_no_frame() -> None:
    lab = Stuck(delivery="exactly_once", isolation_level="read_committed", partitions=2)
    for copy in lab.slot.copies:
        copy.progress.note_committed(Position(next_offset=0, topic_id=copy.cursor.topic_id))
    joins = lab.slot.ports.transactions.add_partitions

    async def away(partitions: object) -> object:
        await lab.slot.loop.sleep(0.01)
        if lab.slot.loop.monotonic_s() < 1_000 + FAR_AWAY_S:
            raise RetriableError("coordinator not available")
        return await joins(partitions)  # type: ignore[arg-type]

    lab.slot.ports.transactions.add_partitions = away  # type: ignore[method-assign, assignment]
    parts = [lab.slot.sender, lab.slot.transactions]
    lab.slot._running = [lab.slot.loop.spawn(part.run()) for part in parts if part is not None]
    lab.release_memory_for(STUCK_S + 3)

    assert not lab.pool.used_bytes

    assert_gets_on(lab, committed=True)


def test_a_partition_that_gets_on_keeps_what_it_has() -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    for number in range(20):
        copy.queue.acknowledge(Entry(0, 0, 0), -1, float(number))
        lab.slot.loop.run_for(CHECK_S)
        lab.stuck.release_memory()

    assert len(copy.queue.waiting) == len(BATCHES)
    assert not lab.slot.released


def test_what_may_be_on_the_target_leaves_memory_for_a_file_and_arrives_as_it_was() -> None:
    lab = Stuck(faults=[failing(RIGHT_MISSING)] * 12, partitions=2)
    lab.memory = SlotMemory(share_bytes=2)
    lab.slot.context.ports = replace(lab.slot.ports, memory=lab.memory)
    for copy in lab.slot.copies:
        copy.queue._memory = lab.memory
    lab.slot._running = [lab.slot.loop.spawn(lab.slot.sender.run())]
    lab.release_memory_for(STUCK_S + 3)

    assert [len(copy.queue.waiting) for copy in lab.slot.copies] == [1, 1]
    assert lab.memory.held_bytes < 2
    assert lab.memory.has_room

    assert_gets_on(lab)


def test_a_disk_that_is_full_leaves_the_batches_in_memory(tmp_path: Path) -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    copy.queue._memory = memory = SlotMemory(share_bytes=2, folder=tmp_path / "gone")
    copy.queue.copy_out_of_frames()
    before = [bytes(entry.data or b"") for entry in copy.queue.waiting]

    copy.queue.move_to_file()

    assert memory.held_bytes == copy.queue.pending_bytes
    assert [bytes(entry.data or b"") for entry in copy.queue.waiting] == before


def test_what_may_be_on_the_target_stays() -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    copy.queue.waiting[2].assign_sequence(4)
    copy.queue.waiting[2].mark_in_doubt()

    assert copy.forget_unsent()

    assert [entry.first for entry in copy.queue.waiting] == [0, 3, 4]
    assert copy.cursor.offset == 8
    assert copy.queue.pending_bytes == sum(entry.size_bytes for entry in copy.queue.waiting)


@pytest.mark.parametrize("reason", ["barrier", "repair", "state"])
def test_nothing_is_taken_back_where_its_offsets_must_not_be_read_twice(reason: str) -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    match reason:
        case "barrier":
            copy.barrier.close()
        case "repair":
            copy.retries.start_repair()
        case _:
            copy.obstructions.stop_for("gap", GONE)

    assert not copy.forget_unsent()

    assert len(copy.queue.waiting) == len(BATCHES)


def test_a_reset_on_its_way_stays_with_all_before_it() -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    copy.restart_at(copy.cursor.topic_id, 500, reset_ids=("r",))

    assert not copy.forget_unsent()

    assert copy.cursor.offset == 500


def test_a_partition_that_cannot_be_read_either_gives_back_what_waits() -> None:
    lab = Stuck()
    (copy,) = lab.slot.copies
    copy.obstructions.stop_for("stalled", GONE)

    assert copy.forget_unsent()

    assert len(copy.queue.waiting) == 1
