"""Writes as one slot: data batches and positions, each on a link of its own."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from replication.domain.identifiers import TopicPartition
from replication.domain.positions import Position
from replication.domain.slot import ClusterClient
from replication.ports.source_reader import TopicLeaders
from replication.ports.target_writer import OutgoingBatch, Produced, ProducerIdentity
from replication.wire.buffers import BufferPool
from replication.wire.cluster_link import ClusterLink
from replication.wire.loop import EngineLoop
from replication.wire.positions_log import position_records
from replication.wire.positions_reader import PositionsReader
from replication.wire.produce import NEWEST_VERSION, PRODUCE_TIMEOUT_MS, ProduceAnswer, ProduceRequest
from replication.wire.record_appender import WireRecordAppender
from replication.wire.transactions import SlotTransactions


class WireTargetWriter:
    """The `TargetWriter` of one slot: our own records and transactions have a link, data has one or more."""

    def __init__(self, loop: EngineLoop, pool: BufferPool, cluster: ClusterClient, client_id: str) -> None:
        self._loop = loop
        self._new_data_link: Callable[[], ClusterLink] = partial(ClusterLink, loop, pool, cluster, f"{client_id}-data")
        self._data = [self._new_data_link()]
        self._control = ClusterLink(loop, pool, cluster, f"{client_id}-positions")
        self._transactions = SlotTransactions(loop, self._control)
        self._positions = WireRecordAppender(loop, self._control)
        self._transactional_id = ""
        self._reader: PositionsReader | None = None
        self._is_closed = False

    async def open(self) -> None:
        for link in (self._control, *self._data):
            await link.open()

    def close(self) -> None:
        self._is_closed = True
        for link in (*self._data, self._control):
            link.close()

    async def widen(self, connections: int) -> int:
        while len(self._data) < connections and not self._is_closed:
            link = self._new_data_link()
            try:
                await link.open()
            except BaseException:
                link.close()
                raise
            self._data.append(link)
            if self._is_closed:
                link.close()
        return len(self._data)

    async def fence(self, transactional_id: str) -> ProducerIdentity:
        self._transactional_id = transactional_id
        return await self._transactions.fence(transactional_id)

    async def renew(self) -> ProducerIdentity:
        return await self._transactions.renew()

    async def join_transaction(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        return await self._transactions.add(partitions)

    async def abort_transaction(self) -> None:
        await self._transactions.abort()

    async def read_positions(self, topic: str, source: str) -> dict[TopicPartition, Position]:
        if self._reader is None:
            self._reader = PositionsReader(self._loop, self._control, topic, source)
        return await self._reader.read()

    def forget_positions(self) -> None:
        self._reader = None

    async def describe(self, topics: Sequence[str]) -> dict[str, TopicLeaders]:
        return await self._control.describe(topics)

    async def produce(
        self, node: int, batches: Sequence[OutgoingBatch], *, transactional: bool, connection: int = 0
    ) -> Produced:
        request = ProduceRequest(
            NEWEST_VERSION,
            batches,
            timeout_ms=PRODUCE_TIMEOUT_MS,
            transactional_id=self._transactional_id if transactional else None,
        )
        answer: ProduceAnswer = await self._data[connection].send(request, node, doing="producing")
        return Produced(answer.results, answer.throttle_time_ms)

    async def commit_positions(
        self, topic: str, source: str, positions: Mapping[TopicPartition, Position], *, transactional: bool
    ) -> None:
        leaders = await self._positions.leaders(topic)
        records = position_records(source, positions, len(leaders), self._loop.now_ms())
        write = self._transactions.write if transactional else self._transactions.write_plainly
        try:
            await write(topic, records, leaders)
        except BaseException:
            self._positions.forget(topic)
            raise
