"""Moves partitions between running slots of a flow, so that never two of them copy the same one (ADR 33).

Who gives a partition copies it until the slot that gets it runs with the new layout of the plan. It then finishes and
commits it, and says so in the producer registry. Who gets it reads its position after that.
"""

from collections.abc import Mapping

import structlog

from replication.domain.errors import FencedError, TransactionAbortedError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import PlannedPartition
from replication.domain.produce.hand_over import patience_s
from replication.domain.produce.producer_registry import RegisteredProducer, newest_claims
from replication.tasks.produce.slot_takeover import SlotTakeover
from replication.tasks.slot_context import SlotContext

log = structlog.get_logger(__name__)


class HandOver:
    """Knows the claims of the other slots as of the last `refresh`. Methods raise what Kafka raises."""

    def __init__(self, context: SlotContext, takeover: SlotTakeover) -> None:
        self._context = context
        self._claim = takeover.claim
        self._takeover = takeover
        self._others: Mapping[int, RegisteredProducer] = {}
        self._receivers: Mapping[TopicPartition, int] = {}  # of the partitions that this slot has to give
        self._waits_since_s: dict[int, float] = {}  # by slot that keeps what another one should have
        self._is_known = False

    @property
    def is_under_way(self) -> bool:
        """Return True while this slot has partitions to give, or waits for partitions to take."""
        spec = self._context.spec
        return self._claim.released < spec.layout or any(not self.may_take(each) for each in spec.partitions)

    async def refresh(self) -> None:
        """Read the claims of the other slots, and tell them the plan's layout before that."""
        spec = self._context.spec
        if self._claim.layout < spec.layout:
            await self._claim.note_layout()
            log.info("layout followed", flow=str(spec.flow), slot=spec.slot, layout=spec.layout)
        entries = await self._context.ports.owners.read()
        claims = newest_claims(entries, spec.flow, spec.generation)
        self._others = {slot: claim for slot, claim in claims.items() if slot != spec.slot}
        self._receivers = dict(spec.moved_away)
        self._is_known = True

    def may_take(self, planned: PlannedPartition) -> bool:
        """Return True when no other slot can have the partition any more."""
        layout = planned.since_layout
        return not layout or (self._is_known and all(each.has_released(layout) for each in self._others.values()))

    def may_give(self, upstream: TopicPartition) -> bool:
        """Return True when the slot that gets the partition runs, or when none gets it."""
        receiver = self._receivers.get(upstream)
        if receiver is None:
            return True
        claim = self._others.get(receiver)
        return claim is not None and claim.layout >= self._context.spec.layout and not claim.has_ended

    async def note_given(self) -> None:
        """Every partition that the plan does not give this slot is finished and forgotten."""
        spec = self._context.spec
        if self._claim.released < spec.layout:
            await self._claim.release()
            log.info("partitions released", flow=str(spec.flow), slot=spec.slot, layout=spec.layout)

    async def fence_late(self) -> None:
        """Fence slots that have kept partitions of ours for too long: their owners may be cut off, or gone."""
        spec = self._context.spec
        wanted = max((each.since_layout for each in spec.partitions if not self.may_take(each)), default=0)
        late = {slot: claim for slot, claim in self._others.items() if not claim.has_released(wanted)}
        now_s = self._context.ports.loop.monotonic_s()
        self._waits_since_s = {slot: self._waits_since_s.get(slot, now_s) for slot in late}
        for slot, claim in late.items():
            if now_s - self._waits_since_s[slot] < patience_s(claim, wanted, spec.slots):
                continue
            try:
                await self._takeover.fence_slot(claim)
            except (FencedError, TransactionAbortedError) as error:  # another slot fences it, or it starts again
                log.info("slot not fenced", flow=str(spec.flow), slot=slot, error=str(error))
