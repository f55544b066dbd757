"""One partition's log as its leader keeps it: stored batches, producer states, transactions, leader epochs."""

import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from replication.codecs.record_batch import CorruptBatchError, batches, is_abort_marker, read_header, sign, verify
from replication.domain.batches.batch_decision import CONTROL_BIT, AbortedTransactions, BatchHeader
from replication.domain.batches.record import Record
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.offsets.leader_epochs import EpochEnd
from replication.wire.batches.record_codec import build_batch, decode_records

REMEMBERED_BATCHES = 5  # Kafka's ProducerStateEntry.NUM_BATCHES_TO_RETAIN
SEQUENCES = 2**31
_PLACE = struct.Struct(">qiI")  # base offset, length, leader epoch


class StoredBatch(NamedTuple):
    """One batch with the offsets that the leader gave it."""

    header: BatchHeader
    data: bytes


class AppendResult(NamedTuple):
    """The answer to one batch; a duplicate has the base offset of the batch it repeats."""

    error_code: int
    base_offset: int = -1


class AbortedRange(NamedTuple):
    """A line of the aborted-transaction index."""

    producer_id: int
    first_offset: int
    marker_offset: int


@dataclass(slots=True)
class ProducerState:
    """One producer as the partition knows it; see Kafka's `ProducerStateEntry`."""

    epoch: int
    last_sequence: int = -1
    recent: deque[tuple[int, int, int]] = field(default_factory=lambda: deque(maxlen=REMEMBERED_BATCHES))


class PartitionLog:
    """Follows Kafka's `UnifiedLog`, `ProducerAppendInfo` and `ProducerStateManager` where a client can tell."""

    def __init__(self) -> None:
        self.batches: list[StoredBatch] = []
        self.leader = 1  # the node; -1 while there is none
        self.leader_epoch = 0
        self.start = 0
        self.end = 0
        self._epoch_starts: list[tuple[int, int]] = [(0, 0)]  # (leader epoch, its first offset)
        self._producers: dict[int, ProducerState] = {}
        self._open: dict[int, int] = {}  # first offset of each open transaction, by producer id
        self._aborted: list[AbortedRange] = []

    @property
    def last_stable_offset(self) -> int:
        return min(self._open.values(), default=self.end)

    def producer_of(self, first_offset: int) -> int | None:
        """The producer whose transaction is open from this offset on."""
        return next((producer for producer, first in self._open.items() if first == first_offset), None)

    def append(self, data: bytes | memoryview, *, max_bytes: int, needs_keys: bool = False) -> AppendResult:
        """Store one batch of a client, or say why not."""
        batch = bytearray(data)
        header = read_header(memoryview(batch), 0)
        try:
            verify(memoryview(batch), 0, header)
        except CorruptBatchError:
            return AppendResult(Code.CORRUPT_MESSAGE)
        if len(batch) > max_bytes:  # before the sequence is looked at, as Kafka does
            return AppendResult(Code.MESSAGE_TOO_LARGE)
        if needs_keys and any(record.key is None for record in decode_records(batch)):
            return AppendResult(Code.INVALID_RECORD)
        if header.producer_id >= 0:
            known = self._known(header)
            if known is not None:
                return known
        base_offset = self._store(batch)
        if header.producer_id >= 0:
            self._remember(header, base_offset)
        return AppendResult(0, base_offset)

    def _known(self, header: BatchHeader) -> AppendResult | None:
        """The answer that the producer's state gives; None where the batch may be stored."""
        state = self._producers.get(header.producer_id)
        if not header.is_transactional and header.producer_id in self._open:
            return AppendResult(Code.INVALID_TXN_STATE)
        if state is None:
            return None
        if header.producer_epoch < state.epoch:
            return AppendResult(Code.INVALID_PRODUCER_EPOCH)
        if header.producer_epoch > state.epoch:
            return AppendResult(Code.OUT_OF_ORDER_SEQUENCE_NUMBER) if header.base_sequence else None
        last = _last_sequence(header)
        for first_known, last_known, base_offset in state.recent:
            if (header.base_sequence, last) == (first_known, last_known):
                return AppendResult(0, base_offset)
        if state.last_sequence >= 0 and header.base_sequence != (state.last_sequence + 1) % SEQUENCES:
            return AppendResult(Code.OUT_OF_ORDER_SEQUENCE_NUMBER)
        if state.last_sequence < 0 and header.base_sequence != 0:  # only a marker of this epoch was written
            return AppendResult(Code.OUT_OF_ORDER_SEQUENCE_NUMBER)
        return None

    def _remember(self, header: BatchHeader, base_offset: int) -> None:
        state = self._producers.get(header.producer_id)
        if state is None or state.epoch != header.producer_epoch:
            state = self._producers[header.producer_id] = ProducerState(header.producer_epoch)
        state.last_sequence = _last_sequence(header)
        state.recent.append((header.base_sequence, state.last_sequence, base_offset))
        if header.is_transactional:
            self._open.setdefault(header.producer_id, base_offset)

    def _store(self, batch: bytearray) -> int:
        base_offset, length = self.end, int.from_bytes(batch[8:12], "big")
        _PLACE.pack_into(batch, 0, base_offset, length, self.leader_epoch)
        header = read_header(memoryview(batch), 0)
        self.batches.append(StoredBatch(header, bytes(batch)))
        self.end = header.next_offset
        return base_offset

    def write_marker(self, producer_id: int, producer_epoch: int, *, committed: bool, now_ms: int) -> None:
        """End the producer's transaction in this partition; a newer epoch shuts older ones out."""
        marker = Record(0, now_ms, b"\0\0" + int(committed).to_bytes(2, "big"), b"\0\0\0\0\0\0", ())
        batch = build_batch(
            [marker], transactional=True, producer_id=producer_id, producer_epoch=producer_epoch, base_sequence=-1
        )
        batch[22] |= CONTROL_BIT
        sign(batch)
        offset = self._store(batch)
        first_offset = self._open.pop(producer_id, None)
        if first_offset is not None and not committed:
            self._aborted.append(AbortedRange(producer_id, first_offset, offset))
        state = self._producers.get(producer_id)
        if state is None or state.epoch != producer_epoch:
            self._producers[producer_id] = ProducerState(producer_epoch)

    def forget_producers(self) -> None:
        """As after `producer.id.expiration.ms`, or once retention has removed what producers wrote."""
        self._producers.clear()

    def elect(self, leader: int) -> None:
        """Another leader, or none (-1); each election begins an epoch."""
        self.leader = leader
        self.leader_epoch += 1
        self._epoch_starts.append((self.leader_epoch, self.end))

    def truncate(self, end: int) -> None:
        """Lose everything from this offset on, as an unclean election does; whole batches only."""
        self.batches = [stored for stored in self.batches if stored.header.next_offset <= end]
        self.end = self.batches[-1].header.next_offset if self.batches else self.start
        self._epoch_starts = [(epoch, min(start, self.end)) for epoch, start in self._epoch_starts]
        self._open = {producer: first for producer, first in self._open.items() if first < self.end}
        self._aborted = [each for each in self._aborted if each.marker_offset < self.end]

    def delete_before(self, offset: int) -> None:
        """Move the log start, as retention and DeleteRecords do."""
        self.start = min(max(self.start, offset), self.end)
        self.batches = [stored for stored in self.batches if stored.header.next_offset > self.start]

    def epoch_end(self, epoch: int) -> EpochEnd:
        """The largest epoch up to this one and its end; follows Kafka's `LeaderEpochFileCache.endOffsetFor`."""
        starts = self._epoch_starts
        if not starts or epoch > starts[-1][0]:
            return EpochEnd(-1, -1)
        found, end = epoch, self.end
        for known, start in starts:
            if known > epoch:
                end = start
                break
            found = known
        return EpochEnd(found, end)

    def diverging(self, epoch: int, offset: int) -> EpochEnd | None:
        """The end of what a reader shares with this log (KIP-595); None when all it read is in it."""
        if epoch < 0:
            return None
        found = self.epoch_end(epoch)
        return found if found.is_known and (found.epoch < epoch or found.end_offset < offset) else None

    def read(self, offset: int, *, committed: bool, max_bytes: int) -> bytearray:
        """Stored batches from the one that holds this offset on; at least one, however large it is."""
        out = bytearray()
        limit = self.last_stable_offset if committed else self.end
        for header, data in self.batches:
            if header.next_offset <= offset:
                continue
            if header.base_offset >= limit or (out and len(out) + len(data) > max_bytes):
                break
            out += data
        return out

    def aborted_from(self, offset: int) -> tuple[tuple[int, int], ...]:
        """(producer id, first offset) of each aborted transaction that ends at or after this offset."""
        return tuple((each.producer_id, each.first_offset) for each in self._aborted if each.marker_offset >= offset)

    def offset_at(self, timestamp_ms: int) -> int:
        """The first offset whose record is at least that new; -1 when all are older."""
        for header, data in self.batches:
            if header.max_timestamp >= timestamp_ms and not header.is_control:
                for record in decode_records(data):
                    if record.timestamp >= timestamp_ms:
                        return max(record.offset, self.start)
        return -1

    def records(self, *, committed: bool = False) -> Iterator[Record]:
        """Records from the log start on; with `committed` none of open or aborted transactions."""
        view = memoryview(self.read(self.start, committed=committed, max_bytes=2**62))
        aborted = AbortedTransactions(self.aborted_from(self.start) if committed else ())
        for at, header in batches(view):
            is_dropped = aborted.covers(header)
            if header.is_control:
                if is_abort_marker(view, at, header):
                    aborted.abort_marker(header.producer_id)
            elif not is_dropped:
                found = decode_records(view[at : at + header.size_bytes])
                yield from (record for record in found if record.offset >= self.start)


def _last_sequence(header: BatchHeader) -> int:
    return (header.base_sequence + header.last_offset_delta) % SEQUENCES
