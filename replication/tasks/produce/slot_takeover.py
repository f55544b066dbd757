"""Takes a slot over in Kafka, so that no owner of it, nor of a slot of an older generation, can commit any more.

The order makes it exact (ADR 22). The slot first becomes the owner of its id and claims its generation in the
producer registry. Then it fences the ids of older generations. Positions are read after that. An older slot that
starts meanwhile either claimed before, and is fenced, or it reads the newer claim, and stops.

A slot of the same generation whose plan has an older layout reads the newer claim, too. It waits for the newer plan
(ADR 33).
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import structlog

from replication.codecs.producer_registry import encode_producer
from replication.domain.errors import FencedError, RetriableError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition, transactional_id
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.names.internal_topics import POSITIONS, PRODUCERS_TOPIC
from replication.domain.produce.producer_registry import RegisteredProducer, newest_claims, unfenced_slots
from replication.ports.produce.record_appender import OutgoingRecord
from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.produce.slot_claim import SlotClaim
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)

ANOTHER_FENCES_S, LONGEST_PAUSE_S = 0.05, 8.0


class SlotTakeover:
    """Takes the slot's id, and those of other slots that must not commit any more."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self.claim = SlotClaim(context)
        self._registered: int | None = None

    async def fence_others(self) -> ProducerIdentity:
        """Fence all other owners of the slot and return its producer.

        Raises FencedError when a newer generation of the flow runs, and what Kafka raises.
        """
        spec, transactions = self._context.spec, self._context.ports.transactions
        guarded = await self._positions_partitions()
        await transactions.fence(spec.transactional_id)
        identity = await transactions.seal(guarded)
        await self._entries()  # before the claim, which may replace a newer one of this slot
        await self.claim.begin(identity)
        self._registered = identity.producer_id
        await self._fence_older(guarded)
        return identity

    async def fence_slot(self, claim: RegisteredProducer) -> None:
        """Take another slot of the generation away from an owner that does not give up what it should.

        No owner with an older layout can start after that, because our own claim of the layout is older than this.
        """
        spec = self._context.spec
        guarded = await self._positions_partitions()
        await self._context.ports.transactions.fence_other(claim.transactional_id, guarded)
        log.warning("slot fenced that kept partitions", flow=str(spec.flow), transactional_id=claim.transactional_id)
        await self._write([replace(claim, layout=spec.layout, released=spec.layout)])

    async def register(self, identity: ProducerIdentity) -> None:
        """Register the slot's producer in the target, before it writes anything else there."""
        if self._registered != identity.producer_id:
            await self.claim.follow(identity)
            self._registered = identity.producer_id

    async def _entries(self) -> list[RegisteredProducer]:
        """Return the entries of the flow.

        Raises FencedError when a newer generation runs, RetriableError when a newer layout of ours does.
        """
        spec = self._context.spec
        entries = [each for each in await self._context.ports.owners.read() if each.flow == spec.flow]
        newest = max((each.generation for each in entries), default=0)
        if newest > spec.generation:
            raise FencedError(
                f"{spec.flow}: generation {newest} of the plan has taken the slots over; this slot belongs to "
                f"generation {spec.generation}"
            )
        claims = newest_claims(entries, spec.flow, spec.generation)
        layout = max((each.layout for each in claims.values()), default=0)
        if layout > spec.layout:
            raise RetriableError(
                f"{spec.flow}: other slots work by layout {layout} of the plan; slot {spec.slot}, which has layout "
                f"{spec.layout}, waits for the newer plan"
            )
        return entries

    async def _positions_partitions(self) -> list[TopicPartition]:
        """Return the partitions in which leaders must refuse older owners; a missing topic has none."""
        topic = POSITIONS.name(self._context.spec.flow.source)
        described = (await self._context.ports.target.describe([topic]))[topic]
        if described.error not in (None, KafkaErrorCode.UNKNOWN_TOPIC_OR_PARTITION.name):
            alias = self._context.spec.target.alias
            raise RetriableError(f"cluster {alias}: {topic} cannot be described ({described.error})", cluster=alias)
        return [TopicPartition(topic, number) for number in described.leaders]

    async def _fence_older(self, guarded: Collection[TopicPartition]) -> None:
        """All slots of a generation share the work: each begins with another id, and notes what it has done."""
        context, spec = self._context, self._context.spec
        pause_s = ANOTHER_FENCES_S * (1 + spec.slot % 7 / 7)  # slots that disturb each other must not retry together
        while not context.stopping:
            entries = await self._entries()
            older = unfenced_slots(entries, spec.generation, spec.slots_without_generation)
            if not older:
                return
            generation, slot = older[spec.slot % len(older)]
            fenced = transactional_id(spec.flow, slot, generation)
            try:
                identity = await context.ports.transactions.fence_other(fenced, guarded)
            except (FencedError, TransactionAbortedError):
                await context.pause(pause_s)  # another slot fences it at the same time
                pause_s = min(LONGEST_PAUSE_S, pause_s * 2)
                continue
            log.info("older slot fenced", flow=str(spec.flow), transactional_id=fenced)
            known = [each for each in entries if each.transactional_id == fenced]
            marked = known or [self.claim.entry(identity.producer_id, slot, generation)]
            await self._write([replace(each, is_fenced=True) for each in marked])

    async def _write(self, entries: Sequence[RegisteredProducer]) -> None:
        records = [OutgoingRecord(*encode_producer(entry)) for entry in entries]
        await self._context.ports.records.append(PRODUCERS_TOPIC, records)
