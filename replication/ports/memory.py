"""The memory that a slot's batches take outside of the frames they came in."""

from typing import Protocol

from replication.ports.source_reader import Frame


class Memory(Protocol):
    """While the slot's share is used up, the slot fetches nothing."""

    @property
    def has_room(self) -> bool: ...

    def hold(self, size_bytes: int) -> Frame:
        """Held once; given back by the last release."""
        ...
