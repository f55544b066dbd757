"""What a source task needs of the cluster it writes to."""

from collections.abc import Mapping, Sequence
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
        """Every position of flow `source`, read to the end of the positions topic as of now."""
        ...

    async def describe(self, topics: Sequence[str]) -> dict[str, TopicLeaders]:
        """Leaders, fresh from the cluster; never creates a topic."""
        ...

    async def produce(self, node: int, batches: Sequence[OutgoingBatch]) -> Sequence[ProduceResult]:
        """One Produce (acks=all) to one broker; answers come in the order of the requests."""
        ...

    async def commit_positions(
        self, topic: str, source: str, positions: Mapping[TopicPartition, Position], *, transactional: bool
    ) -> None:
        """Write positions as the slot's producer in a transaction of their own, or plainly on a clean stop."""
        ...

    def close(self) -> None: ...


class RecordAppender(Protocol):
    """Appends small records of ours, without a producer id: at least once, in order per call."""

    async def open(self) -> None: ...

    async def append(self, topic: str, records: Sequence[OutgoingRecord]) -> int:
        """The bytes written. Raises RetriableError when the cluster does not take them now."""
        ...

    def close(self) -> None: ...
