"""The record path: decode source batches and build batches the target accepts."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from replication.domain.batches.batch_decision import BatchRow, TargetRules
from replication.domain.batches.record import Record
from replication.domain.identifiers import TopicPartition
from replication.domain.settings.registry.records import MAX_UNPACKED_BYTES

MOST_PLAIN_BYTES: int = MAX_UNPACKED_BYTES.default  # of the records of one batch, where no flow says otherwise


class TooMuchPlainError(ValueError):
    """A batch claims to hold, or holds, more plain bytes than allowed."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"its records take more than {most_bytes / 1024 / 1024:.3g} MB unpacked")


class BuiltBatch(NamedTuple):
    """A rebuilt batch. `runs` holds (upstream offset, index in the batch, length) of each range without holes."""

    data: bytearray
    first_offset: int
    last_offset: int
    records: int
    max_timestamp: int
    runs: tuple[tuple[int, int, int], ...]
    source_bytes: int = 0  # of the source batches that went into it


class FailedTransform(NamedTuple):
    """A record a transform could not handle."""

    record: Record
    reason: str


class Rebuilt(NamedTuple):
    """The result of rebuilding a range of batches. `failed` ends the range where the flow stops at such a record.

    `end` is the place in the answer behind the last batch that was rebuilt.
    """

    batches: Sequence[BuiltBatch]
    end: int
    plain_bytes: int  # that the source batches took
    filtered: int = 0  # records a transform dropped
    looped: int = 0  # records that were on the target before
    failed: Sequence[FailedTransform] = ()


class Recompressed(NamedTuple):
    """A batch under another codec."""

    data: bytearray
    plain_bytes: int


class RecordPath(Protocol):
    """The flow's rules for records, applied to whole batches.

    Rows of batches come with the view of the fetch answer that holds them. Any exception means that they cannot be
    decoded; CorruptBatchError names the batch.

    One implementation; the port keeps the tasks free of the record codec and of compression (ADR 16).
    """

    def decodes(self, topic: str) -> bool:
        """Return True when every record of this upstream topic has to be decoded."""
        ...

    def forget(self, topic: str) -> None:
        """Forget what was learned of a topic."""

    def rebuild(
        self,
        upstream: TopicPartition,
        view: memoryview,
        rows: Sequence[BatchRow],
        *,
        position: int,
        rules: TargetRules,
        most_plain_bytes: int = MOST_PLAIN_BYTES,
    ) -> Rebuilt:
        """The records of successive batches from `position` on, merged into as few batches as the target takes.

        Ends before the batch with which they would take more than `most_plain_bytes`; raises TooMuchPlainError where
        that is the first one.
        """
        ...

    def recompress(
        self, view: memoryview, batch: BatchRow, codec: int, most_plain_bytes: int = MOST_PLAIN_BYTES
    ) -> Recompressed:
        """One batch with its records packed by another codec, undecoded; the checksum is left to the rewrite.

        Raises TooMuchPlainError.
        """
        ...
