"""Keeps records from going in circles between clusters whose topics have equal names.

A batch is judged only when its producer is known: as a slot of a flow from the target, or as another one after a read
of the registry newer than the batch. Slots register before their first batch, so that one read is enough. The registry
is read once per producer, and once for all that an answer brings.
"""

import struct

import structlog

from replication.domain.batches.batch_decision import HEADER_BYTES, LENGTH_OVERHEAD_BYTES, NO_PRODUCER_ID
from replication.domain.produce.producer_registry import looped_ids
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
        self._strangers: set[int] = {NO_PRODUCER_ID}
        self._read_s: float | None = None  # the start of the last read that succeeded

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
