"""Takes task slots away from whoever has them, in the cluster they write to."""

from collections.abc import Collection
from typing import Protocol

from replication.domain.identifiers import TopicPartition


class SlotFence(Protocol):
    """Every call blocks and may come from any thread. Raises `replication.domain.errors`."""

    def known_ids(self) -> Collection[str]:
        """The transactional ids that the cluster tells us of.

        Those we may not describe are left out; clusters before Kafka 3.0 tell none.
        """

    def fence(self, transactional_id: str, partitions: Collection[TopicPartition]) -> None:
        """From now on Kafka refuses what an owner of the id commits, or writes to these partitions.

        An open transaction of it is aborted. Partitions that do not exist are left out. Raises AuthorizationError when
        we lack WRITE on the id or on a partition's topic, FencedError when somebody took the id at the same time.
        """

    def close(self) -> None: ...
