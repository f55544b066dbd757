"""Frame memory by slot: a slot with a slow target leaves the slots beside it their share of the pool.

A slot borrows from the shares of slots that want less. A part of the pool is never lent, so a slot that wakes up
starts at once.
"""

import time
from collections.abc import Callable
from weakref import WeakSet

from replication.domain.fetch.frame_shares import water_level
from replication.wire.network.buffers import BufferPool, FrameBuffer

NOT_LENT = 8  # this part of the pool, as long as there are several slots
PERIOD_S = 1.0
LEVEL_EVERY_S = 0.1


class SharedFrames:
    """The pool of a process, and the slots that share it. Used on the loop's thread only."""

    def __init__(self, limit_bytes: int, clock_s: Callable[[], float] = time.monotonic) -> None:
        self.limit_bytes = limit_bytes
        self.pool = BufferPool(limit_bytes)
        self._clock_s = clock_s
        self._slots: WeakSet[SlotFrames] = WeakSet()
        self._level_bytes = limit_bytes
        self._level_s = self._period_s = clock_s()

    def open_slot(self) -> "SlotFrames":
        """Return the frame memory of one more slot; it leaves with its last reference."""
        slot = SlotFrames(self)
        self._slots.add(slot)
        self._level_bytes = self._level()  # what one slot alone may hold does not hold for two
        return slot

    @property
    def level_bytes(self) -> int:
        """The most bytes that one slot may hold now."""
        now_s = self._clock_s()
        if now_s - self._level_s >= LEVEL_EVERY_S:
            self._level_s = now_s
            self._level_bytes = self._level()
            if now_s - self._period_s >= PERIOD_S:
                self._period_s = now_s
                for slot in self._slots:
                    slot.start_period()
        return self._level_bytes

    def _level(self) -> int:
        if len(self._slots) < 2:
            return self.limit_bytes
        return water_level((slot.demand_bytes for slot in self._slots), self.limit_bytes - self.limit_bytes // NOT_LENT)


class SlotFrames:
    """The frames of one slot; a `FrameMemory`."""

    def __init__(self, shared: SharedFrames) -> None:
        self._shared = shared
        self._pool = shared.pool
        self._reserved_bytes = 0
        self._peak_bytes = 0  # the most that was wanted in this period
        self._last_peak_bytes = 0
        self.used_bytes = 0

    @property
    def demand_bytes(self) -> int:
        """Held, under way or wanted lately."""
        return max(self.used_bytes + self._reserved_bytes, self._peak_bytes, self._last_peak_bytes)

    def start_period(self) -> None:
        """Forget what was wanted before the period that ends."""
        self._last_peak_bytes, self._peak_bytes = self._peak_bytes, 0

    def has_room(self, wanted_bytes: int) -> bool:
        """True when a fetch of that size may be sent; a slot that holds nothing needs room in the pool only."""
        own_bytes = self.used_bytes + self._reserved_bytes
        is_within = own_bytes == 0 or own_bytes + wanted_bytes <= self._shared.level_bytes
        return is_within and self._pool.has_room(wanted_bytes)

    def note_wanted(self, wanted_bytes: int) -> None:
        """The slot wants so much more now, whether there is room or not: it decides about the slot's share."""
        self._peak_bytes = max(self._peak_bytes, self.used_bytes + self._reserved_bytes + wanted_bytes)

    def reserve(self, expected_bytes: int) -> None:
        """An answer of about that size is under way; `unreserve` when it is here or will not come."""
        self._reserved_bytes += expected_bytes
        self._pool.reserve(expected_bytes)

    def unreserve(self, expected_bytes: int) -> None:
        self._reserved_bytes -= expected_bytes
        self._pool.unreserve(expected_bytes)

    def acquire(self, size: int) -> FrameBuffer:
        """Return a buffer of at least `size` bytes, held once."""
        buffer = self._pool.acquire(size)
        buffer.owner = self
        self.used_bytes += buffer.capacity
        return buffer

    def give_back(self, buffer: FrameBuffer) -> None:
        self.used_bytes -= buffer.capacity
        buffer.owner = self._pool
        self._pool.give_back(buffer)
