"""Reads the positions topic to its end: the newest position of every partition."""

from replication.domain.identifiers import TopicPartition
from replication.domain.positions import Position
from replication.ports.loop import Loop
from replication.wire.cluster_link import ClusterLink
from replication.wire.log_reader import LogReader
from replication.wire.positions_log import read_position
from replication.wire.record_codec import Record


class PositionsReader:
    """Reads of one positions topic; each goes on where the one before ended."""

    def __init__(self, loop: Loop, link: ClusterLink, topic: str, source: str) -> None:
        self._source = source
        self._found: dict[TopicPartition, Position] = {}
        self._newest: dict[bytes | None, Record] = {}  # of this read, by key
        self._log = LogReader(loop, link, topic, self._take, self._start_anew)

    async def read(self) -> dict[TopicPartition, Position]:
        """Positions up to the high watermark as of now; an open transaction is waited for."""
        await self._log.read()
        for record in self._newest.values():
            self._understand(record)
        self._newest.clear()
        return dict(self._found)

    def _take(self, record: Record) -> None:
        """A partition has a record per commit, and only the last one counts: understand no other."""
        self._newest.pop(record.key, None)
        self._newest[record.key] = record

    def _start_anew(self) -> None:
        self._newest.clear()
        self._found.clear()

    def _understand(self, record: Record) -> None:
        read = read_position(record, self._source)
        if read is None:
            return
        upstream, position = read
        if position is None:
            self._found.pop(upstream, None)
        else:
            self._found[upstream] = position
