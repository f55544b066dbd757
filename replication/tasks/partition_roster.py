"""The partitions of a slot: those it copies, and those whose start offset is not known yet."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import PlannedPartition
from replication.tasks.partition.partition_copy import PartitionCopy


class PartitionRoster:
    """Owns both maps; a partition is in one of them at most. Other parts read them through views.

    Also remembers the sequences of partitions that left: to begin at 0 again would make new records look like old ones
    that were sent twice, and the target would drop them.
    """

    def __init__(self) -> None:
        self._sequences: dict[TopicPartition, int] = {}  # of our producer's epoch, by remote partition
        self._copies: dict[TopicPartition, PartitionCopy] = {}
        self._unstarted: dict[TopicPartition, PlannedPartition] = {}
        self.copies: Mapping[TopicPartition, PartitionCopy] = MappingProxyType(self._copies)
        self.unstarted: Mapping[TopicPartition, PlannedPartition] = MappingProxyType(self._unstarted)

    def add(self, copy: PartitionCopy) -> None:
        """Add a partition that has a start position."""
        self._unstarted.pop(copy.upstream, None)
        copy.queue.continue_sequences(self._sequences.pop(copy.remote, 0))
        self._copies[copy.upstream] = copy

    def postpone(self, planned: PlannedPartition) -> None:
        """Remember a partition without a start offset, so that it is tried again."""
        self._unstarted[planned.upstream] = planned

    def remove(self, upstream: TopicPartition) -> None:
        """Forget a partition that is finished and committed."""
        copy = self._copies.pop(upstream)
        if copy.queue.next_sequence:
            self._sequences[copy.remote] = copy.queue.next_sequence

    def forget_sequences(self) -> None:
        """Begin at 0 everywhere: our producer has another epoch."""
        self._sequences.clear()

    def upstreams(self) -> set[TopicPartition]:
        """Return all partitions of the slot, with those that have no start offset yet."""
        return {*self._copies, *self._unstarted}

    def keep_unstarted(self, wanted: Collection[TopicPartition]) -> None:
        """Forget partitions without a start offset that the slot does not keep."""
        for upstream in [each for each in self._unstarted if each not in wanted]:
            del self._unstarted[upstream]

    def clear(self) -> None:
        """Forget every partition: the start failed half way."""
        self._copies.clear()
        self._unstarted.clear()
