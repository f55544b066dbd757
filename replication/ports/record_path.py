"""The record path: decode source batches and build batches the target accepts."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from replication.domain.batch import BatchRow, TargetRules
from replication.domain.identifiers import TopicPartition
from replication.domain.record import Record


class BuiltBatch(NamedTuple):
    """A batch built anew. `runs` holds (upstream offset, index in the batch, length) of each stretch without holes."""

    data: bytearray
    first_offset: int
    last_offset: int
    records: int
    max_timestamp: int
    runs: tuple[tuple[int, int, int], ...]
    source_bytes: int = 0  # of the source batches that went into it


class RefusedRecord(NamedTuple):
    """A record a transform could not handle."""

    record: Record
    reason: str


class Rebuilt(NamedTuple):
    """What became of a stretch of batches. `refused` ends the stretch where the flow stops at such a record."""

    batches: Sequence[BuiltBatch]
    filtered: int = 0  # records a transform left out
    looped: int = 0  # records that were on the target before
    refused: Sequence[RefusedRecord] = ()


class RecordPath(Protocol):
    """What the flow wants of records, applied to whole batches.

    Rows of batches come with the view of the fetch answer they stand in. Any exception means that they cannot be
    decoded; CorruptBatchError names the batch.
    """

    def looks_at(self, topic: str) -> bool:
        """Whether every record of this upstream topic has to be looked at."""
        ...

    def rebuild(
        self,
        upstream: TopicPartition,
        view: memoryview,
        rows: Sequence[BatchRow],
        *,
        position: int,
        rules: TargetRules,
    ) -> Rebuilt:
        """The records of successive batches from `position` on, merged into as few batches as the target takes."""
        ...

    def recompress(self, view: memoryview, batch: BatchRow, codec: int) -> bytearray:
        """One batch with its records packed by another codec, undecoded; the checksum is left to the rewrite."""
        ...
