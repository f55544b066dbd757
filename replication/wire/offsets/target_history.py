"""Reads what a flow left behind: offset runs, offset syncs, gaps, and whether the remote topics hold anything."""

from collections.abc import Callable, Collection

import structlog

from replication.codecs import offset_runs
from replication.codecs.gap_records import decode_gap
from replication.codecs.mm2_records import decode_offset_sync
from replication.domain.errors import AuthorizationError, MalformedRecordError
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.offset_run import RunSegment
from replication.ports.offsets.target_history import LastRun
from replication.wire.batches.record_codec import Record
from replication.wire.fetch.log_reader import LogReader
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.loop import EngineLoop

log = structlog.get_logger(__name__)


class WireTargetHistory:
    """The `TargetHistory` of one slot, over links that the caller opens and closes."""

    def __init__(self, loop: EngineLoop, link: ClusterLink, syncs: ClusterLink) -> None:
        """`syncs` leads to the cluster that keeps the offset syncs."""
        self._loop = loop
        self._link = link
        self._syncs = syncs

    async def read_runs(
        self, topic: str, upstreams: Collection[TopicPartition], on_segment: Callable[[bytes, RunSegment | None], None]
    ) -> None:
        prefixes = {offset_runs.key_prefix(upstream.topic, upstream.partition) for upstream in upstreams}

        def on_record(record: Record) -> None:
            key = record.key
            if key is None or key[: key.rfind(b"\0") + 1] not in prefixes:
                return
            try:
                on_segment(key, None if record.value is None else offset_runs.decode(key, record.value))
            except ValueError as error:
                log.warning("offset runs unreadable", topic=topic, error=str(error))

        await LogReader(self._loop, self._link, topic, on_record).read()

    async def last_runs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, LastRun]:
        """A partition's newest record is that of its newest segment, also while it grows: no other is decoded."""
        places = {offset_runs.key_prefix(upstream.topic, upstream.partition): upstream for upstream in upstreams}
        newest: dict[TopicPartition, tuple[bytes, bytes]] = {}

        def on_record(record: Record) -> None:
            if record.key is None or record.value is None:
                return
            upstream = places.get(record.key[: record.key.rfind(b"\0") + 1])
            if upstream is not None:
                newest[upstream] = record.key, record.value

        await LogReader(self._loop, self._link, topic, on_record).read()
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

    async def last_syncs(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, int] | None:
        wanted, newest = frozenset(upstreams), dict[TopicPartition, int]()

        def on_record(record: Record) -> None:
            if record.key is None or record.value is None:
                return
            try:
                sync = decode_offset_sync(record.key, record.value)
            except MalformedRecordError:
                return  # not written by us, so it says nothing
            if sync.upstream in wanted:
                newest[sync.upstream] = sync.upstream_offset

        try:
            await LogReader(self._loop, self._syncs, topic, on_record).read()
        except AuthorizationError as error:
            log.warning("offset syncs not readable", topic=topic, error=str(error))
            return None
        return newest

    async def last_gaps(self, topic: str, upstreams: Collection[TopicPartition]) -> dict[TopicPartition, Gap]:
        wanted, newest = frozenset(upstreams), dict[TopicPartition, Gap]()

        def on_record(record: Record) -> None:
            if record.value is None:
                return
            try:
                gap = decode_gap(record.value)
            except ValueError as error:
                log.warning("gap record unreadable", topic=topic, error=str(error))
                return
            upstream = TopicPartition(gap.topic, gap.partition)
            if upstream in wanted:
                newest[upstream] = gap

        await LogReader(self._loop, self._link, topic, on_record).read()
        return newest
