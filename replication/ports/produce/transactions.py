"""The producer of one slot: its epoch, and its transactions."""

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

from replication.domain.identifiers import TopicPartition


class ProducerIdentity(NamedTuple):
    """The producer that Kafka gave the slot; a later owner of the slot gets the next epoch."""

    producer_id: int
    epoch: int


class ProducerTransactions(Protocol):
    """The transactional producer of one slot, one transaction at a time. Coroutines belong to the loop's thread.

    Raises RetriableError while the cluster cannot be reached, FencedError once another owner has the slot,
    AuthenticationError or AuthorizationError when the cluster rejects us.
    """

    async def fence(self, transactional_id: str) -> ProducerIdentity:
        """Become the owner of a slot: Kafka fences the owner before and aborts its open transaction."""
        ...

    async def seal(self, partitions: Collection[TopicPartition]) -> ProducerIdentity:
        """Let the leaders of these partitions know the slot's epoch: from then on they refuse what is older.

        Returns the slot's next epoch. Partitions that do not exist are skipped.
        """
        ...

    async def fence_other(self, transactional_id: str, partitions: Collection[TopicPartition]) -> ProducerIdentity:
        """Take the id of another slot away from its owner: neither commits nor these partitions accept it any more.

        Returns the producer of the id. FencedError or TransactionAbortedError when another client takes the id at the
        same time.
        """
        ...

    async def renew(self) -> ProducerIdentity:
        """The slot's next epoch, after an abort; sequences begin at 0. FencedError when the slot has a new owner."""
        ...

    async def add_partitions(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Make partitions part of the open transaction; the first ones open it.

        Returns the codes of those that may not be written now. Raises TransactionAbortedError when the coordinator
        holds the transaction for lost.
        """
        ...

    async def abort(self) -> None:
        """Abort the open transaction, if there is one: readers of committed records never see anything of it."""
        ...
