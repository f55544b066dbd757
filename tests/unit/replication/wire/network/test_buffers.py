import pytest

from replication.wire.network.buffers import FRAMING, SMALLEST_BYTES, BufferPool, SlotMemory

SMALLEST_FRAME = SMALLEST_BYTES + SMALLEST_BYTES // FRAMING
MIB = 1024 * 1024


def test_a_buffer_is_reused_once_every_holder_let_go() -> None:
    pool = BufferPool(10 * SMALLEST_BYTES)
    buffer = pool.acquire(SMALLEST_BYTES)
    buffer.retain()
    buffer.release()
    assert pool.acquire(SMALLEST_BYTES) is not buffer

    buffer.release()

    assert pool.acquire(SMALLEST_BYTES) is buffer


def test_an_answer_of_about_the_same_size_finds_a_used_buffer() -> None:
    pool = BufferPool(100 * SMALLEST_BYTES)
    used = pool.acquire(4 * SMALLEST_BYTES)
    used.release()

    assert pool.acquire(2 * SMALLEST_FRAME - 1) is not used, "more than half of it would lie idle"
    again = pool.acquire(2 * SMALLEST_FRAME)

    assert again is used
    assert pool.used_bytes == 6 * SMALLEST_FRAME
    assert not pool._free_bytes


@pytest.mark.parametrize("asked", [MIB, 3 * MIB, 4 * MIB, 8 * MIB])
def test_an_answer_as_large_as_was_asked_for_and_its_framing_waste_nothing(asked: int) -> None:
    pool = BufferPool(96 * MIB)

    assert pool.acquire(asked + 500).capacity <= asked + asked // FRAMING
    assert pool.acquire(asked - 500).capacity <= asked + asked // FRAMING


@pytest.mark.parametrize("size", [1, SMALLEST_BYTES, SMALLEST_FRAME, SMALLEST_FRAME + 1, 5 * MIB - 1, 1_065_000])
def test_a_buffer_holds_what_it_was_taken_for(size: int) -> None:
    assert size <= BufferPool(96 * MIB).acquire(size).capacity <= max(SMALLEST_FRAME, size * 3 // 2 + size // FRAMING)


def test_a_full_pool_has_no_room_and_an_empty_one_always_has() -> None:
    pool = BufferPool(2 * SMALLEST_FRAME)
    assert pool.has_room(100 * SMALLEST_BYTES)
    first = pool.acquire(2 * SMALLEST_BYTES)
    assert not pool.has_room(1)

    first.release()

    assert pool.has_room(2 * SMALLEST_BYTES)


def test_memory_kept_for_reuse_never_exceeds_the_limit() -> None:
    pool = BufferPool(8 * SMALLEST_FRAME)
    small = [pool.acquire(SMALLEST_BYTES) for _ in range(8)]
    for buffer in small:
        buffer.release()

    large = pool.acquire(8 * SMALLEST_BYTES)

    assert large.capacity == 8 * SMALLEST_FRAME
    assert pool.used_bytes == 8 * SMALLEST_FRAME
    assert not pool._free_bytes


def test_buffers_that_a_burst_needed_are_given_back_after_a_while() -> None:
    pool = BufferPool(100 * SMALLEST_FRAME)
    for buffer in [pool.acquire(SMALLEST_BYTES) for _ in range(10)]:
        buffer.release()
    pool.trim()  # they were in use since the last call
    assert pool.held_bytes == 10 * SMALLEST_FRAME

    for _ in range(5):  # three at a time are still needed
        for buffer in [pool.acquire(SMALLEST_BYTES) for _ in range(3)]:
            buffer.release()
    pool.trim()
    assert pool.held_bytes == 3 * SMALLEST_FRAME

    used = pool.acquire(SMALLEST_BYTES)
    pool.trim()
    pool.trim()
    assert (pool.held_bytes, pool.used_bytes) == (SMALLEST_FRAME, SMALLEST_FRAME)
    used.release()
    assert pool.held_bytes == SMALLEST_FRAME


def test_a_slot_has_no_room_while_its_share_is_held_and_others_do_not_notice() -> None:
    stuck, other = SlotMemory(share_bytes=100), SlotMemory(share_bytes=100)
    held = stuck.hold(100)
    held.retain()
    held.release()
    assert not stuck.has_room
    assert other.has_room

    held.release()

    assert stuck.has_room
