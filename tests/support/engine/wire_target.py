"""The writing side of a slot on real connections, as the data engine puts it together."""

from replication.domain.errors import ReplicationError
from replication.domain.plan.slot import ClusterClient
from replication.wire.network.buffers import BufferPool
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.loop import EngineLoop
from replication.wire.offsets.position_store import WirePositionStore
from replication.wire.produce.batch_producer import WireBatchProducer
from replication.wire.produce.transactions import SlotTransactions

POOL_BYTES = 8 * 1024 * 1024


class WireTarget:
    """Metadata, transactions, positions and batches of one slot in one cluster."""

    def __init__(self, loop: EngineLoop, bootstrap: str, name: str) -> None:
        pool = BufferPool(POOL_BYTES)
        client = ClusterClient(alias="b", bootstrap=tuple(bootstrap.split(",")))
        self.metadata = ClusterLink(loop, pool, client, f"{name}-positions")
        self.transactions = SlotTransactions(loop, self.metadata)
        self.positions = WirePositionStore(loop, self.metadata, self.transactions)
        self.producer = WireBatchProducer(lambda: ClusterLink(loop, pool, client, f"{name}-data"), self.transactions)

    async def open(self) -> None:
        await self.metadata.open()
        await self.producer.open()

    def refused_login(self) -> ReplicationError | None:
        return self.metadata.refused_login()

    def close(self) -> None:
        self.producer.close()
        self.metadata.close()
