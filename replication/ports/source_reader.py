"""What a source task needs of the cluster it reads from."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from replication.domain.identifiers import TopicPartition


class FetchPosition(NamedTuple):
    """Where to read one partition on."""

    topic: str
    topic_id: bytes
    partition: int
    offset: int
    last_epoch: int  # leader epoch of the last batch read, -1 unknown; lets the broker detect divergence (KIP-595)


class FetchedPartition(NamedTuple):
    """What one Fetch brought of one partition; `records` is a slice of the frame."""

    topic: str
    topic_id: bytes
    partition: int
    error_code: int
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    aborted: tuple[tuple[int, int], ...]
    preferred_replica: int
    diverging_end: int | None
    records: memoryview | None


class Frame(Protocol):
    """Memory that several batches share."""

    def retain(self) -> None: ...

    def release(self) -> None: ...


class Fetched(NamedTuple):
    """One answer; the caller releases `frame` once, and retains it for every batch it keeps."""

    partitions: Sequence[FetchedPartition]
    frame: Frame | None
    throttle_time_ms: int = 0  # a quota of the cluster holds us back for so long


class TopicLeaders(NamedTuple):
    """A topic as the cluster describes it now; `error` is the Kafka error name where it cannot be described."""

    topic: str
    topic_id: bytes
    leaders: Mapping[int, int]
    error: str | None


OffsetAt = Literal["earliest", "latest"] | int


class SourceReader(Protocol):
    """Reads batches as they are stored. All coroutines belong to the loop's thread.

    Raises RetriableError while the cluster cannot be reached, AuthenticationError when it refuses us.
    """

    async def open(self) -> None:
        """Connect; returns when the cluster has answered once."""
        ...

    async def describe(self, topics: Sequence[str]) -> dict[str, TopicLeaders]:
        """Topic ids and leaders, fresh from the cluster; never creates a topic."""
        ...

    async def topic_ids(self, node: int, topics: Sequence[str]) -> dict[str, bytes]:
        """The topics of these names as this broker knows them now; those it does not know are left out."""
        ...

    def want(self, node: int, position: FetchPosition) -> None:
        """From the next fetch on, read this partition at this broker from this offset."""

    def forget(self, node: int, topic: str, topic_id: bytes, partition: int) -> None:
        """From the next fetch on, leave this partition out."""

    def wants_any(self, node: int) -> bool:
        """True when at least one partition is to be read at this broker."""
        ...

    async def fetch(self, node: int, *, max_wait_ms: int, max_bytes: int, partition_max_bytes: int) -> Fetched:
        """One Fetch to one broker over its session. One call per broker at a time.

        The bytes bound the answer and each partition in it, but for the first batch.
        """
        ...

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        """Offsets by ListOffsets; partitions that failed are left out."""
        ...

    async def round_trip_ms(self) -> float:
        """How long the cluster takes to answer a question that costs it nothing."""
        ...

    async def open_producer(self, upstream: TopicPartition, first_offset: int) -> int | None:
        """The producer id of the transaction that is open from this offset on, where there is one."""
        ...

    def has_room(self, node: int) -> bool:
        """False while too many fetched bytes wait for their acknowledgement to fetch more from this broker."""
        ...

    def close(self) -> None: ...
