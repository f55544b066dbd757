"""What a source task needs of the cluster it writes to."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from replication.domain.identifiers import TopicPartition
from replication.domain.positions import Position
from replication.ports.source_reader import TopicLeaders


class ProducerIdentity(NamedTuple):
    """The producer that Kafka gave the slot; a later owner of the slot gets the next epoch."""

    producer_id: int
    epoch: int


class OutgoingBatch(NamedTuple):
    """One batch of one partition, ready for the target; a Produce carries at most one per partition."""

    topic: str
    partition: int
    data: memoryview | bytes


class ProduceResult(NamedTuple):
    """The broker's answer for one partition. Error code 0 is success."""

    topic: str
    partition: int
    error_code: int
    base_offset: int
    message: str | None


class Produced(NamedTuple):
    """A broker's answer. `throttle_ms` is how long it makes us wait for exceeding a quota."""

    results: Sequence[ProduceResult]
    throttle_ms: int = 0


class OutgoingRecord(NamedTuple):
    """A record of ours: positions, offset syncs, offset runs, gaps, raw metrics."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]] = ()
    partition: int = 0


class TargetWriter(Protocol):
    """Writes as the producer of one slot. All coroutines belong to the loop's thread.

    Raises RetriableError while the cluster cannot be reached, FencedError once another owner has the slot,
    AuthenticationError or AuthorizationError when the cluster refuses us.
    """

    async def open(self) -> None:
        """Connect; returns when the cluster has answered once."""
        ...

    async def fence(self, transactional_id: str) -> ProducerIdentity:
        """Become the owner of a slot: Kafka fences whoever had it and ends its open transaction."""
        ...

    async def read_positions(self, topic: str, source: str) -> dict[TopicPartition, Position]:
        """Every position of flow `source`, read to the end of the positions topic as of now.

        The first read takes the whole topic; each one after it, failed or not, goes on where that ended.
        """
        ...

    def forget_positions(self) -> None:
        """Free what `read_positions` keeps for the next time, which then reads the whole topic again."""

    async def describe(self, topics: Sequence[str]) -> dict[str, TopicLeaders]:
        """Leaders, fresh from the cluster; never creates a topic."""
        ...

    async def widen(self, connections: int) -> int:
        """Have at least that many connections to each broker for `produce`. Returns how many there are."""
        ...

    async def produce(
        self, node: int, batches: Sequence[OutgoingBatch], *, transactional: bool, connection: int = 0
    ) -> Produced:
        """One Produce (acks=all) to one broker; answers come in the order of the requests of the connection.

        `transactional` says that the batches carry the transactional bit; their partitions have joined then.
        """
        ...

    async def join_transaction(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Make partitions part of the open transaction; the first ones open it.

        Returns the codes of those that may not be written now. Raises TransactionAbortedError when the coordinator
        holds the transaction for lost.
        """
        ...

    async def abort_transaction(self) -> None:
        """End the open transaction, if there is one: readers of committed records never see anything of it."""
        ...

    async def renew(self) -> ProducerIdentity:
        """The slot's next epoch, after an abort; sequences begin at 0. FencedError when the slot has a new owner."""
        ...

    async def commit_positions(
        self, topic: str, source: str, positions: Mapping[TopicPartition, Position], *, transactional: bool
    ) -> None:
        """Write positions as the slot's producer, and commit the open transaction with them, or one of their own.

        Not transactional: plainly, on a clean stop. Raises TransactionAbortedError after having aborted.
        """
        ...

    def close(self) -> None: ...


class RecordAppender(Protocol):
    """Appends small records of ours, without a producer id: at least once, in order per call."""

    async def open(self) -> None: ...

    async def append(self, topic: str, records: Sequence[OutgoingRecord]) -> int:
        """The bytes written. Raises RetriableError when the cluster does not take them now."""
        ...

    def close(self) -> None: ...
