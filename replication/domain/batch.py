"""What to do with one record batch, decided from its 61-byte header alone.

Layout and broker rules: Kafka's `DefaultRecordBatch`, `ProduceRequest.validateRecords`, `LogValidator.validateBatch`.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from replication.domain.slot import TimestampType

HEADER_BYTES = 61
LENGTH_OVERHEAD_BYTES = 12  # base offset and length field, not counted by the length field

CODEC_MASK = 0x07
LOG_APPEND_TIME_BIT = 0x08
TRANSACTIONAL_BIT = 0x10
CONTROL_BIT = 0x20

NO_PRODUCER_ID = -1


class BatchHeader(NamedTuple):
    """The header of a RecordBatch v2, fields in the order they stand in."""

    base_offset: int
    length: int
    leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    records: int

    @property
    def size_bytes(self) -> int:
        return self.length + LENGTH_OVERHEAD_BYTES

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        """The offset to fetch after this batch (compaction keeps a batch's offset range)."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def is_control(self) -> bool:
        return bool(self.attributes & CONTROL_BIT)

    @property
    def is_transactional(self) -> bool:
        return bool(self.attributes & TRANSACTIONAL_BIT)


class BatchAction(Enum):
    """PASS forwards the bytes, REBUILD decodes and builds anew, DROP only advances the position."""

    PASS = "pass"  # noqa: S105 - an action, not a password
    DROP_CONTROL = "control batch"
    DROP_ABORTED = "aborted transaction"
    DROP_BELOW = "below the position"
    DROP_EMPTY = "no records left by compaction"
    REBUILD_MAGIC = "old message format"
    REBUILD_MID_BATCH = "position inside the batch"
    REBUILD_HOLES = "holes left by compaction"
    REBUILD_TIMESTAMPS = "append time must become create time"
    REBUILD_TOO_LARGE = "larger than the remote topic takes"

    @property
    def drops(self) -> bool:
        return self.name.startswith("DROP")

    @property
    def rebuilds(self) -> bool:
        return self.name.startswith("REBUILD")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRules:
    """What the remote topic accepts."""

    max_message_bytes: int
    timestamp_type: TimestampType


def decide(header: BatchHeader, *, position: int, aborted: bool, target: TargetRules) -> BatchAction:
    """The one decision per batch; `position` is the next source offset wanted, `aborted` what the answer said."""
    if header.magic < 2:
        return BatchAction.REBUILD_MAGIC
    attributes = header.attributes
    if attributes & CONTROL_BIT:
        return BatchAction.DROP_CONTROL
    if aborted:
        return BatchAction.DROP_ABORTED
    if header.base_offset + header.last_offset_delta < position:
        return BatchAction.DROP_BELOW
    if header.records == 0:
        return BatchAction.DROP_EMPTY
    if header.base_offset < position:
        return BatchAction.REBUILD_MID_BATCH
    if header.records != header.last_offset_delta + 1:
        return BatchAction.REBUILD_HOLES
    if attributes & LOG_APPEND_TIME_BIT and target.timestamp_type == "CreateTime":
        return BatchAction.REBUILD_TIMESTAMPS
    if header.length + LENGTH_OVERHEAD_BYTES > target.max_message_bytes:
        return BatchAction.REBUILD_TOO_LARGE
    return BatchAction.PASS


class AbortedTransactions:
    """Which batches belong to aborted transactions, fed as Kafka's `CompletedFetch` feeds its own set.

    One per partition and fetch response: every record of a batch has one producer, so nothing need be decoded except
    abort markers.
    """

    __slots__ = ("_active", "_pending")

    def __init__(self, aborted: tuple[tuple[int, int], ...]) -> None:
        """`aborted` is the response's list of (producer id, first offset), in any order."""
        self._pending = sorted(aborted, key=lambda pair: pair[1], reverse=True)
        self._active: set[int] = set()

    def covers(self, header: BatchHeader) -> bool:
        """True when this data batch is part of an aborted transaction. Call once per batch, in log order."""
        while self._pending and self._pending[-1][1] <= header.last_offset:
            self._active.add(self._pending.pop()[0])
        return header.is_transactional and not header.is_control and header.producer_id in self._active

    def abort_marker(self, producer_id: int) -> None:
        """The log reached the abort marker of this producer's transaction."""
        self._active.discard(producer_id)
