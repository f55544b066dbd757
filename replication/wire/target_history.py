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
        found: dict[TopicPartition, LastRun] = {}

        def take(record: Record) -> None:
            if record.key is None or record.value is None:
                return
            try:
                segment = offset_runs.decode(record.key, record.value)
            except ValueError as error:
                log.warning("offset runs unreadable", topic=topic, error=str(error))
                return
            upstream = TopicPartition(segment.topic, segment.partition)
            if upstream in upstreams:
                last = segment.runs[-1]
                found[upstream] = LastRun(segment.topic_id, last.upstream_end, last.downstream_end)

        await LogReader(self._loop, self._link, topic, take).read()
        return found

    async def round_trip_ms(self) -> float:
        return await self._link.round_trip_ms()
