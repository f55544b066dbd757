"""A cluster's metadata about its topics: ids, leaders, offsets."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.leader_epochs import EpochEnd
from replication.domain.offsets.start_position import StartAt


class TopicLeaders(NamedTuple):
    """A topic as the cluster describes it now; `error` is the Kafka error name where it cannot be described.

    `disks_lost` has partitions without a leader, each with a broker that runs and whose log directory of the partition
    is offline: its disk is full or broken.
    """

    topic: str
    topic_id: bytes
    leaders: Mapping[int, int]
    error: str | None
    disks_lost: Mapping[int, int] = {}


OffsetAt = StartAt


class ClusterMetadata(Protocol):
    """Questions to one cluster. All coroutines belong to the loop's thread.

    Raises RetriableError while the cluster cannot be reached, AuthenticationError when it rejects us.
    """

    async def describe(self, topics: Sequence[str], node: int | None = None) -> dict[str, TopicLeaders]:
        """Topic ids and leaders, fresh from the cluster, or as one of its brokers knows them; never creates a topic."""
        ...

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        """Offsets by ListOffsets; partitions that failed are missing.

        `latest` is the log end, or the last stable offset where the slot reads committed records.
        """
        ...

    async def epoch_ends(self, epochs: Mapping[TopicPartition, int]) -> dict[TopicPartition, EpochEnd]:
        """The largest epoch of each leader's log up to the one given, and its end; partitions that failed are missing.

        OffsetsForLeaderEpoch, KIP-320.
        """
        ...

    async def open_producer(self, partition: TopicPartition, first_offset: int) -> int | None:
        """The producer id of the transaction that is open from this offset on, where there is one."""
        ...

    async def round_trip_ms(self) -> float:
        """Return the time that the cluster takes to answer a request that costs it nothing."""
        ...
