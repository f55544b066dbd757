"""BatchProducer and RecordAppender in memory."""

from collections import defaultdict
from collections.abc import Sequence

from replication.codecs.record_batch import read_header
from replication.domain.batches.record import Record
from replication.domain.errors import AuthorizationError, ClusterUnreachableError, RetriableError, TopicMissingError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.kafka_errors import error_name
from replication.memory.broker import MemoryCluster, ProduceFault
from replication.memory.transactions import MemoryTransactions
from replication.ports.loop import Loop
from replication.ports.produce.batch_producer import OutgoingBatch, Produced, ProduceResult
from replication.ports.produce.record_appender import OutgoingRecord
from replication.wire.batches.record_codec import build_batch


class MemoryBatchProducer:
    """The `BatchProducer` of one slot on a cluster in memory."""

    def __init__(
        self, loop: Loop, cluster: MemoryCluster, transactions: MemoryTransactions, round_trip_s: float = 0.0
    ) -> None:
        self._loop = loop
        self._cluster = cluster
        self._transactions = transactions
        self._round_trip_s = round_trip_s

    async def widen(self, connections: int) -> int:
        return connections

    async def produce(
        self, node: int, batches: Sequence[OutgoingBatch], *, transactional: bool, connection: int = 0
    ) -> Produced:
        self._cluster.check()
        faults = self._cluster.produce_faults
        fault = faults.popleft() if faults else None
        results = [self._result(node, batch, transactional, fault) for batch in batches]
        await self._loop.sleep(self._round_trip_s)
        if fault is not None and fault.is_lost:
            raise ClusterUnreachableError(
                f"cluster {self._cluster.alias}: writing records failed: the connection broke",
                cluster=self._cluster.alias,
            )
        return Produced(results)

    def _result(
        self, node: int, batch: OutgoingBatch, transactional: bool, fault: ProduceFault | None
    ) -> ProduceResult:
        code, base_offset = (0, -1)
        if fault is None or fault.is_written:
            code, base_offset = self._append(node, batch, transactional)
        if fault is not None and fault.code:
            code = fault.code
        return ProduceResult(batch.topic, batch.partition, code, base_offset, None)

    def _append(self, node: int, batch: OutgoingBatch, transactional: bool) -> tuple[int, int]:
        place = TopicPartition(batch.topic, batch.partition)
        log = self._cluster.find(place)
        if log is None:
            return Code.UNKNOWN_TOPIC_OR_PARTITION, -1
        if batch.topic in self._cluster.unwritable:
            return Code.TOPIC_AUTHORIZATION_FAILED, -1
        if log.leader != node:
            return Code.NOT_LEADER_OR_FOLLOWER, -1
        if transactional:
            epoch = read_header(memoryview(batch.data), 0).producer_epoch
            code = self._cluster.coordinator.check_batch(self._transactions.transactional_id, place, epoch)
            if code:
                return code, -1
        stored = self._cluster.topics[batch.topic].append(batch.partition, batch.data)
        return stored.error_code, stored.base_offset


class MemoryRecordAppender:
    """The `RecordAppender` of one slot on a cluster in memory."""

    def __init__(self, loop: Loop, cluster: MemoryCluster) -> None:
        self._loop = loop
        self._cluster = cluster

    async def append(self, topic: str, records: Sequence[OutgoingRecord]) -> int:
        await self._loop.sleep(0)
        self._cluster.check()
        stored = self._cluster.topics.get(topic)
        if stored is None:
            text = f"cluster {self._cluster.alias}: {topic} is not there; the planner creates it"
            raise TopicMissingError(text, cluster=self._cluster.alias, topic=topic)
        if topic in self._cluster.unwritable:
            answer = error_name(Code.TOPIC_AUTHORIZATION_FAILED)
            text = f"cluster {self._cluster.alias}: writing to {topic} failed: {answer}"
            raise AuthorizationError(text, cluster=self._cluster.alias, topic=topic)
        by_partition: dict[int, list[Record]] = defaultdict(list)
        for record in records:
            members = by_partition[record.partition % len(stored.partitions)]
            headers = list(record.headers)
            members.append(Record(len(members), self._loop.now_ms(), record.key, record.value, headers))
        total = 0
        for partition, members in by_partition.items():
            data = bytes(build_batch(members))
            code = stored.append(partition, data).error_code
            if code:
                text = f"cluster {self._cluster.alias}: writing to {topic}-{partition} failed: {error_name(code)}"
                raise RetriableError(text, cluster=self._cluster.alias, topic=topic)
            total += len(data)
        return total
