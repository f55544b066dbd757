"""TargetHistory and ProducerRegistry in memory."""

from collections.abc import Callable, Collection, Iterator, Sequence

from replication.codecs import offset_runs
from replication.codecs.gap_records import decode_gap
from replication.codecs.mm2_records import decode_offset_sync
from replication.codecs.producer_registry import decode_producer
from replication.domain.batches.record import Record
from replication.domain.errors import MalformedRecordError
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import RunSegment
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.memory.broker import MemoryCluster
from replication.ports.loop import Loop
from replication.ports.offsets.target_history import LastRun


class MemoryTargetHistory:
    """The `TargetHistory` of one slot on clusters in memory."""

    def __init__(self, loop: Loop, cluster: MemoryCluster, syncs: MemoryCluster) -> None:
        """`syncs` is the cluster that keeps the offset syncs."""
        self._loop = loop
        self._cluster = cluster
        self._syncs = syncs

    async def last_runs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, LastRun]:
        found: dict[TopicPartition, LastRun] = {}

        def on_segment(key: bytes, segment: RunSegment | None) -> None:
            if segment is not None:
                last = segment.runs[-1]
                upstream = TopicPartition(segment.topic, segment.partition)
                found[upstream] = LastRun(segment.topic_id, last.upstream_end, last.downstream_end)

        await self.read_runs(topic, upstreams, on_segment)
        return found

    async def read_runs(
        self, topic: str, upstreams: Collection[TopicPartition], on_segment: Callable[[bytes, RunSegment | None], None]
    ) -> None:
        await self._loop.sleep(0)
        prefixes = {offset_runs.key_prefix(upstream.topic, upstream.partition) for upstream in upstreams}
        for record in committed_records(self._cluster, topic):
            key = record.key
            if key is None or key[: key.rfind(b"\0") + 1] not in prefixes:
                continue
            try:
                segment = None if record.value is None else offset_runs.decode(key, record.value)
            except ValueError:
                continue
            on_segment(key, segment)

    async def last_syncs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, int] | None:
        await self._loop.sleep(0)
        if topic in self._syncs.unreadable:
            return None
        found: dict[TopicPartition, int] = {}
        for record in committed_records(self._syncs, topic):
            if record.key is None or record.value is None:
                continue
            try:
                sync = decode_offset_sync(record.key, record.value)
            except MalformedRecordError:
                continue
            if sync.upstream in upstreams:
                found[sync.upstream] = sync.upstream_offset
        return found

    async def last_gaps(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, Gap]:
        await self._loop.sleep(0)
        found: dict[TopicPartition, Gap] = {}
        for record in committed_records(self._cluster, topic):
            try:
                gap = None if record.value is None else decode_gap(record.value)
            except ValueError:
                continue
            if gap is not None and TopicPartition(gap.topic, gap.partition) in upstreams:
                found[TopicPartition(gap.topic, gap.partition)] = gap
        return found


class MemoryProducerRegistry:
    """The `ProducerRegistry` of a cluster in memory."""

    def __init__(self, loop: Loop, cluster: MemoryCluster) -> None:
        self._loop = loop
        self._cluster = cluster

    async def read(self) -> Sequence[RegisteredProducer]:
        await self._loop.sleep(0)
        found: dict[bytes | None, RegisteredProducer] = {}
        for record in committed_records(self._cluster, PRODUCERS_TOPIC):
            found.pop(record.key, None)
            try:
                entry = decode_producer(record.key, record.value)
            except MalformedRecordError:
                continue
            if entry is not None:
                found[record.key] = entry
        return list(found.values())

    def close(self) -> None:
        """Nothing is open."""


def committed_records(cluster: MemoryCluster, topic: str) -> Iterator[Record]:
    """Every committed record of a topic, in order within a partition; a missing topic is an empty one."""
    cluster.check()
    stored = cluster.topics.get(topic)
    for log in stored.partitions if stored is not None else ():
        yield from log.records(committed=True)
