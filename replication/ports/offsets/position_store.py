"""The positions of one flow, stored in the target cluster."""

from collections.abc import Mapping
from typing import Protocol

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position


class PositionStore(Protocol):
    """Reads and writes a positions topic as the producer of one slot. Coroutines belong to the loop's thread.

    Raises RetriableError while the cluster cannot be reached, FencedError once another owner has the slot,
    AuthenticationError or AuthorizationError when the cluster rejects us.
    """

    async def read(self, topic: str, source: str) -> dict[TopicPartition, Position]:
        """Every position of flow `source`, read to the end of the positions topic as of now.

        The first read takes the whole topic; each one after it, failed or not, continues where that ended.
        """
        ...

    def forget(self) -> None:
        """Free what `read` keeps for the next time, which then reads the whole topic again."""

    async def commit(
        self, topic: str, source: str, positions: Mapping[TopicPartition, Position], *, transactional: bool
    ) -> None:
        """Write positions as the slot's producer, and commit the open transaction with them, or one of their own.

        Not transactional: outside of any transaction, on a clean stop. Raises TransactionAbortedError after having
        aborted.
        """
        ...
