"""Appending records as the slot's producer, which Kafka refuses from a former owner of the slot."""

from typing import Protocol

from replication.ports.produce.record_appender import OutgoingRecord


class OwnerLog(Protocol):
    """Coroutines belong to the loop's thread."""

    async def append(self, topic: str, record: OutgoingRecord) -> None:
        """Append a record outside of transactions, one at a time.

        From then on the partition's leader refuses what former owners of the slot write. Raises FencedError when it
        knows of a newer owner, RetriableError when the cluster does not take the record now.
        """
        ...
