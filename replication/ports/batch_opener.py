"""Opening a batch that the target refused, to find the record it means."""

from typing import NamedTuple, Protocol

from replication.ports.target_writer import OutgoingRecord


class Piece(NamedTuple):
    """A stretch of a batch's records as a batch of its own."""

    data: bytearray
    records: int
    max_timestamp: int


class BatchOpener(Protocol):
    """Works on queued batches, whatever path they came. Any exception means that the batch cannot be read."""

    def halve(self, data: memoryview) -> tuple[Piece, Piece]:
        """The first and the second half of a batch of at least two records, in the same codec."""
        ...

    def only_record(self, data: memoryview) -> OutgoingRecord:
        """The record of a batch of one."""
        ...
