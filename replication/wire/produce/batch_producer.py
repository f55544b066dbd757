"""Sends a slot's batches over one or more connections to each broker."""

from collections.abc import Callable, Sequence

from replication.domain.errors import ReplicationError
from replication.ports.produce.batch_producer import OutgoingBatch, Produced
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.produce.produce_request import NEWEST_VERSION, PRODUCE_TIMEOUT_MS, ProduceAnswer, ProduceRequest
from replication.wire.produce.transactions import SlotTransactions


class WireBatchProducer:
    """The `BatchProducer` of one slot, and the `Connection` of its links: the slot opens and closes them together."""

    def __init__(
        self,
        new_link: Callable[[], ClusterLink],
        transactions: SlotTransactions,
    ) -> None:
        """Transactional batches are sent under the id that `transactions` fenced last."""
        self._new_link = new_link
        self._links = [self._new_link()]
        self._transactions = transactions
        self._is_closed = False

    async def open(self) -> None:
        for link in self._links:
            await link.open()

    def close(self) -> None:
        self._is_closed = True
        for link in self._links:
            link.close()

    def refused_login(self) -> ReplicationError | None:
        return self._links[0].refused_login()

    async def widen(self, connections: int) -> int:
        while len(self._links) < connections and not self._is_closed:
            link = self._new_link()
            try:
                await link.open()
            except BaseException:
                link.close()
                raise
            self._links.append(link)
            if self._is_closed:
                link.close()
        return len(self._links)

    async def produce(
        self, node: int, batches: Sequence[OutgoingBatch], *, transactional: bool, connection: int = 0
    ) -> Produced:
        request = ProduceRequest(
            NEWEST_VERSION,
            batches,
            timeout_ms=PRODUCE_TIMEOUT_MS,
            transactional_id=self._transactions.transactional_id if transactional else None,
        )
        answer: ProduceAnswer = await self._links[connection].send(request, node, doing="writing records")
        return Produced(answer.results, answer.throttle_time_ms)
