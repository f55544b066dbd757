"""The two families of adapters behind the data plane's ports, for a suite that runs on both."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from confluent_kafka import TopicPartition as KafkaPartition

from replication.domain.batches.record import Record
from replication.domain.plan.slot import ClusterClient
from replication.domain.settings.choices import IsolationLevel
from replication.memory.broker import MemoryCluster
from replication.memory.fetch import MemoryBatchFetcher
from replication.memory.history import MemoryProducerRegistry, MemoryTargetHistory
from replication.memory.metadata import MemoryLink
from replication.memory.produce import MemoryBatchProducer, MemoryRecordAppender
from replication.memory.transactions import MemoryOwnerLog, MemoryPositionStore, MemoryTransactions
from replication.ports.admin import NewTopic
from replication.ports.connection import SlotConnection
from replication.ports.fetch.batch_fetcher import BatchFetcher
from replication.ports.fetch.metadata import ClusterMetadata
from replication.ports.loop import Loop
from replication.ports.offsets.position_store import PositionStore
from replication.ports.offsets.target_history import TargetHistory
from replication.ports.produce.batch_producer import BatchProducer, OutgoingBatch, ProduceResult
from replication.ports.produce.owner_log import OwnerLog
from replication.ports.produce.producer_registry import ProducerRegistry
from replication.ports.produce.record_appender import RecordAppender
from replication.ports.produce.transactions import ProducerIdentity, ProducerTransactions
from replication.wire.batches.record_codec import build_batch
from replication.wire.fetch.batch_fetcher import WireBatchFetcher
from replication.wire.network.buffers import BufferPool
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.loop import EngineLoop
from replication.wire.offsets.target_history import WireTargetHistory
from replication.wire.produce.owner_log import WireOwnerLog
from replication.wire.produce.record_appender import WireRecordAppender
from replication.wire.produce.registry_reader import WireProducerRegistry
from tests.contract.control_ports import ControlPorts, kafka_ports, memory_ports
from tests.support.engine.virtual_loop import VirtualLoop
from tests.support.engine.wire_target import WireTarget
from tests.support.kafka.kafka_records import admin

NODE = 1
NOW_MS = 1_700_000_000_000
ALIAS = "b"
NO_PRODUCER = ProducerIdentity(-1, -1)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRoles:
    """The writing side of one slot."""

    producer: BatchProducer
    transactions: ProducerTransactions
    positions: PositionStore
    claims: OwnerLog


class DataPlane(ABC):
    """One cluster through the ports of the data plane; both families are asked the same."""

    loop: Loop
    control: ControlPorts

    @abstractmethod
    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of a coroutine on the loop; raises what it raises."""

    @abstractmethod
    def metadata(self, isolation: IsolationLevel = "read_uncommitted") -> ClusterMetadata:
        """Over an open connection; ClusterUnreachableError where no broker answers."""

    @abstractmethod
    def fetcher(self, isolation: IsolationLevel = "read_uncommitted") -> BatchFetcher: ...

    @abstractmethod
    def slot(self) -> SlotRoles: ...

    @abstractmethod
    def appender(self) -> RecordAppender: ...

    @abstractmethod
    def history(self) -> TargetHistory: ...

    @abstractmethod
    def registry(self) -> ProducerRegistry: ...

    @abstractmethod
    def delete_before(self, topic: str, offset: int) -> None:
        """Move the log start of partition 0."""

    @abstractmethod
    def close(self) -> None: ...

    def create(self, name: str, partitions: int = 1, **configs: str) -> bytes:
        """Create a topic and return its id."""
        dotted = {key.replace("_", "."): value for key, value in configs.items()}
        topic = NewTopic(name=name, partitions=partitions, replication_factor=1, configs=dotted)
        assert self.control.admin.create_topics([topic]) == ()
        return self.control.admin.describe_topics([name])[name].topic_id


class MemoryPlane(DataPlane):
    """A cluster in memory on a virtual clock."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self.loop: VirtualLoop = VirtualLoop()
        self._cluster = cluster
        self.control = memory_ports(cluster)

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        found: list[T] = []

        async def watched() -> None:
            found.append(await work())

        task = self.loop.spawn(watched())
        self.loop.run_until(lambda: task.done)
        if task.error is not None:
            raise task.error
        return found[0]

    def metadata(self, isolation: IsolationLevel = "read_uncommitted") -> MemoryLink:
        link = MemoryLink(self.loop, self._cluster, isolation)
        self.run(link.open)
        return link

    def fetcher(self, isolation: IsolationLevel = "read_uncommitted") -> MemoryBatchFetcher:
        return MemoryBatchFetcher(self.loop, self._cluster, isolation)

    def slot(self) -> SlotRoles:
        transactions = MemoryTransactions(self.loop, self._cluster)
        return SlotRoles(
            producer=MemoryBatchProducer(self.loop, self._cluster, transactions),
            transactions=transactions,
            positions=MemoryPositionStore(self.loop, self._cluster, transactions),
            claims=MemoryOwnerLog(self.loop, self._cluster, transactions),
        )

    def appender(self) -> MemoryRecordAppender:
        return MemoryRecordAppender(self.loop, self._cluster)

    def history(self) -> MemoryTargetHistory:
        return MemoryTargetHistory(self.loop, self._cluster, self._cluster)

    def registry(self) -> MemoryProducerRegistry:
        return MemoryProducerRegistry(self.loop, self._cluster)

    def delete_before(self, topic: str, offset: int) -> None:
        self._cluster.log(topic).delete_before(offset)

    def close(self) -> None:
        self.control.close()


class WirePlane(DataPlane):
    """A real broker over real connections."""

    def __init__(self, bootstrap: str) -> None:
        self.loop: EngineLoop = EngineLoop("contract")
        self.loop.start()
        self._bootstrap = bootstrap
        self._client = ClusterClient(alias=ALIAS, bootstrap=(bootstrap,))
        self._pool = BufferPool(8 * 1024 * 1024)
        self._opened: list[SlotConnection] = []
        self.control = kafka_ports(ALIAS, bootstrap)

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        outcome: Future[T] = Future()

        async def watched() -> None:
            try:
                outcome.set_result(await work())
            except BaseException as error:
                outcome.set_exception(error)

        def begin() -> None:
            self.loop.spawn(watched())

        self.loop.call_threadsafe(begin)
        return outcome.result(60)

    def _link(self, isolation: IsolationLevel = "read_uncommitted") -> ClusterLink:
        link = ClusterLink(self.loop, self._pool, self._client, "contract", isolation)
        self._open(link)
        return link

    def _open(self, connection: SlotConnection) -> None:
        self._opened.append(connection)
        self.run(connection.open)

    def metadata(self, isolation: IsolationLevel = "read_uncommitted") -> ClusterLink:
        return self._link(isolation)

    def fetcher(self, isolation: IsolationLevel = "read_uncommitted") -> WireBatchFetcher:
        return WireBatchFetcher(self.loop, self._pool, self._link(), isolation, "")

    def slot(self) -> SlotRoles:
        target = WireTarget(self.loop, self._bootstrap, "contract")
        self._open(target)
        claims = WireOwnerLog(self.loop, target.metadata, target.transactions)
        return SlotRoles(
            producer=target.producer, transactions=target.transactions, positions=target.positions, claims=claims
        )

    def appender(self) -> WireRecordAppender:
        return WireRecordAppender(self.loop, self._link())

    def history(self) -> WireTargetHistory:
        return WireTargetHistory(self.loop, self._link(), self._link())

    def registry(self) -> WireProducerRegistry:
        return WireProducerRegistry(self.loop, self._link())

    def delete_before(self, topic: str, offset: int) -> None:
        for outcome in admin(self._bootstrap).delete_records([KafkaPartition(topic, 0, offset)]).values():
            outcome.result()

    def close(self) -> None:
        for connection in self._opened:
            self.loop.call_threadsafe(connection.close)
        self.loop.stop(2.0)
        self.control.close()


def batch(
    values: list[bytes],
    producer: ProducerIdentity = NO_PRODUCER,
    sequence: int = -1,
    *,
    transactional: bool = False,
    keys: bool = True,
) -> bytes:
    """One uncompressed batch, as a slot hands it to the target; record times are 10 ms apart."""
    records = [Record(0, NOW_MS + 10 * at, b"k" if keys else None, value, ()) for at, value in enumerate(values)]
    return bytes(
        build_batch(
            records,
            transactional=transactional,
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            base_sequence=sequence,
        )
    )


async def send(slot: SlotRoles, topic: str, data: bytes, *, transactional: bool = False) -> ProduceResult:
    """The answer for one batch to partition 0."""
    produced = await slot.producer.produce(NODE, [OutgoingBatch(topic, 0, data)], transactional=transactional)
    return produced.results[0]
