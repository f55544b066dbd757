"""Reads and commits the positions of one flow in the target cluster."""

from collections.abc import Mapping

from replication.codecs.position_records import position_records, read_position
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.positions import Position
from replication.wire.batches.record_codec import Record
from replication.wire.fetch.log_reader import LogReader
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.loop import EngineLoop
from replication.wire.produce.transactions import SlotTransactions


class PositionsReader:
    """Reads one positions topic; each read continues where the one before ended."""

    def __init__(self, loop: EngineLoop, link: ClusterLink, topic: str, source: str) -> None:
        self._source = source
        self._found: dict[TopicPartition, Position] = {}
        self._newest: dict[bytes | None, Record] = {}  # of this read, by key
        self._log = LogReader(loop, link, topic, self._keep_newest, self._clear)

    async def read(self) -> dict[TopicPartition, Position]:
        """Positions up to the high watermark as of now; an open transaction is waited for."""
        await self._log.read()
        for record in self._newest.values():
            self._decode(record)
        self._newest.clear()
        return dict(self._found)

    def _keep_newest(self, record: Record) -> None:
        """A partition has a record per commit, and only the last one counts: decode no other."""
        self._newest.pop(record.key, None)
        self._newest[record.key] = record

    def _clear(self) -> None:
        self._newest.clear()
        self._found.clear()

    def _decode(self, record: Record) -> None:
        read = read_position(record, self._source)
        if read is None:
            return
        upstream, position = read
        if position is None:
            self._found.pop(upstream, None)
        else:
            self._found[upstream] = position


class WirePositionStore:
    """The `PositionStore` of one slot, on the link of its transactions."""

    def __init__(self, loop: EngineLoop, link: ClusterLink, transactions: SlotTransactions) -> None:
        self._loop = loop
        self._link = link
        self._transactions = transactions
        self._reader: PositionsReader | None = None
        self._leaders: Mapping[int, int] = {}  # of the positions topic, until a write fails

    async def read(self, topic: str, source: str) -> dict[TopicPartition, Position]:
        if self._reader is None:
            self._reader = PositionsReader(self._loop, self._link, topic, source)
        return await self._reader.read()

    def forget(self) -> None:
        self._reader = None

    async def commit(
        self, topic: str, source: str, positions: Mapping[TopicPartition, Position], *, transactional: bool
    ) -> None:
        if not self._leaders:
            self._leaders = await self._link.leaders(topic)
        leaders = self._leaders
        records = position_records(source, positions, len(leaders), self._loop.now_ms())
        write = self._transactions.write if transactional else self._transactions.write_outside_transaction
        try:
            await write(topic, records, leaders)
        except BaseException:
            self._leaders = {}
            raise
