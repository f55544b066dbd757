"""Decides how to handle one record batch from its 61-byte header alone.

Layout and broker rules: Kafka's `DefaultRecordBatch`, `ProduceRequest.validateRecords`, `LogValidator.validateBatch`.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from replication.domain.plan.slot import TimestampType
from replication.domain.settings.choices import ErrorsPolicy

HEADER_BYTES = 61
LENGTH_OVERHEAD_BYTES = 12  # base offset and length field, not counted by the length field

CODEC_MASK = 0x07
LOG_APPEND_TIME_BIT = 0x08
TRANSACTIONAL_BIT = 0x10
CONTROL_BIT = 0x20

NO_PRODUCER_ID = -1

LARGEST_MERGED_BYTES = 256 * 1024  # a batch from that size on gains nothing by being merged


class BatchHeader(NamedTuple):
    """The header of a RecordBatch v2, fields in their order on the wire."""

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


class BatchRow(NamedTuple):
    """Successive batches of one answer that share a decision: alike, not control, or just one of any kind.

    `at`, `end` and `last_at` are places in the answer: of the first batch, behind the last, of the last.
    """

    at: int
    first: BatchHeader
    end: int
    last_at: int
    batches: int
    records: int


class BatchAction(Enum):
    """PASS forwards the bytes, RECOMPRESS changes the codec, REBUILD decodes them, DROP only advances the position."""

    PASS = "pass"  # noqa: S105 - an action, not a password
    DROP_CONTROL = "control batch"
    DROP_ABORTED = "aborted transaction"
    DROP_BELOW = "below the position"
    DROP_EMPTY = "no records left by compaction"
    DROP_LOOPED = "copied here from the flow's own target"
    REBUILD_MAGIC = "old message format"
    REBUILD_RECORDS = "the flow inspects every record"
    REBUILD_MID_BATCH = "position inside the batch"
    REBUILD_HOLES = "holes left by compaction"
    REBUILD_TIMESTAMPS = "append time must become create time"
    REBUILD_TOO_LARGE = "larger than the remote topic takes"
    REBUILD_SMALL = "small, to be merged with its neighbours"
    RECOMPRESS = "another codec is wanted"

    @property
    def drops(self) -> bool:
        return self in _DROPS

    @property
    def rebuilds(self) -> bool:
        return self in _REBUILDS


_DROPS = frozenset(action for action in BatchAction if action.name.startswith("DROP"))
_REBUILDS = frozenset(action for action in BatchAction if action.name.startswith("REBUILD"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRules:
    """The limits of the remote topic, and the flow's wishes for its batches."""

    max_message_bytes: int
    timestamp_type: TimestampType
    codec: int | None = None  # None keeps the codec of each batch
    every_record: bool = False  # transforms, headers of ours: no batch of the topic passes unread
    errors_policy: ErrorsPolicy = "stop_partition"  # for records that a transform cannot handle

    def codec_for(self, batch_codec: int) -> int:
        """The codec a batch has on the target."""
        return batch_codec if self.codec is None else self.codec


def alike_bytes(target: TargetRules) -> int:
    """The size up to which batches are merged, or too large, for the same reasons if all else is equal."""
    return min(LARGEST_MERGED_BYTES - 1, target.max_message_bytes)


def decide(
    header: BatchHeader,
    *,
    position: int,
    aborted: bool,
    target: TargetRules,
    looped: bool = False,
    merging: bool = False,
) -> BatchAction:
    """The one decision per batch.

    `position` is the next source offset wanted, `aborted` what the fetch answer said, `looped` that a slot of the
    opposite flow wrote the batch, `merging` that the partition's small batches are re-batched now.
    """
    dropped = _dropped(header, position, aborted=aborted, looped=looped)
    if dropped is not None:
        return dropped
    if header.magic < 2:
        return BatchAction.REBUILD_MAGIC
    if target.every_record:
        return BatchAction.REBUILD_RECORDS
    if header.base_offset < position:
        return BatchAction.REBUILD_MID_BATCH
    if header.records != header.last_offset_delta + 1:
        return BatchAction.REBUILD_HOLES
    return _packed(header, target, merging=merging)


def _dropped(header: BatchHeader, position: int, *, aborted: bool, looped: bool) -> BatchAction | None:
    if header.magic >= 2 and header.attributes & CONTROL_BIT:
        return BatchAction.DROP_CONTROL
    if aborted:
        return BatchAction.DROP_ABORTED
    if header.base_offset + header.last_offset_delta < position:
        return BatchAction.DROP_BELOW
    if header.records == 0:
        return BatchAction.DROP_EMPTY
    return BatchAction.DROP_LOOPED if looped else None


def _packed(header: BatchHeader, target: TargetRules, *, merging: bool) -> BatchAction:
    """All records are wanted as they are; only how they are packed may not fit."""
    attributes = header.attributes
    if attributes & LOG_APPEND_TIME_BIT and target.timestamp_type == "CreateTime":
        return BatchAction.REBUILD_TIMESTAMPS
    size_bytes = header.length + LENGTH_OVERHEAD_BYTES
    if size_bytes > target.max_message_bytes:
        return BatchAction.REBUILD_TOO_LARGE
    if merging and size_bytes < LARGEST_MERGED_BYTES:
        return BatchAction.REBUILD_SMALL
    codec = attributes & CODEC_MASK
    return BatchAction.PASS if target.codec_for(codec) == codec else BatchAction.RECOMPRESS


class AbortedTransactions:
    """Finds the batches of aborted transactions, in the way of Kafka's `CompletedFetch`.

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
