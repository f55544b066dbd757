"""The queue of one partition: order, retries, and memory that always comes back."""

import pytest

from replication.domain.errors import Cause
from replication.domain.identifiers import TopicPartition
from replication.domain.positions import Position
from replication.domain.slot import PlannedPartition
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy
from replication.wire.buffers import BufferPool, SlotMemory

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


def batch(copy: PartitionCopy, records: int, frame: CountedFrame | None = None) -> Entry:
    entry = Entry(copy.fetch_offset, copy.fetch_offset + records, 3)
    entry.records, entry.size_bytes = records, records * 10
    entry.data = memoryview(bytearray(b"x" * entry.size_bytes))
    if frame is not None:
        frame.retain()
        entry.frame = frame
    copy.enqueue(entry)
    return entry


def test_batches_leave_in_order_and_finish_in_order() -> None:
    copy = a_copy()
    first, second = batch(copy, 5), batch(copy, 3)
    assert [copy.next_to_send(), copy.next_to_send(), copy.next_to_send()] == [first, second, None]

    second.acknowledged_at = 105
    assert list(copy.finished()) == []
    first.acknowledged_at = 100

    assert list(copy.finished()) == [first, second]


def test_offsets_without_records_are_done_when_all_before_them_are() -> None:
    copy = a_copy()
    data = batch(copy, 5)
    copy.skip_to(6, 3)  # a commit marker
    copy.skip_to(9, 3)
    copy.next_to_send()
    assert list(copy.finished()) == []

    data.acknowledged_at = 100

    finished = list(copy.finished())
    assert [entry.next for entry in finished] == [5, 9]
    assert copy.is_idle


def test_what_came_back_goes_out_again_in_the_same_order() -> None:
    copy = a_copy()
    entries = [batch(copy, 2) for _ in range(3)]
    for _ in entries:
        copy.next_to_send()
    entries[1].acknowledged_at = 7  # of a request whose neighbour before it failed

    copy.take_back()

    assert [copy.next_to_send() for _ in entries] == entries
    assert entries[1].acknowledged_at is None


def test_giving_up_frees_what_waits_and_leaves_what_is_in_flight_to_its_answer() -> None:
    copy, frame = a_copy(), CountedFrame()
    flying, waiting = batch(copy, 1, frame), batch(copy, 1, frame)
    assert copy.next_to_send() is flying

    copy.give_up()

    assert copy.given_up
    assert frame.holders == 1
    assert waiting.data is None
    assert flying.data is not None


def test_a_stuck_partition_lets_go_of_its_frames_and_keeps_its_bytes() -> None:
    copy, frame = a_copy(), CountedFrame()
    entry = batch(copy, 4, frame)
    before = bytes(entry.data or b"")

    copy.unpin()

    assert frame.holders == 0
    assert bytes(entry.data or b"") == before


def test_sequences_wrap_where_kafkas_do() -> None:
    copy = a_copy()
    copy.next_sequence = 2**31 - 2

    assert copy.take_sequences(5) == 2**31 - 2
    assert copy.take_sequences(1) == 3


def test_a_restart_begins_once_everything_before_it_is_done() -> None:
    copy, other = a_copy(), bytes([2] * 16)
    data = batch(copy, 5)
    copy.restart_at(other, 0)
    copy.next_to_send()
    assert (copy.topic_id, copy.fetch_offset) == (other, 0)
    assert copy.done_topic_id == TOPIC_ID

    data.acknowledged_at = 0

    assert [entry.restart_topic_id for entry in copy.finished()] == [None, other]


def test_a_cause_keeps_its_first_moment_until_the_partition_really_advances() -> None:
    copy = a_copy()

    def cause(since_ms: int) -> Cause:
        return Cause(code="topic_missing", text="gone", topic="t", partition=0, since_ms=since_ms)

    copy.stop_for("stalled", cause(1_000))
    copy.recover()
    copy.stop_for("stalled", cause(2_000))
    assert copy.cause is not None
    assert copy.cause.since_ms == 1_000

    copy.recover()
    copy.advanced()
    copy.stop_for("stalled", cause(3_000))
    assert copy.cause.since_ms == 3_000


def test_lag_is_unknown_until_the_source_told_its_end() -> None:
    copy = a_copy(position=10)

    assert copy.lag is None
    assert copy.state == "replicating"


@pytest.mark.parametrize(
    ("log_end", "lag", "state"), [(10, 0, "caught_up"), (25, 15, "replicating"), (4, 0, "caught_up")]
)
def test_lag_is_what_lies_between_the_position_and_the_end(log_end: int, lag: int, state: str) -> None:
    copy = a_copy(position=10)
    copy.log_end = log_end

    assert (copy.lag, copy.state) == (lag, state)


def test_parts_stand_for_a_batch_and_later_batches_get_new_sequences() -> None:
    copy, frame = a_copy(), CountedFrame()
    entry, later = batch(copy, 4, frame), batch(copy, 2)
    entry.runs = ((0, 0, 2), (10, 2, 2))  # offsets 2 to 9 were compacted away
    entry.next = 12
    for each in (entry, later):
        each.base_sequence = copy.take_sequences(each.records)
    parts = (
        entry.part(0, entry.upstream_of(3), slice(0, 3)),
        entry.part(entry.upstream_of(3), entry.next, slice(3, 4)),
    )

    copy.replace(entry, parts)

    assert [(part.first, part.next, part.records, part.runs) for part in parts] == [
        (0, 11, 3, ((0, 0, 2), (10, 2, 1))),
        (11, 12, 1, ((11, 0, 1),)),
    ]
    assert list(copy.queue) == [*parts, later]
    assert (copy.next_sequence, later.base_sequence) == (0, None)
    assert frame.holders == 0


def test_a_rewound_partition_goes_on_at_its_position() -> None:
    copy, frame = a_copy(position=5), CountedFrame()
    sent, _waiting = batch(copy, 3, frame), batch(copy, 3, frame)
    copy.next_to_send()
    sent.acknowledged_at, sent.sent = 40, False
    copy.uncommitted.extend(copy.finished())
    assert copy.position_in_transaction.next_offset == 8
    assert copy.position_in_transaction.downstream_next == 43

    copy.rewind()

    assert (copy.fetch_offset, copy.position_in_transaction.next_offset, copy.pending_bytes) == (5, 5, 0)
    assert copy.is_idle
    assert not copy.uncommitted


def test_what_passes_does_not_hide_what_only_a_person_ends() -> None:
    copy = a_copy()
    copy.stop_for("failed", Cause(code="batch_refused", text="refused", topic="t", partition=0, since_ms=1))

    copy.stop_for("stalled", Cause(code="leader_not_available", text="away", topic="t", partition=0, since_ms=2))

    assert (copy.state, copy.cause.code if copy.cause else None) == ("failed", "batch_refused")


def test_bytes_outside_of_frames_count_until_they_are_done() -> None:
    pool, memory = BufferPool(1_000_000), SlotMemory(share_bytes=70)
    planned = PlannedPartition(upstream=TopicPartition("t", 0), remote_topic="a.t", topic_id=TOPIC_ID)
    copy = PartitionCopy(planned, Position(next_offset=0, topic_id=TOPIC_ID), offset_lag_max=100, memory=memory)
    frame = pool.take(1)
    batch(copy, 4, frame)  # type: ignore[arg-type] # a real one
    frame.release()
    built = batch(copy, 3)
    assert memory.held_bytes == 30
    assert memory.has_room

    copy.unpin()
    copy.unpin()
    assert (pool.used_bytes, memory.held_bytes) == (0, 40 + 30)
    assert not memory.has_room
    half = built.part(4, 6, slice(0, 2))
    half.data, half.size_bytes = memoryview(b"x" * 20), 20
    copy.replace(built, (half, Entry(6, 7, 3)))
    assert memory.held_bytes == 40 + 20

    copy.rewind()

    assert memory.held_bytes == 0
