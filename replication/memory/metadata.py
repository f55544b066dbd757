"""Connection and ClusterMetadata in memory."""

from collections.abc import Mapping, Sequence

from replication.domain.errors import ReplicationError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.kafka_errors import error_name
from replication.domain.offsets.leader_epochs import EpochEnd
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.domain.settings.choices import IsolationLevel
from replication.memory.broker import MemoryCluster
from replication.ports.fetch.metadata import OffsetAt, TopicLeaders
from replication.ports.loop import Loop


class MemoryLink:
    """A `Connection` to a cluster in memory, and the `ClusterMetadata` behind it.

    Every request takes `round_trip_s`; all nodes know the same.
    """

    def __init__(
        self,
        loop: Loop,
        cluster: MemoryCluster,
        isolation: IsolationLevel = "read_uncommitted",
        round_trip_s: float = 0.0,
    ) -> None:
        self._loop = loop
        self._cluster = cluster
        self._isolation = isolation
        self.round_trip_s = round_trip_s
        self.is_open = False
        self.refusal: ReplicationError | None = None  # of a changed login

    async def open(self) -> None:
        await self._answered()
        self.is_open = True

    def refused_login(self) -> ReplicationError | None:
        return self.refusal

    def close(self) -> None:
        self.is_open = False

    async def describe(self, topics: Sequence[str], node: int | None = None) -> dict[str, TopicLeaders]:
        await self._answered()
        return {name: self._describe(name) for name in topics}

    def _describe(self, name: str) -> TopicLeaders:
        topic = self._cluster.topics.get(name)
        if topic is None:
            return TopicLeaders(name, NO_TOPIC_ID, {}, error_name(Code.UNKNOWN_TOPIC_OR_PARTITION))
        return TopicLeaders(name, topic.topic_id, {at: log.leader for at, log in enumerate(topic.partitions)}, None)

    async def offsets(self, at: Mapping[TopicPartition, OffsetAt]) -> dict[TopicPartition, int]:
        await self._answered()
        found: dict[TopicPartition, int] = {}
        for partition, wanted in at.items():
            log = self._cluster.find(partition)
            if log is None or log.leader < 0:
                continue
            if wanted == "earliest":
                found[partition] = log.start
            elif wanted == "latest":
                found[partition] = log.last_stable_offset if self._isolation == "read_committed" else log.end
            else:
                found[partition] = log.offset_at(wanted)
        return found

    async def epoch_ends(self, epochs: Mapping[TopicPartition, int]) -> dict[TopicPartition, EpochEnd]:
        await self._answered()
        logs = {partition: self._cluster.find(partition) for partition in epochs}
        return {partition: log.epoch_end(epochs[partition]) for partition, log in logs.items() if log is not None}

    async def open_producer(self, partition: TopicPartition, first_offset: int) -> int | None:
        await self._answered()
        log = self._cluster.find(partition)
        return None if log is None else log.producer_of(first_offset)

    async def round_trip_ms(self) -> float:
        await self._answered()
        return self.round_trip_s * 1000

    async def _answered(self) -> None:
        await self._loop.sleep(self.round_trip_s)
        self._cluster.check()
