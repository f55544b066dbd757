"""Appends records as the slot's producer."""

from replication.ports.loop import Loop
from replication.ports.produce.record_appender import OutgoingRecord
from replication.wire.batches.record_codec import Record
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.produce.transactions import SlotTransactions


class WireOwnerLog:
    """The `OwnerLog` of one slot, on the link of its transactions."""

    def __init__(self, loop: Loop, link: ClusterLink, transactions: SlotTransactions) -> None:
        self._loop = loop
        self._link = link
        self._transactions = transactions

    async def append(self, topic: str, record: OutgoingRecord) -> None:
        leaders = await self._link.leaders(topic)
        written = Record(0, self._loop.now_ms(), record.key, record.value, list(record.headers))
        number = record.partition % len(leaders)
        await self._transactions.write_outside_transaction(topic, {number: [written]}, leaders)
