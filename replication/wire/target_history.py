"""Reads what a flow left behind in the target: offset runs, and whether the remote topics hold anything."""

from collections.abc import Collection

import structlog

from replication.codecs import offset_runs
from replication.domain.identifiers import TopicPartition
from replication.ports.target_history import LastRun
from replication.wire.cluster_link import ClusterLink
from replication.wire.log_reader import LogReader
from replication.wire.loop import EngineLoop
from replication.wire.record_codec import Record

log = structlog.get_logger(__name__)


class WireTargetHistory:
    """The `TargetHistory` of one slot, over a link that somebody else opens and closes."""

    def __init__(self, loop: EngineLoop, link: ClusterLink) -> None:
        self._loop = loop
        self._link = link

    async def log_ends(self, remotes: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        return await self._link.offsets(dict.fromkeys(remotes, "latest"), "read_uncommitted")

    async def last_runs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, LastRun]:
        """A partition's segments have a key each and never repeat: only the last of those asked for is decoded."""
        places = {offset_runs.key_prefix(upstream.topic, upstream.partition): upstream for upstream in upstreams}
        newest: dict[TopicPartition, tuple[bytes, bytes]] = {}

        def take(record: Record) -> None:
            if record.key is None or record.value is None:
                return
            upstream = places.get(record.key[: record.key.rfind(b"\0") + 1])
            if upstream is not None:
                newest[upstream] = record.key, record.value

        await LogReader(self._loop, self._link, topic, take).read()
        found: dict[TopicPartition, LastRun] = {}
        for upstream, (key, value) in newest.items():
            try:
                segment = offset_runs.decode(key, value)
            except ValueError as error:
                log.warning("offset runs unreadable", topic=topic, error=str(error))
                continue
            last = segment.runs[-1]
            found[upstream] = LastRun(segment.topic_id, last.upstream_end, last.downstream_end)
        return found

    async def round_trip_ms(self) -> float:
        return await self._link.round_trip_ms()
