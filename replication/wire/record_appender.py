"""Appends small records of ours to a cluster's topics."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from replication.domain.errors import TopicMissingError
from replication.ports.target_writer import OutgoingBatch, OutgoingRecord
from replication.wire.cluster_link import ClusterLink
from replication.wire.loop import EngineLoop
from replication.wire.produce import NEWEST_VERSION, PRODUCE_TIMEOUT_MS, ProduceAnswer, ProduceRequest
from replication.wire.record_codec import Record, build_batch

CHUNK_BYTES = 512 * 1024
RECORD_OVERHEAD_BYTES = 64


class WireRecordAppender:
    """Appends small records of ours to a cluster's topics, without a producer id."""

    def __init__(self, loop: EngineLoop, link: ClusterLink) -> None:
        self._loop = loop
        self._link = link
        self._leaders: dict[str, Mapping[int, int]] = {}

    async def open(self) -> None:
        await self._link.open()

    def close(self) -> None:
        self._link.close()

    async def leaders(self, topic: str) -> Mapping[int, int]:
        """Leaders by partition, asked once until `forget`."""
        if topic not in self._leaders:
            described = (await self._link.describe([topic]))[topic]
            if described.error is not None or not described.leaders:
                raise TopicMissingError(
                    f"cluster {self._link.alias}: {topic} is not there ({described.error}); the planner creates it",
                    cluster=self._link.alias,
                    topic=topic,
                )
            self._leaders[topic] = described.leaders
        return self._leaders[topic]

    def forget(self, topic: str) -> None:
        self._leaders.pop(topic, None)

    async def append(self, topic: str, records: Sequence[OutgoingRecord]) -> int:
        """Write the records; the bytes that went out. Raises RetriableError when the cluster does not take them now."""
        leaders = await self.leaders(topic)
        by_partition: dict[int, list[Record]] = defaultdict(list)
        now_ms = self._loop.now_ms()
        for record in records:
            partition = record.partition % len(leaders)
            members = by_partition[partition]
            members.append(Record(len(members), now_ms, record.key, record.value, list(record.headers)))
        total = 0
        for partition, members in by_partition.items():
            for chunk in _chunks(members):
                total += await self._write(topic, partition, chunk, leaders[partition])
        return total

    async def _write(self, topic: str, partition: int, members: Sequence[Record], leader: int) -> int:
        data = bytes(build_batch(members))
        request = ProduceRequest(NEWEST_VERSION, [OutgoingBatch(topic, partition, data)], timeout_ms=PRODUCE_TIMEOUT_MS)
        try:
            answer: ProduceAnswer = await self._link.send(request, leader, doing=f"appending to {topic}")
            self._link.check(answer.results[0].error_code, f"appending to {topic}")
        except BaseException:
            self.forget(topic)
            raise
        return len(data)


def _chunks(records: Sequence[Record]) -> Iterator[list[Record]]:
    """Batches well below what a topic takes by default; a record larger than that goes alone."""
    chunk: list[Record] = []
    size = 0
    for record in records:
        length = len(record.key or b"") + len(record.value or b"") + RECORD_OVERHEAD_BYTES
        if chunk and size + length > CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
        chunk.append(record)
        size += length
    if chunk:
        yield chunk
