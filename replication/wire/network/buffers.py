"""Frame buffers from a bounded pool: the memory bound and the back-pressure of the data plane in one.

A fetch answer stays in its buffer until every batch in it was acknowledged. No free budget, no next fetch.
Buffers are reused because a fresh one costs a page fault per 4 kB. Batches that were rebuilt, or copied out of
their frame, are bounded by slot: otherwise slow targets would fill the process's memory behind the pool's back.
"""

import mmap
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Protocol

import structlog

log = structlog.get_logger(__name__)

SMALLEST_BYTES = 64 * 1024
FRAMING = 64  # this part more: an answer is so many MiB of batches, as was asked for, and some bytes around them
SLOT_SHARE_BYTES = 32 * 1024 * 1024


class FrameMemory(Protocol):
    """Hands out buffers for frames: the pool, or one slot's part of it."""

    def has_room(self, wanted_bytes: int) -> bool: ...

    def note_wanted(self, wanted_bytes: int) -> None: ...

    def reserve(self, expected_bytes: int) -> None: ...

    def unreserve(self, expected_bytes: int) -> None: ...

    def acquire(self, size: int) -> "FrameBuffer": ...

    def give_back(self, buffer: "FrameBuffer") -> None: ...


class FrameBuffer:
    """A reference-counted stretch of memory. Used on the loop's thread only."""

    __slots__ = ("_references", "capacity", "owner", "view")

    def __init__(self, owner: FrameMemory, capacity: int) -> None:
        self.owner = owner  # it takes the buffer back
        self._references = 1
        self.capacity = capacity
        self.view = memoryview(bytearray(capacity))

    def reuse(self) -> None:
        self._references = 1

    def retain(self) -> None:
        """One more holder."""
        self._references += 1

    def release(self) -> None:
        """One holder less; the last one gives the buffer back."""
        self._references -= 1
        if self._references == 0:
            self.owner.give_back(self)


class HeldBytes:
    """Bytes on the heap that count against their slot's share until the last holder lets go."""

    __slots__ = ("_memory", "_references", "_size_bytes")

    def __init__(self, memory: "SlotMemory", size_bytes: int) -> None:
        self._memory = memory
        self._references = 1
        self._size_bytes = size_bytes

    def retain(self) -> None:
        self._references += 1

    def release(self) -> None:
        self._references -= 1
        if self._references == 0:
            self._memory.held_bytes -= self._size_bytes


class SlotMemory:
    """The memory that one slot holds outside of frames: built batches, and those of stuck partitions.

    A share for each slot rather than one for all: a target that is away must not stop the flows to the others.
    """

    def __init__(self, share_bytes: int = SLOT_SHARE_BYTES, folder: Path | None = None) -> None:
        """`folder` takes the files of what is set aside; without one it is the system's for temporary files."""
        self._share_bytes = share_bytes
        self._folder = folder
        self.held_bytes = 0

    def hold(self, size_bytes: int) -> HeldBytes:
        """Never refused: what is there is there, but above the share the slot fetches no more."""
        self.held_bytes += size_bytes
        return HeldBytes(self, size_bytes)

    @property
    def has_room(self) -> bool:
        return self.held_bytes < self._share_bytes

    @property
    def is_crowded(self) -> bool:
        return self.held_bytes >= self._share_bytes // 2

    def set_aside(self, data: memoryview) -> memoryview | None:
        """Into a file without a name, which only this process can read and which ends with it."""
        try:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                file.write(data)
                file.flush()
                return memoryview(mmap.mmap(file.fileno(), len(data)))
        except OSError as error:
            log.warning("batches of stuck partitions stay in memory", folder=str(self._folder), error=str(error))
            return None


class BufferPool:
    """Hands out buffers up to `limit_bytes`; one frame may exceed it, or an oversized batch could never be read."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._free: dict[int, list[FrameBuffer]] = defaultdict(list)
        self._free_bytes = 0
        self._least_free_bytes = 0  # since the last `trim`
        self.used_bytes = 0
        self._reserved_bytes = 0

    @property
    def held_bytes(self) -> int:
        """The bytes of all buffers, used or kept for reuse."""
        return self.used_bytes + self._free_bytes

    def trim(self) -> None:
        """Give buffers back to the system that nothing has used since the last call."""
        self._shrink_to(self._free_bytes - self._least_free_bytes)
        self._least_free_bytes = self._free_bytes

    def has_room(self, wanted_bytes: int) -> bool:
        """True when a fetch of that size may be sent."""
        taken_bytes = self.used_bytes + self._reserved_bytes
        return taken_bytes == 0 or taken_bytes + wanted_bytes <= self._limit_bytes

    def note_wanted(self, wanted_bytes: int) -> None:
        """A pool that no one shares has nothing to divide."""

    def reserve(self, expected_bytes: int) -> None:
        """An answer of about that size is under way; `unreserve` when it is here or will not come."""
        self._reserved_bytes += expected_bytes

    def unreserve(self, expected_bytes: int) -> None:
        self._reserved_bytes -= expected_bytes

    def acquire(self, size: int) -> FrameBuffer:
        """Return a buffer of at least `size` bytes, held once."""
        capacity = _rounded(size)
        buffer = self._shelved(capacity, size)
        if buffer is None:
            self._shrink_to(self._limit_bytes - self.used_bytes - capacity)
            buffer = FrameBuffer(self, capacity)
        self.used_bytes += buffer.capacity
        return buffer

    def _shelved(self, capacity: int, size: int) -> FrameBuffer | None:
        """A buffer that was used before, at most twice as large as needed: answers are of one size only roughly."""
        while capacity <= 2 * size or capacity == SMALLEST_BYTES:
            shelf = self._free.get(capacity)
            if shelf:
                buffer = shelf.pop()
                buffer.reuse()
                self._free_bytes -= capacity
                self._least_free_bytes = min(self._least_free_bytes, self._free_bytes)
                return buffer
            capacity = _rounded(capacity + 1)
        return None

    def give_back(self, buffer: FrameBuffer) -> None:
        self.used_bytes -= buffer.capacity
        if self.used_bytes + self._free_bytes + buffer.capacity <= self._limit_bytes:
            self._free[buffer.capacity].append(buffer)
            self._free_bytes += buffer.capacity

    def _shrink_to(self, free_bytes: int) -> None:
        for capacity in sorted(self._free, reverse=True):
            shelf = self._free[capacity]
            while shelf and self._free_bytes > free_bytes:
                shelf.pop()
                self._free_bytes -= capacity
        self._least_free_bytes = min(self._least_free_bytes, self._free_bytes)


def _rounded(size: int) -> int:
    """The next size class: powers of two and the middles between them, each with room for the framing."""
    batches = max(SMALLEST_BYTES, size - size // (FRAMING + 1))
    power = 1 << (batches - 1).bit_length()
    middle = power * 3 // 4
    chosen = middle if middle >= SMALLEST_BYTES and batches <= middle else power
    return chosen + chosen // FRAMING
