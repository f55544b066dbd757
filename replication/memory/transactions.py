"""ProducerTransactions and PositionStore in memory."""

from collections.abc import Collection, Mapping, Sequence
from typing import NoReturn

from replication.codecs.position_records import position_records, read_position
from replication.domain.batches.record import Record
from replication.domain.errors import FatalError, FencedError, TopicMissingError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.kafka_errors import ErrorClass, error_class, error_name
from replication.domain.offsets.positions import Position
from replication.memory.broker import MemoryCluster
from replication.ports.loop import Loop
from replication.ports.produce.record_appender import OutgoingRecord
from replication.ports.produce.transactions import ProducerIdentity
from replication.wire.batches.record_codec import build_batch


class MemoryTransactions:
    """The `ProducerTransactions` of one slot on a cluster in memory."""

    def __init__(self, loop: Loop, cluster: MemoryCluster, round_trip_s: float = 0.0) -> None:
        self._loop = loop
        self._cluster = cluster
        self._round_trip_s = round_trip_s
        self._sequences: dict[TopicPartition, int] = {}
        self.transactional_id = ""
        self.identity = ProducerIdentity(-1, -1)

    async def fence(self, transactional_id: str) -> ProducerIdentity:
        await self._answered()
        self.transactional_id = transactional_id
        return self._init()

    async def renew(self) -> ProducerIdentity:
        await self._answered()
        self._check_owner()
        return self._init()

    async def seal(self, partitions: Collection[TopicPartition]) -> ProducerIdentity:
        if not partitions:
            return self.identity
        await self.add_partitions(partitions)
        await self.abort()
        return await self.renew()

    async def fence_other(self, transactional_id: str, partitions: Collection[TopicPartition]) -> ProducerIdentity:
        other = MemoryTransactions(self._loop, self._cluster, self._round_trip_s)
        await other.fence(transactional_id)
        return await other.seal(partitions)

    def _init(self) -> ProducerIdentity:
        producer = self._cluster.coordinator.init_producer(self.transactional_id, self._loop.now_ms())
        self._sequences.clear()
        self.identity = ProducerIdentity(producer.producer_id, producer.epoch)
        return self.identity

    async def add_partitions(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        await self._answered()
        self._check_owner()
        found = {partition: self._cluster.find(partition) for partition in partitions}
        refused = {partition: Code.UNKNOWN_TOPIC_OR_PARTITION for partition, log in found.items() if log is None}
        refused |= {
            partition: Code.TOPIC_AUTHORIZATION_FAILED
            for partition in partitions
            if partition.topic in self._cluster.unwritable
        }
        granted = {partition: log for partition, log in found.items() if log is not None and partition not in refused}
        self._cluster.coordinator.add(self.transactional_id, granted)
        return refused

    async def abort(self) -> None:
        await self._answered()
        self._check_owner()
        self._cluster.coordinator.end(self.transactional_id, committed=False, now_ms=self._loop.now_ms())

    async def commit(self) -> None:
        """Commit the open transaction. Raises TransactionAbortedError where the coordinator refuses."""
        await self._answered()
        self._check_owner()
        if self._cluster.commit_faults:
            fault = self._cluster.commit_faults.popleft()
            await self.abort()
            raise fault
        code = self._cluster.coordinator.end(self.transactional_id, committed=True, now_ms=self._loop.now_ms())
        if code:
            raise TransactionAbortedError(
                f"cluster {self._cluster.alias}: committing: {error_name(code)}", cluster=self._cluster.alias
            )

    def write(self, topic: str, partition: int, records: Sequence[Record], *, transactional: bool) -> None:
        """Append records as the slot's producer."""
        place = TopicPartition(topic, partition)
        sequence = self._sequences.get(place, 0)
        batch = build_batch(
            records,
            transactional=transactional,
            producer_id=self.identity.producer_id,
            producer_epoch=self.identity.epoch,
            base_sequence=sequence,
        )
        code = self._cluster.coordinator.check_batch(self.transactional_id, place, self.identity.epoch)
        if not transactional or not code:
            code = self._cluster.topics[topic].append(partition, bytes(batch)).error_code
        if code:
            self._refused(code, place)
        self._sequences[place] = sequence + len(records)

    def _refused(self, code: int, place: TopicPartition) -> NoReturn:
        text = f"cluster {self._cluster.alias}: writing to {place}: {error_name(code)}"
        kind = FencedError if error_class(code) is ErrorClass.FENCED else FatalError
        raise kind(text, cluster=self._cluster.alias)

    def _check_owner(self) -> None:
        if not self._cluster.coordinator.is_owner(self.transactional_id, self.identity.epoch):
            raise FencedError(
                f"cluster {self._cluster.alias}: {self.transactional_id} has another owner", cluster=self._cluster.alias
            )

    async def _answered(self) -> None:
        await self._loop.sleep(self._round_trip_s)
        self._cluster.check()


class MemoryOwnerLog:
    """The `OwnerLog` of one slot on a cluster in memory."""

    def __init__(self, loop: Loop, cluster: MemoryCluster, transactions: MemoryTransactions) -> None:
        self._loop = loop
        self._cluster = cluster
        self._transactions = transactions

    async def append(self, topic: str, record: OutgoingRecord) -> None:
        await self._loop.sleep(0)
        self._cluster.check()
        written = Record(0, self._loop.now_ms(), record.key, record.value, list(record.headers))
        self._transactions.write(topic, record.partition, [written], transactional=False)


class MemoryPositionStore:
    """The `PositionStore` of one slot on a cluster in memory."""

    def __init__(self, loop: Loop, cluster: MemoryCluster, transactions: MemoryTransactions) -> None:
        self._loop = loop
        self._cluster = cluster
        self._transactions = transactions

    async def read(self, topic: str, source: str) -> dict[TopicPartition, Position]:
        await self._loop.sleep(0)
        self._cluster.check()
        found: dict[TopicPartition, Position] = {}
        stored = self._cluster.topics.get(topic)
        for log in stored.partitions if stored is not None else ():
            for record in log.records(committed=True):
                read = read_position(record, source)
                if read is not None and read[1] is not None:
                    found[read[0]] = read[1]
                elif read is not None:
                    found.pop(read[0], None)
        return found

    def forget(self) -> None:
        """Each read takes the whole topic anyway."""

    async def commit(
        self, topic: str, source: str, positions: Mapping[TopicPartition, Position], *, transactional: bool
    ) -> None:
        stored = self._cluster.topics.get(topic)
        if stored is None:
            text = f"cluster {self._cluster.alias}: {topic} is not there; the planner creates it"
            raise TopicMissingError(text, cluster=self._cluster.alias, topic=topic)
        records = position_records(source, positions, len(stored.partitions), self._loop.now_ms())
        if transactional:
            await self._transactions.add_partitions([TopicPartition(topic, number) for number in records])
        await self._loop.sleep(0)
        self._cluster.check()
        for number, members in records.items():
            self._transactions.write(topic, number, members, transactional=transactional)
        if transactional:
            await self._transactions.commit()
