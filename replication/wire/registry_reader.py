"""Reads `srm-producers.internal` of the cluster a slot reads from."""

from collections.abc import Sequence

import structlog

from replication.codecs.producer_registry import decode_producer
from replication.domain.errors import MalformedRecordError
from replication.domain.producer_registry import PRODUCERS_TOPIC, RegisteredProducer
from replication.wire.cluster_link import ClusterLink
from replication.wire.log_reader import LogReader
from replication.wire.loop import EngineLoop
from replication.wire.record_codec import Record

log = structlog.get_logger(__name__)


class WireProducerRegistry:
    """The `ProducerRegistry` of one slot; connects at the first read."""

    def __init__(self, loop: EngineLoop, link: ClusterLink) -> None:
        self._loop = loop
        self._link = link
        self._is_open = False

    def close(self) -> None:
        if self._is_open:
            self._link.close()

    async def read(self) -> Sequence[RegisteredProducer]:
        if not self._is_open:
            await self._link.open()
            self._is_open = True
        found: list[RegisteredProducer] = []

        def take(record: Record) -> None:
            try:
                entry = decode_producer(record.key, record.value)
            except MalformedRecordError as error:
                log.warning("registry entry skipped", cluster=self._link.alias, error=str(error))
            else:
                if entry is not None:
                    found.append(entry)

        await LogReader(self._loop, self._link, PRODUCERS_TOPIC, take).read()
        return found
