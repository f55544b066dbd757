"""The events of a slot that concern more than the part that notices them."""

from typing import Protocol

from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy


class SlotEvents(Protocol):
    """Raised by fetching, sending, committing and control; the event router passes each to the parts that act."""

    def ready(self, copy: PartitionCopy) -> None:
        """The partition may be fetched and sent (again)."""

    def stop_reading(self, copy: PartitionCopy) -> None:
        """The partition must not be fetched any more, until it is ready."""

    def filled(self, copy: PartitionCopy) -> None:
        """The partition's queue may be sent."""

    def finished(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        """An entry is on the target, or had nothing to send; called in source order."""

    def acknowledged(self, copy: PartitionCopy) -> None:
        """Some of the partition's entries are finished: there is room for more."""

    def done(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        """The position may move over an entry; under exactly once its transaction has committed."""

    def memory_released(self, copy: PartitionCopy) -> None:
        """Unsent batches were dropped: they are fetched again when something of the partition is acknowledged."""

    def sequences_lost(self, copy: PartitionCopy) -> None:
        """The target accepts no sequence of the partition any more: the producer needs another epoch."""

    def transaction_lost(self, reason: str) -> None:
        """The open transaction cannot be committed; without one a batch is simply sent again."""

    async def renewed(self, identity: ProducerIdentity) -> None:
        """The slot's producer has another epoch, or even another id."""

    def rewound(self, copy: PartitionCopy) -> None:
        """The partition's transaction was aborted: it is read again from its position."""

    def left(self, copy: PartitionCopy) -> None:
        """The partition left the slot, finished and committed, or given up."""

    async def start_others(self) -> None:
        """Partitions that had no start offset yet get another try. Raises what the clusters raise."""
