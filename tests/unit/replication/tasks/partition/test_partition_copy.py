"""The queue of one partition: order, retries, and memory that always comes back."""

import pytest

from replication.domain.errors import Cause
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.domain.plan.slot import PlannedPartition
from replication.tasks.partition.entry import Entry, Runs
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.wire.network.buffers import BufferPool, SlotMemory

TOPIC_ID = bytes([1] * 16)


class CountedFrame:
    """Stands for a pooled buffer: counts its holders."""

    def __init__(self) -> None:
        self.holders = 0

    def retain(self) -> None:
        self.holders += 1

    def release(self) -> None:
        self.holders -= 1


def a_copy(position: int = 0) -> PartitionCopy:
    planned = PlannedPartition(upstream=TopicPartition("t", 0), remote_topic="a.t", topic_id=TOPIC_ID)
    return PartitionCopy(planned, Position(next_offset=position, topic_id=TOPIC_ID), offset_lag_max=100)


def batch(copy: PartitionCopy, records: int, frame: CountedFrame | None = None, runs: Runs = ()) -> Entry:
    data = memoryview(bytearray(b"x" * records * 10))
    if frame is not None:
        frame.retain()
    first = copy.cursor.offset
    runs = runs or ((first, 0, records),)
    end = runs[-1][0] + runs[-1][2]
    entry = Entry(first, end, 3, data, frame, records, runs)
    copy.queue.append(entry)
    return entry


def test_batches_leave_in_order_and_finish_in_order() -> None:
    copy = a_copy()
    first, second = batch(copy, 5), batch(copy, 3)
    assert [copy.queue.take_next(), copy.queue.take_next(), copy.queue.take_next()] == [first, second, None]

    second.acknowledge(105)
    assert list(copy.queue.take_finished()) == []
    first.acknowledge(100)

    assert list(copy.queue.take_finished()) == [first, second]


def test_offsets_without_records_are_done_when_all_before_them_are() -> None:
    copy = a_copy()
    data = batch(copy, 5)
    copy.queue.skip_to(6, 3)  # a commit marker
    copy.queue.skip_to(9, 3)
    copy.queue.take_next()
    assert list(copy.queue.take_finished()) == []

    data.acknowledge(100)

    finished = list(copy.queue.take_finished())
    assert [entry.next for entry in finished] == [5, 9]
    assert copy.queue.is_idle


def test_what_came_back_goes_out_again_in_the_same_order() -> None:
    copy = a_copy()
    entries = [batch(copy, 2) for _ in range(3)]
    for _ in entries:
        copy.queue.take_next()
    entries[1].acknowledge(7)  # of a request whose neighbour before it failed

    copy.queue.requeue_sent()

    assert [copy.queue.take_next() for _ in entries] == entries
    assert entries[1].acknowledged_at is None


def test_giving_up_frees_what_waits_and_leaves_what_is_in_flight_to_its_answer() -> None:
    copy, frame = a_copy(), CountedFrame()
    flying, waiting = batch(copy, 1, frame), batch(copy, 1, frame)
    assert copy.queue.take_next() is flying

    copy.queue.close()

    assert copy.queue.is_closed
    assert frame.holders == 1
    assert waiting.data is None
    assert flying.data is not None


def test_a_stuck_partition_lets_go_of_its_frames_and_keeps_its_bytes() -> None:
    copy, frame = a_copy(), CountedFrame()
    entry = batch(copy, 4, frame)
    before = bytes(entry.data or b"")

    copy.queue.copy_out_of_frames()

    assert frame.holders == 0
    assert bytes(entry.data or b"") == before


def test_sequences_wrap_where_kafkas_do() -> None:
    copy = a_copy()
    copy.queue.take_sequences(Entry(0, 1, 0, records=2**31 - 2))

    assert copy.queue.take_sequences(Entry(0, 1, 0, records=5)) == 2**31 - 2
    assert copy.queue.take_sequences(Entry(0, 1, 0, records=1)) == 3


def test_a_restart_begins_once_everything_before_it_is_done() -> None:
    copy, other = a_copy(), bytes([2] * 16)
    data = batch(copy, 5)
    copy.restart_at(other, 0)
    copy.queue.take_next()
    assert (copy.cursor.topic_id, copy.cursor.offset) == (other, 0)
    assert copy.progress.topic_id == TOPIC_ID

    data.acknowledge(0)

    assert [entry.restart_topic_id for entry in copy.queue.take_finished()] == [None, other]


def test_a_cause_keeps_its_first_moment_until_the_partition_really_advances() -> None:
    copy = a_copy()

    def cause(since_ms: int) -> Cause:
        return Cause(code="topic_missing", text="gone", topic="t", partition=0, since_ms=since_ms)

    copy.obstructions.stop_for("stalled", cause(1_000))
    copy.obstructions.recover()
    copy.obstructions.stop_for("stalled", cause(2_000))
    assert copy.obstructions.cause is not None
    assert copy.obstructions.cause.since_ms == 1_000

    copy.obstructions.recover()
    copy.obstructions.note_advance()
    copy.obstructions.stop_for("stalled", cause(3_000))
    assert copy.obstructions.cause.since_ms == 3_000


def test_lag_is_unknown_until_the_source_told_its_end() -> None:
    copy = a_copy(position=10)

    assert copy.lag is None
    assert copy.state == "replicating"


@pytest.mark.parametrize(
    ("log_end", "lag", "state"), [(10, 0, "caught_up"), (25, 15, "replicating"), (4, 0, "caught_up")]
)
def test_lag_is_what_lies_between_the_position_and_the_end(log_end: int, lag: int, state: str) -> None:
    copy = a_copy(position=10)
    copy.cursor.note_ends(0, log_end, log_end)

    assert (copy.lag, copy.state) == (lag, state)


def test_lag_is_unknown_while_the_source_fails_and_known_again_with_its_next_answer() -> None:
    copy = a_copy(position=10)
    copy.cursor.note_ends(0, 25, 25)

    copy.cursor.lose_end()
    assert (copy.lag, copy.least_lag) == (None, 15)

    copy.cursor.note_listed_end(30)
    assert copy.lag == 20


def test_parts_stand_for_a_batch_and_later_batches_get_new_sequences() -> None:
    copy, frame = a_copy(), CountedFrame()
    runs = ((0, 0, 2), (10, 2, 2))  # offsets 2 to 9 were compacted away
    entry, later = batch(copy, 4, frame, runs), batch(copy, 2)
    for each in (entry, later):
        copy.queue.take_sequences(each)
    parts = (
        entry.part(0, entry.upstream_of(3), slice(0, 3), memoryview(b"")),
        entry.part(entry.upstream_of(3), entry.next, slice(3, 4), memoryview(b"")),
    )

    copy.queue.replace(entry, parts)

    assert [(part.first, part.next, part.records, part.runs) for part in parts] == [
        (0, 11, 3, ((0, 0, 2), (10, 2, 1))),
        (11, 12, 1, ((11, 0, 1),)),
    ]
    assert list(copy.queue.waiting) == [*parts, later]
    assert (copy.queue.next_sequence, later.base_sequence) == (0, None)
    assert frame.holders == 0


def test_a_rewound_partition_continues_at_its_position() -> None:
    copy, frame = a_copy(position=5), CountedFrame()
    sent, _waiting = batch(copy, 3, frame), batch(copy, 3, frame)
    copy.queue.take_next()
    sent.acknowledge(40)
    for done in copy.queue.take_finished():
        copy.progress.hold(done)
    assert copy.progress.position_in_transaction.next_offset == 8
    assert copy.progress.position_in_transaction.downstream_next == 43

    copy.rewind()

    assert (copy.cursor.offset, copy.queue.pending_bytes) == (5, 0)
    assert copy.progress.position_in_transaction.next_offset == 5
    assert copy.queue.is_idle
    assert not copy.progress.uncommitted


def test_what_passes_does_not_hide_what_only_a_person_ends() -> None:
    copy = a_copy()
    copy.obstructions.stop_for(
        "failed", Cause(code="batch_refused", text="refused", topic="t", partition=0, since_ms=1)
    )

    copy.obstructions.stop_for(
        "stalled", Cause(code="leader_not_available", text="away", topic="t", partition=0, since_ms=2)
    )

    assert copy.obstructions.cause is not None
    assert (copy.state, copy.obstructions.cause.code) == ("failed", "batch_refused")


def test_bytes_outside_of_frames_count_until_they_are_done() -> None:
    pool, memory = BufferPool(1_000_000), SlotMemory(share_bytes=70)
    planned = PlannedPartition(upstream=TopicPartition("t", 0), remote_topic="a.t", topic_id=TOPIC_ID)
    copy = PartitionCopy(planned, Position(next_offset=0, topic_id=TOPIC_ID), offset_lag_max=100, memory=memory)
    frame = pool.acquire(1)
    batch(copy, 4, frame)  # type: ignore[arg-type] # a real one
    frame.release()
    built = batch(copy, 3)
    assert memory.held_bytes == 30
    assert memory.has_room

    copy.queue.copy_out_of_frames()
    copy.queue.copy_out_of_frames()
    assert (pool.used_bytes, memory.held_bytes) == (0, 40 + 30)
    assert not memory.has_room
    half = built.part(4, 6, slice(0, 2), memoryview(b"x" * 20))
    copy.queue.replace(built, (half, Entry(6, 7, 3)))
    assert memory.held_bytes == 40 + 20

    copy.rewind()

    assert memory.held_bytes == 0
