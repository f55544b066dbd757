"""Reads `srm-producers.internal` of one cluster; each read continues where the one before ended."""

from collections.abc import Sequence

import structlog

from replication.codecs.producer_registry import decode_producer
from replication.domain.errors import MalformedRecordError
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.ports.loop import Loop
from replication.wire.batches.record_codec import Record
from replication.wire.fetch.log_reader import LogReader
from replication.wire.network.cluster_link import ClusterLink

log = structlog.get_logger(__name__)

ANOTHER_READS_S = 0.005


class WireProducerRegistry:
    """The `ProducerRegistry` of one slot; connects at the first read, unless the slot opens and closes the link."""

    def __init__(self, loop: Loop, link: ClusterLink, *, shares_link: bool = False) -> None:
        self._loop = loop
        self._link = link
        self._shares_link = shares_link
        self._is_open = shares_link
        self._is_reading = False
        self._found: dict[bytes | None, RegisteredProducer] = {}  # by key
        self._log = LogReader(loop, link, PRODUCERS_TOPIC, self._keep, self._found.clear)

    def close(self) -> None:
        if self._is_open and not self._shares_link:
            self._link.close()

    async def read(self) -> Sequence[RegisteredProducer]:
        while self._is_reading:  # answers of several brokers may ask at the same time
            await self._loop.sleep(ANOTHER_READS_S)
        self._is_reading = True
        try:
            if not self._is_open:
                await self._link.open()
                self._is_open = True
            await self._log.read()
        finally:
            self._is_reading = False
        return list(self._found.values())

    def _keep(self, record: Record) -> None:
        self._found.pop(record.key, None)
        try:
            entry = decode_producer(record.key, record.value)
        except MalformedRecordError as error:
            log.warning("registry entry skipped", cluster=self._link.alias, error=str(error))
        else:
            if entry is not None:
                self._found[record.key] = entry
