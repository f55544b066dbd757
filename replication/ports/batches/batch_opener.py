"""Opens a batch that the target rejected, to find the record at fault."""

from typing import NamedTuple, Protocol

from replication.ports.batches.record_path import MOST_PLAIN_BYTES
from replication.ports.produce.record_appender import OutgoingRecord


class BatchPart(NamedTuple):
    """Some successive records of a batch as a batch of their own."""

    data: bytearray
    records: int
    max_timestamp: int


class BatchOpener(Protocol):
    """Works on queued batches. Any exception means that the batch cannot be read.

    One implementation; the port keeps the tasks free of the record codec (ADR 16).
    """

    def halve(self, data: memoryview, most_plain_bytes: int = MOST_PLAIN_BYTES) -> tuple[BatchPart, BatchPart]:
        """The first and the second half of a batch of at least two records, in the same codec.

        Raises TooMuchPlainError.
        """
        ...

    def only_record(self, data: memoryview, most_plain_bytes: int = MOST_PLAIN_BYTES) -> OutgoingRecord:
        """The record of a batch of one. Raises TooMuchPlainError."""
        ...
