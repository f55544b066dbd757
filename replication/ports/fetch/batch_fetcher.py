"""Fetching batches from the source cluster."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from replication.domain.offsets.leader_epochs import EpochEnd


class FetchPosition(NamedTuple):
    """The offset from which to read one partition."""

    topic: str
    topic_id: bytes
    partition: int
    offset: int
    last_epoch: int  # leader epoch of the last batch read, -1 unknown; lets the broker detect divergence (KIP-595)
    most_bytes: int | None = None  # of one answer, below the bound of all partitions


class FetchedPartition(NamedTuple):
    """The part of one fetch answer that belongs to one partition; `records` is a slice of the frame."""

    topic: str
    topic_id: bytes
    partition: int
    error_code: int
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    aborted: tuple[tuple[int, int], ...]
    preferred_replica: int
    diverging: EpochEnd | None  # the position is not in the leader's log
    records: memoryview | None


class Frame(Protocol):
    """Memory that several batches share."""

    def retain(self) -> None: ...

    def release(self) -> None: ...


class Fetched(NamedTuple):
    """One answer; the caller releases `frame` once, and retains it for every batch it keeps."""

    partitions: Sequence[FetchedPartition]
    frame: Frame | None
    throttle_time_ms: int = 0  # a quota of the cluster delays us for so long


class BatchFetcher(Protocol):
    """Reads batches as they are stored. All coroutines belong to the loop's thread.

    Raises RetriableError while the cluster cannot be reached, AuthenticationError when it rejects us.
    """

    def want(self, node: int, position: FetchPosition) -> None:
        """From the next fetch on, read this partition at this broker from this offset."""

    def forget(self, node: int, topic: str, topic_id: bytes, partition: int) -> None:
        """From the next fetch on, skip this partition."""

    def wants_any(self, node: int) -> bool:
        """True when at least one partition is to be read at this broker."""
        ...

    def has_room(self, node: int) -> bool:
        """False while too many fetched bytes wait for their acknowledgement to fetch more from this broker."""
        ...

    def claim_room(self, node: int) -> bool:
        """As `has_room`, before a fetch: what a slot wants and does not get decides about its share of the memory."""
        ...

    def avoid_followers(self) -> None:
        """For a while let no leader name a follower of our rack: one of them makes no progress."""

    async def fetch(self, node: int, *, max_wait_ms: int, max_bytes: int, partition_max_bytes: int) -> Fetched:
        """One Fetch to one broker over its session. One call per broker at a time.

        The bytes bound the answer and each partition in it, but for the first batch.
        """
        ...
