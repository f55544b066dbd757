"""The writing side of a slot in memory that counts requests, checks their order and fails single partitions."""

from collections.abc import Callable, Sequence

from replication.domain.identifiers import TopicPartition
from replication.memory.broker import MemoryCluster, ProduceFault
from replication.memory.produce import MemoryBatchProducer
from replication.memory.transactions import MemoryTransactions
from replication.ports.loop import Loop
from replication.ports.produce.batch_producer import OutgoingBatch, Produced, ProduceResult
from replication.ports.produce.transactions import ProducerIdentity


class WatchedProducer(MemoryBatchProducer):
    """Notes what is in flight, which a broker cannot see.

    `fault_of` fails single batches, also by the clock: the cluster's own faults fail whole requests, in their order.
    """

    def __init__(
        self, loop: Loop, cluster: MemoryCluster, transactions: MemoryTransactions, round_trip_s: float
    ) -> None:
        super().__init__(loop, cluster, transactions, round_trip_s)
        self.requests = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self.connections: dict[TopicPartition, int] = {}  # the last one that a partition's batches came on
        self.fault_of: Callable[[OutgoingBatch], ProduceFault | None] | None = None

    async def produce(
        self, node: int, batches: Sequence[OutgoingBatch], *, transactional: bool, connection: int = 0
    ) -> Produced:
        self.requests += 1
        self.connections.update({TopicPartition(batch.topic, batch.partition): connection for batch in batches})
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await super().produce(node, batches, transactional=transactional, connection=connection)
        finally:
            self.in_flight -= 1

    def _result(
        self, node: int, batch: OutgoingBatch, transactional: bool, fault: ProduceFault | None
    ) -> ProduceResult:
        own = self.fault_of(batch) if self.fault_of is not None else None
        return super()._result(node, batch, transactional, own or fault)


class WatchedTransactions(MemoryTransactions):
    """Fails the test where an epoch or a transaction ends while batches of it are in flight."""

    producer: WatchedProducer

    async def renew(self) -> ProducerIdentity:
        assert not self.producer.in_flight, "a batch of the old epoch may arrive after the new one begins"
        return await super().renew()

    async def commit(self) -> None:
        assert not self.producer.in_flight, "a transaction may only end when every batch of it was answered"
        await super().commit()
