"""Makes batches those of the slot's producer, at the moment they first go out.

Until then a queued batch has no sequence numbers, so that batches may still be merged, split or left out.
"""

from replication.codecs.record_batch import rewrite
from replication.ports.target_writer import ProducerIdentity
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy


class ProducerStamp:
    """The producer id and epoch of the slot, for as long as it has them."""

    __slots__ = ("_epoch", "_producer_id", "_transactional")

    def __init__(self, identity: ProducerIdentity, *, transactional: bool) -> None:
        self._producer_id, self._epoch = identity
        self._transactional = transactional

    def put_on(self, copy: PartitionCopy, entry: Entry) -> None:
        """Give the batch the partition's next sequences; one that has them goes out again as it is."""
        if entry.base_sequence is not None or entry.data is None:
            return
        entry.base_sequence = copy.take_sequences(entry.records)
        rewrite(
            entry.data,
            0,
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            base_sequence=entry.base_sequence,
            transactional=self._transactional,
        )
