"""Keeps records from going in circles between clusters whose topics have equal names.

A batch is judged only when its producer is known: as a slot of a flow from the target, or as somebody else after a look
at the registry newer than the batch. Slots write themselves down before their first batch, so that look is enough. It
is made once per producer, and once for all that an answer brings.
"""

import struct

import structlog

from replication.codecs.producer_registry import encode_producer
from replication.domain.batch import HEADER_BYTES, LENGTH_OVERHEAD_BYTES, NO_PRODUCER_ID
from replication.domain.errors import AuthorizationError, TopicMissingError
from replication.domain.producer_registry import PRODUCERS_TOPIC, RegisteredProducer, looped_ids
from replication.ports.target_writer import OutgoingRecord, ProducerIdentity
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

MOST_STRANGERS = 200_000  # producers of others that are remembered; forgetting them costs another look
_LENGTH = struct.Struct(">i")
_PRODUCER_ID = struct.Struct(">q")
_LENGTH_AT, _MAGIC_AT, _PRODUCER_ID_AT = 8, 16, 43


class SourceLoops:
    """The producers whose batches a slot drops: `producer_id in loops`."""

    def __init__(self, context: SlotContext) -> None:
        spec = context.spec
        self._context = context
        self._follows = spec.records.loop_protection == "producer_ids"
        self._origins = frozenset({spec.flow.target, *spec.records.loop_origins})
        self._registered: int | None = None
        self._looped: set[int] = set()
        self._strangers: set[int] = {NO_PRODUCER_ID}
        self._looked_s: float | None = None  # when the last look that succeeded began

    def __contains__(self, producer_id: object) -> bool:
        return producer_id in self._looped

    async def register(self, identity: ProducerIdentity) -> None:
        """Write the slot's producer down in the target, before it writes anything else there.

        Raises what the target's appender raises; without the entry a slot that keeps names must not produce. Others
        go on where the registry is not there or not to be written.
        """
        spec = self._context.spec
        if not spec.registers_producer or self._registered == identity.producer_id:
            return
        producer = RegisteredProducer(
            producer_id=identity.producer_id,
            source=spec.flow.source,
            target=spec.flow.target,
            slot=spec.slot,
            since_ms=self._context.loop.now_ms(),
        )
        try:
            await self._context.ports.records.append(PRODUCERS_TOPIC, [OutgoingRecord(*encode_producer(producer))])
        except (TopicMissingError, AuthorizationError) as error:
            if spec.keeps_names:
                raise
            log.warning("producer not registered", flow=str(spec.flow), slot=spec.slot, error=str(error))
        self._registered = identity.producer_id

    async def get_to_know(self, records: memoryview | None, heard_s: float) -> None:
        """Know every producer of these batches, which came at `heard_s` on the loop's monotonic clock.

        Raises ReplicationError while the registry cannot be read.
        """
        if not self._follows or records is None:
            return
        unknown = _producers(records) - self._looped - self._strangers
        if not unknown:
            return
        if self._looked_s is None or self._looked_s < heard_s:
            await self._look()
        if len(self._strangers) > MOST_STRANGERS:
            self._strangers = {NO_PRODUCER_ID}
        self._strangers |= unknown - self._looped

    async def _look(self) -> None:
        began_s = self._context.loop.monotonic_s()
        found = looped_ids(await self._context.ports.producers.read(), self._origins) - self._looped
        self._looked_s = began_s
        if found:
            self._looped |= found
            log.info("producers of the flow back", flow=str(self._context.spec.flow), producers=len(self._looped))


def _producers(records: memoryview) -> set[int]:
    """The producer ids of whole and cut off batches alike."""
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
