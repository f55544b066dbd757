"""A record that waits to be sent, and the partition it waits for."""

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from replication.codecs.murmur2 import partition_for
from replication.domain.errors import ReplicationError
from replication.wire.batches.record_codec import Record, build_batch

BATCH_BYTES = 512 * 1024  # well below what a topic takes by default; a larger record goes alone
_OVERHEAD_BYTES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedRecord:
    """`done` is called once, on the loop's thread: with the failure, or None when the record is acknowledged."""

    topic: str
    key: bytes | None
    value: bytes | None
    partition: int | None
    timestamp_ms: int
    headers: Sequence[tuple[str, bytes]]
    done: Callable[[ReplicationError | None], None]
    until_s: float  # monotonic, when it is given up

    def partition_of(self, partitions: int) -> int:
        """Return its partition as Java's producer chooses it: named, by the hash of the key, or any."""
        if self.partition is not None:
            return self.partition
        if self.key is None:
            return random.randrange(partitions)  # noqa: S311 - any partition will do
        return partition_for(self.key, partitions)

    @property
    def size_bytes(self) -> int:
        return len(self.key or b"") + len(self.value or b"") + _OVERHEAD_BYTES


@dataclass(frozen=True, slots=True)
class Identity:
    """An id under which the cluster recognizes a batch that is sent twice."""

    producer_id: int
    epoch: int


@dataclass(slots=True)
class Lane:
    """The records of one partition, in order: at most one batch is in flight, and is repeated as it was sent."""

    records: deque[QueuedRecord] = field(default_factory=deque)
    sent: list[QueuedRecord] = field(default_factory=list)
    data: bytes = b""
    is_in_flight: bool = False
    _limit_bytes: int = BATCH_BYTES
    _identity: Identity | None = None
    _sequence: int = 0

    @property
    def is_waiting(self) -> bool:
        return not self.is_in_flight and bool(self.sent or self.records)

    def batch(self, identity: Identity) -> bytes:
        """Return the batch to send: the last one again until it has an answer, or a new one."""
        if not self.sent:
            self._take()
            self.data = b""
        if not self.data:
            if self._identity != identity:
                self._identity, self._sequence = identity, 0
            self.data = bytes(self._build(identity))
        return self.data

    def _take(self) -> None:
        size = 0
        while self.records and (not self.sent or size + self.records[0].size_bytes <= self._limit_bytes):
            record = self.records.popleft()
            size += record.size_bytes
            self.sent.append(record)

    def _build(self, identity: Identity) -> bytearray:
        members = [
            Record(number, each.timestamp_ms, each.key, each.value, each.headers)
            for number, each in enumerate(self.sent)
        ]
        return build_batch(
            members, producer_id=identity.producer_id, producer_epoch=identity.epoch, base_sequence=self._sequence
        )

    def acknowledged(self) -> list[QueuedRecord]:
        """Return the records of the batch, which are written."""
        self._sequence += len(self.sent)
        return self._ended()

    def given_up(self) -> list[QueuedRecord]:
        """Return the records of the batch; its sequence numbers are used up, so the next batch needs a new identity."""
        self._identity = None
        return self._ended()

    def split(self) -> None:
        """Queue the records of the batch again, for batches of half its size under a new identity."""
        self._limit_bytes = max(sum(each.size_bytes for each in self.sent) // 2, 1)
        self.records.extendleft(reversed(self.given_up()))

    def forget_bytes(self) -> None:
        """Build the batch again, under another identity."""
        self.data = b""

    def _ended(self) -> list[QueuedRecord]:
        ended, self.sent, self.data = self.sent, [], b""
        return ended

    def expired(self, now_s: float) -> list[QueuedRecord]:
        """Take out the records that wait behind the batch for too long."""
        over = [each for each in self.records if each.until_s <= now_s]
        if over:
            self.records = deque(each for each in self.records if each.until_s > now_s)
        return over
