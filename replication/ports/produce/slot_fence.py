"""Takes task slots away from whoever has them, in the cluster they write to."""

from collections.abc import Collection
from typing import Protocol

from replication.domain.identifiers import TopicPartition


class SlotFence(Protocol):
    """Every call blocks and may come from any thread. Raises `replication.domain.errors`.

    One implementation; the port keeps the connectors, which fence slots, free of connections (ADR 16).
    """

    def known_ids(self) -> Collection[str]:
        """Return the transactional ids that the cluster reports.

        Those we may not describe are missing; clusters before Kafka 3.0 report none.
        """

    def fence(self, transactional_id: str, partitions: Collection[TopicPartition]) -> None:
        """From now on Kafka refuses what an owner of the id commits, or writes to these partitions.

        An open transaction of it is aborted. Partitions that do not exist are skipped. Raises AuthorizationError when
        we lack WRITE on the id or on a partition's topic, FencedError when another client took the id at the same time.
        """

    def close(self) -> None: ...
