"""Fences slots from outside of the data plane: a command needs them to stop for good.

A new epoch of the transactional id alone stops commits. The leader of a partition learns of it only by a batch or a
marker that carries it, and until then takes plain batches of the old one. So each partition gets an abort marker.
"""

from collections.abc import Collection

from kafka.protocol.admin.transactions import ListTransactionsRequest
from kafka.protocol.metadata import MetadataRequest

from replication.domain.errors import AuthorizationError, ConfigurationError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient
from replication.wire.inquiries.blocking_link import BlockingLink
from replication.wire.produce.transactions import SlotTransactions

_METADATA_VERSION = 12
_LIST_VERSION = 0


class WireSlotFence:
    """The `SlotFence` of one cluster, on its own loop, which runs from the first call to `close`."""

    def __init__(self, cluster: ClusterClient) -> None:
        self._alias = cluster.alias
        self._blocking = BlockingLink(cluster, "srm-fence")
        self._link = self._blocking.link

    def known_ids(self) -> frozenset[str]:
        return frozenset(self._blocking.run(self._listed))

    def fence(self, transactional_id: str, partitions: Collection[TopicPartition]) -> None:
        self._blocking.run(lambda: self._fence(transactional_id, partitions))

    def close(self) -> None:
        self._blocking.close()

    async def _listed(self) -> set[str]:
        """Each broker knows the ids whose coordinator it is."""
        metadata = MetadataRequest(topics=[], allow_auto_topic_creation=False, max_version=_METADATA_VERSION)
        brokers = (await self._link.send(metadata, doing="asking for the brokers")).brokers
        found: set[str] = set()
        for broker in brokers:
            request = ListTransactionsRequest(state_filters=[], producer_id_filters=[], max_version=_LIST_VERSION)
            try:
                answer = await self._link.send(request, broker.node_id, doing="asking for transactional ids")
            except AuthorizationError:
                raise
            except ConfigurationError:
                return set()  # older than Kafka 3.0
            self._link.check(answer.error_code, "asking for transactional ids")
            found |= {state.transactional_id for state in answer.transaction_states}
        return found

    async def _fence(self, transactional_id: str, partitions: Collection[TopicPartition]) -> None:
        transactions = SlotTransactions(self._blocking.loop, self._link)
        try:
            await transactions.fence(transactional_id)
        except AuthorizationError as error:
            raise AuthorizationError(
                f"cluster {self._alias}: slots cannot be fenced: WRITE on the transactional id {transactional_id} is "
                f"missing; grant it (it brings DESCRIBE along) to who runs this ({error.text})",
                cluster=self._alias,
            ) from error
        await transactions.seal(partitions)
