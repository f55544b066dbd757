"""Appends small records to a cluster's topics."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from replication.ports.produce.batch_producer import OutgoingBatch
from replication.ports.produce.record_appender import OutgoingRecord
from replication.wire.batches.record_codec import Record, build_batch
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.loop import EngineLoop
from replication.wire.produce.produce_request import NEWEST_VERSION, PRODUCE_TIMEOUT_MS, ProduceAnswer, ProduceRequest

CHUNK_BYTES = 512 * 1024
RECORD_OVERHEAD_BYTES = 64
MOST_TOPICS = 100  # whose leaders are kept; a flow writes to a few internal topics, and to dead letter topics


class WireRecordAppender:
    """The `RecordAppender` of one slot and one cluster, over a link that its slot opens and closes."""

    def __init__(self, loop: EngineLoop, link: ClusterLink) -> None:
        self._loop = loop
        self._link = link
        self._leaders: dict[str, Mapping[int, int]] = {}  # by topic, until a write to it fails

    async def append(self, topic: str, records: Sequence[OutgoingRecord]) -> int:
        if topic not in self._leaders:
            if len(self._leaders) >= MOST_TOPICS:
                self._leaders.clear()
            self._leaders[topic] = await self._link.leaders(topic)
        leaders = self._leaders[topic]
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
            answer: ProduceAnswer = await self._link.send(request, leader, doing=f"writing to {topic}")
            self._link.check(answer.results[0].error_code, f"writing to {topic}")
        except BaseException:
            self._leaders.pop(topic, None)
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
