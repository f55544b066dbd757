"""Slots share the frame memory: one with a slow target leaves the others their part."""

import gc

import pytest

from replication.domain.fetch.frame_shares import water_level
from replication.wire.network.buffers import FrameBuffer
from replication.wire.network.slot_frames import SharedFrames, SlotFrames

MIB = 1024 * 1024
POOL = 96 * MIB


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shared(clock: Clock) -> SharedFrames:
    return SharedFrames(POOL, clock)


def fill(slot: SlotFrames, clock: Clock, size: int = MIB) -> list[FrameBuffer]:
    """Fetch until there is no room, as a slot does whose target takes nothing."""
    taken: list[FrameBuffer] = []
    slot.note_wanted(size)
    while slot.has_room(size):
        taken.append(slot.acquire(size))
        clock.now_s += 0.01
        slot.note_wanted(size)
    return taken


@pytest.mark.parametrize(
    ("demands", "level"),
    [
        ((), 90),
        ((50,), 90),
        ((30, 30, 30), 90),
        ((100, 100), 45),
        ((10, 100), 80),
        ((10, 20, 100, 100), 30),
        ((1,) * 10 + (100,), 80),
    ],
)
def test_slots_that_want_little_leave_the_rest_to_others(demands: tuple[int, ...], level: int) -> None:
    assert water_level(demands, 90) == level


def test_a_single_slot_has_the_whole_pool(shared: SharedFrames, clock: Clock) -> None:
    slot = shared.open_slot()

    fill(slot, clock)

    assert slot.used_bytes > POOL - 2 * MIB


def test_a_slow_slot_leaves_room_for_one_that_wakes_up(shared: SharedFrames, clock: Clock) -> None:
    slow, woken = shared.open_slot(), shared.open_slot()

    fill(slow, clock)

    assert slow.used_bytes > POOL // 2, "it borrows while the other one is idle"
    assert len(fill(woken, clock)) >= 8


def test_a_busy_neighbour_gets_its_share_back(shared: SharedFrames, clock: Clock) -> None:
    slow, busy = shared.open_slot(), shared.open_slot()
    clock.now_s += 1
    held, own = fill(slow, clock), fill(busy, clock)

    for _ in range(200):  # the slow target acknowledges one frame; both slots fetch as much as they may
        held.pop(0).release()
        clock.now_s += 0.05
        own += fill(busy, clock)
        held += fill(slow, clock)

    assert busy.used_bytes >= 40 * MIB
    assert slow.used_bytes >= 40 * MIB


def test_what_a_neighbour_does_not_want_any_more_is_lent_again(shared: SharedFrames, clock: Clock) -> None:
    slow, other = shared.open_slot(), shared.open_slot()
    held, own = fill(slow, clock), fill(other, clock)
    while own:
        own.pop().release()
    for _ in range(5):
        clock.now_s += 1
        held += fill(slow, clock)

    assert slow.used_bytes >= 80 * MIB


def test_a_slot_that_ended_shares_no_longer(shared: SharedFrames, clock: Clock) -> None:
    slow, ended = shared.open_slot(), shared.open_slot()
    ended.acquire(MIB).release()
    del ended
    gc.collect()
    clock.now_s += 1

    fill(slow, clock)

    assert slow.used_bytes > POOL - 2 * MIB


def test_an_answer_under_way_counts(shared: SharedFrames, clock: Clock) -> None:
    slot, _other = shared.open_slot(), shared.open_slot()
    clock.now_s += 1
    slot.reserve(POOL - POOL // 8)

    assert not slot.has_room(MIB)

    slot.unreserve(POOL - POOL // 8)

    assert slot.has_room(MIB)


def test_a_used_buffer_serves_the_next_slot(shared: SharedFrames) -> None:
    first, second = shared.open_slot(), shared.open_slot()
    buffer = first.acquire(MIB)
    buffer.release()

    again = second.acquire(MIB)

    assert again is buffer
    assert (first.used_bytes, second.used_bytes) == (0, buffer.capacity)
    assert shared.pool.used_bytes == buffer.capacity


def test_asking_for_room_does_not_change_a_share(shared: SharedFrames) -> None:
    slot = shared.open_slot()

    slot.has_room(MIB)

    assert slot.demand_bytes == 0
