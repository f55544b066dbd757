"""What the target can tell about copying done before, when the positions do not say it any more."""

from collections.abc import Collection
from typing import NamedTuple, Protocol

from replication.domain.identifiers import TopicPartition


class LastRun(NamedTuple):
    """The end of the newest offset run of a partition: what was copied for certain, and of which topic."""

    topic_id: bytes
    upstream_end: int
    downstream_end: int


class TargetHistory(Protocol):
    """Asked for partitions without a position. Raises RetriableError while the target cannot be read whole."""

    async def log_ends(self, remotes: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """The end offsets of remote partitions; those that cannot be asked now are left out."""
        ...

    async def last_runs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, LastRun]:
        """The newest offset run of each partition that has one, out of the runs topic."""
        ...

    async def round_trip_ms(self) -> float:
        """How long the cluster takes to answer a question that costs it nothing."""
        ...
