"""The records that earlier copying left in the target: offset runs, offset syncs and gaps."""

from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import RunSegment


class LastRun(NamedTuple):
    """The end of the newest offset run of a partition: what was copied for certain, and of which topic."""

    topic_id: bytes
    upstream_end: int
    downstream_end: int


class TargetHistory(Protocol):
    """Asked rarely, mostly for partitions without a position.

    Raises RetriableError while the target cannot be read whole.
    """

    async def last_runs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, LastRun]:
        """The newest offset run of each partition that has one, out of the runs topic."""
        ...

    async def read_runs(
        self, topic: str, upstreams: Collection[TopicPartition], on_segment: Callable[[bytes, RunSegment | None], None]
    ) -> None:
        """Hand over every segment of these partitions with its key, in the order they were written.

        None means that the key's segment was removed.
        """
        ...

    async def last_syncs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, int] | None:
        """The source offset of the newest offset sync of each partition that has one, wherever the syncs are kept.

        None where they may not be read.
        """
        ...

    async def last_gaps(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, Gap]:
        """The newest gap record of each partition that has one."""
        ...
