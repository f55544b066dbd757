"""Keeps records from going in circles between clusters whose topics have equal names.

A batch is judged only when its producer is known: as a slot of a flow from the target, or as another one after a read
of the registry newer than the batch. Slots register before their first batch, so that one read is enough. The registry
is read once per producer, and once for all that an answer brings.
"""

import struct

import structlog

from replication.codecs.producer_registry import encode_producer
from replication.domain.batches.batch_decision import HEADER_BYTES, LENGTH_OVERHEAD_BYTES, NO_PRODUCER_ID
from replication.domain.errors import AuthorizationError, TopicMissingError
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.produce.producer_registry import RegisteredProducer, looped_ids
from replication.ports.produce.record_appender import OutgoingRecord
from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

MOST_STRANGERS = 200_000  # producers of others that are remembered; forgetting them costs another read
_LENGTH = struct.Struct(">i")
_PRODUCER_ID = struct.Struct(">q")
_LENGTH_AT, _MAGIC_AT, _PRODUCER_ID_AT = 8, 16, 43


class LoopProtection:
    """Knows the producers whose batches a slot drops."""

    def __init__(self, context: SlotContext) -> None:
        spec = context.spec
        self._context = context
        self.is_on = spec.records.loop_protection == "producer_ids"
        self.looped: set[int] = set()  # the producers of the flow back; the same set for the life of the slot
        self._origins = frozenset({spec.flow.target, *spec.records.loop_origins})
        self._registered: int | None = None
        self._strangers: set[int] = {NO_PRODUCER_ID}
        self._read_s: float | None = None  # the start of the last read that succeeded

    async def register(self, identity: ProducerIdentity) -> None:
        """Register the slot's producer in the target, before it writes anything else there.

        Raises what the target's appender raises; without the entry a slot that keeps names must not produce. Others
        continue where the registry is missing or may not be written.
        """
        spec = self._context.spec
        if not spec.registers_producer or self._registered == identity.producer_id:
            return
        producer = RegisteredProducer(
            producer_id=identity.producer_id,
            source=spec.flow.source,
            target=spec.flow.target,
            slot=spec.slot,
            since_ms=self._context.ports.loop.now_ms(),
        )
        try:
            await self._context.ports.records.append(PRODUCERS_TOPIC, [OutgoingRecord(*encode_producer(producer))])
        except (TopicMissingError, AuthorizationError) as error:
            if spec.keeps_names:
                raise
            log.warning("producer not registered", flow=str(spec.flow), slot=spec.slot, error=str(error))
        self._registered = identity.producer_id

    async def learn_producers(self, records: memoryview, heard_s: float) -> None:
        """Learn every producer of these batches, which came at `heard_s` on the loop's monotonic clock.

        Raises ReplicationError while the registry cannot be read.
        """
        if not self.is_on:
            return
        unknown = _producers(records) - self.looped - self._strangers
        if not unknown:
            return
        if self._read_s is None or self._read_s < heard_s:
            await self._read_registry()
        if len(self._strangers) > MOST_STRANGERS:
            self._strangers = {NO_PRODUCER_ID}
        self._strangers |= unknown - self.looped

    async def _read_registry(self) -> None:
        began_s = self._context.ports.loop.monotonic_s()
        found = looped_ids(await self._context.ports.producers.read(), self._origins) - self.looped
        self._read_s = began_s
        if found:
            self.looped |= found
            log.info("producers of the flow back", flow=str(self._context.spec.flow), producers=len(self.looped))


def _producers(records: memoryview) -> set[int]:
    """Return the producer ids of whole and cut off batches alike."""
    found: set[int] = set()
    at, end = 0, len(records) - HEADER_BYTES
    while at <= end:
        if records[at + _MAGIC_AT] >= 2:
            found.add(_PRODUCER_ID.unpack_from(records, at + _PRODUCER_ID_AT)[0])
        (length,) = _LENGTH.unpack_from(records, at + _LENGTH_AT)
        if length <= 0:
            break  # the intake says what is wrong with it
        at += length + LENGTH_OVERHEAD_BYTES
    return found
