"""Reads the positions topic to its end: the newest position of every partition."""

from replication.domain.identifiers import TopicPartition
from replication.domain.positions import Position
from replication.wire.cluster_link import ClusterLink
from replication.wire.log_reader import LogReader
from replication.wire.loop import EngineLoop
from replication.wire.positions_log import read_position
from replication.wire.record_codec import Record


class PositionsReader:
    """One read of one positions topic."""

    def __init__(self, loop: EngineLoop, link: ClusterLink, topic: str, source: str) -> None:
        self._source = source
        self._found: dict[TopicPartition, Position] = {}
        self._log = LogReader(loop, link, topic, self._take)

    async def read(self) -> dict[TopicPartition, Position]:
        """Positions up to the high watermark as of now; an open transaction is waited for."""
        await self._log.read()
        return self._found

    def _take(self, record: Record) -> None:
        read = read_position(record, self._source)
        if read is None:
            return
        upstream, position = read
        if position is None:
            self._found.pop(upstream, None)
        else:
            self._found[upstream] = position
