"""The memory that a slot's batches take outside of the frames they came in."""

from typing import Protocol

from replication.ports.fetch.batch_fetcher import Frame


class BatchMemory(Protocol):
    """While the slot's share is used up, the slot fetches nothing.

    One implementation; the port keeps the tasks free of buffers and files (ADR 16).
    """

    @property
    def has_room(self) -> bool: ...

    @property
    def is_crowded(self) -> bool:
        """Half of the share is used up: who is stuck should set its batches aside."""
        ...

    def set_aside(self, data: memoryview) -> memoryview | None:
        """The same bytes, writable, in a file that ends with its last view. None where the disk takes no more."""
        ...

    def hold(self, size_bytes: int) -> Frame:
        """Held once; given back by the last release."""
        ...
