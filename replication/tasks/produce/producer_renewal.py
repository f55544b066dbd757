"""Heals a partition whose sequences the target does not accept any more: the slot's producer gets its next epoch.

Sequences begin at 0 in every epoch (KIP-360), in all partitions of the slot. The others lose nothing: what they have
sent is answered first, what is in doubt is sent again under the old epoch, and their positions stay. Under exactly once
the abort of the open transaction does the same.
"""

import structlog

from replication.domain.errors import ReplicationError, RetriableError
from replication.domain.identifiers import TopicPartition
from replication.tasks.offsets.position_committer import PositionCommitter
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.produce.sender import Sender
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

IDLE_S = 1.0
CHECK_S = 0.005
AFTER_ERROR_S = 0.5
DOUBT_PATIENCE_S = 10.0  # then batches in doubt go out under the new epoch, and may be on the target twice


class ProducerRenewal:
    """One coroutine per slot."""

    def __init__(self, context: SlotContext, events: SlotEvents, sender: Sender, positions: PositionCommitter) -> None:
        self._context = context
        self._events = events
        self._sender = sender
        self._positions = positions
        self._lost: dict[TopicPartition, PartitionCopy] = {}
        self._signal = context.ports.loop.signal()

    def demand(self, copy: PartitionCopy) -> None:
        """The target does not accept the partition's sequences."""
        self._lost[copy.upstream] = copy
        self._sender.hold(self._lost)
        self._signal.set()

    async def run(self) -> None:
        context = self._context
        while not context.stopping:
            await self._signal.wait(IDLE_S)
            if not self._lost or context.stopping:
                continue
            try:
                await self._renew()
            except RetriableError as error:
                log.warning("producer not renewed", flow=str(context.spec.flow), error=str(error))
                await context.pause(AFTER_ERROR_S)
                self._signal.set()
            except ReplicationError as error:
                context.fail(error)

    async def _renew(self) -> None:
        context = self._context
        await self._wait_for_answers()
        if context.stopping:
            return  # what is on the wire is of the old epoch
        async with self._positions.turn():
            identity = await context.ports.transactions.renew()
            for copy in context.roster.copies.values():
                copy.queue.restart_sequences()
            await self._events.renewed(identity)
        partitions = [str(copy.remote) for copy in self._lost.values()]
        log.warning("producer renewed", flow=str(context.spec.flow), epoch=identity.epoch, partitions=partitions)
        self._lost.clear()
        self._sender.release()

    async def _wait_for_answers(self) -> None:
        """Until nothing is on the wire, and no other partition has a batch in doubt."""
        context, loop = self._context, self._context.ports.loop
        deadline_s = loop.monotonic_s() + DOUBT_PATIENCE_S
        while not context.stopping:
            others = (copy for upstream, copy in context.roster.copies.items() if upstream not in self._lost)
            is_over = loop.monotonic_s() >= deadline_s or not any(
                copy.queue.is_in_doubt and not copy.queue.is_closed for copy in others
            )
            if loop.monotonic_s() >= deadline_s:
                self._sender.hold_all()
            if is_over and not self._sender.in_flight:
                self._sender.hold_all()  # not before: a request in flight may still leave a batch in doubt
                return
            await loop.sleep(CHECK_S)
