"""The record path: decode a source batch and build batches the target accepts."""

from typing import NamedTuple, Protocol

from replication.domain.batch import BatchHeader


class BuiltBatch(NamedTuple):
    """A batch built anew. `runs` holds (upstream offset, index in the batch, length) of each stretch without holes."""

    data: bytearray
    first_offset: int
    last_offset: int
    records: int
    max_timestamp: int
    runs: tuple[tuple[int, int, int], ...]


class BatchRebuilder(Protocol):
    """A pure function of its input."""

    def __call__(self, data: memoryview, header: BatchHeader, *, position: int, max_bytes: int) -> list[BuiltBatch]:
        """Records from `position` on, without holes in the new offsets, split where larger than `max_bytes`.

        A single record larger than that stays a batch of its own; the target then names the refusal.
        """
        ...
