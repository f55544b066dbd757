"""The slot's entry in the producer registry of the target: who it is, and by which layout of the plan it works."""

from dataclasses import replace

from replication.codecs.producer_registry import encode_producer
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.produce.producer_registry import RegisteredProducer
from replication.ports.produce.record_appender import OutgoingRecord
from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.slot_context import SlotContext


class SlotClaim:
    """Writes the entry as the slot's producer, so that no former owner can change it (ADR 33)."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self._written: RegisteredProducer | None = None
        self._producer_id = -1
        self.layout = self.released = 0

    async def begin(self, identity: ProducerIdentity) -> None:
        """Claim the plan's generation and layout, as a slot that has no partition yet.

        Always written: the claim of a former owner may be newer than our last one.
        """
        self._producer_id, self._written = identity.producer_id, None
        layout = self._context.spec.layout
        await self._write(layout, layout)

    async def follow(self, identity: ProducerIdentity) -> None:
        """Claim the same under another producer id."""
        self._producer_id = identity.producer_id
        await self._write(self.layout, self.released)

    async def note_layout(self) -> None:
        """Tell the other slots that this one works by the plan's layout, and may give up partitions."""
        await self._write(self._context.spec.layout, self.released)

    async def release(self) -> None:
        """Tell the other slots that this one has no partition that the plan's layout does not give it."""
        layout = self._context.spec.layout
        await self._write(layout, layout)

    async def end(self) -> None:
        """Tell the other slots that this one has stopped."""
        await self._write(self.layout, self.released, has_ended=True)

    def entry(self, producer_id: int, slot: int, generation: int) -> RegisteredProducer:
        """Return an entry of a slot of the flow."""
        flow = self._context.spec.flow
        return RegisteredProducer(
            producer_id=producer_id,
            source=flow.source,
            target=flow.target,
            slot=slot,
            since_ms=self._context.ports.loop.now_ms(),
            generation=generation,
        )

    async def _write(self, layout: int, released: int, *, has_ended: bool = False) -> None:
        spec = self._context.spec
        entry = replace(
            self.entry(self._producer_id, spec.slot, spec.generation),
            layout=layout,
            released=released,
            has_ended=has_ended,
        )
        if self._written is None or replace(self._written, since_ms=entry.since_ms) != entry:
            await self._context.ports.claims.append(PRODUCERS_TOPIC, OutgoingRecord(*encode_producer(entry)))
            self._written = entry
        self.layout, self.released = layout, released
