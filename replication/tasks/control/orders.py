"""Carries out what people want of a running slot: holds, resets, and the throttles of the hour."""

import structlog

from replication.domain.control.orders import Hold, Reset, hold_of, pending_resets, remembered
from replication.domain.errors import ReplicationError, RetriableError
from replication.tasks.control.reset_offsets import ResetOffsets
from replication.tasks.offsets.gap_handler import GapHandler
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

log = structlog.get_logger(__name__)

EVERY_S = 1.0


class Orders:
    """One coroutine per slot; `apply` once before the first fetch, so that nothing held is read."""

    def __init__(self, context: SlotContext, events: SlotEvents, gaps: GapHandler) -> None:
        self._context = context
        self._events = events
        self._gaps = gaps
        self._offsets = ResetOffsets(context)
        self._held: set[PartitionCopy] = set()
        self._is_resetting = False

    async def run(self) -> None:
        while not self._context.stopping:
            await self.apply()
            await self._context.control_signal.wait(EVERY_S)

    async def apply(self) -> None:
        """Compare what is wanted with what is; what fails is tried again with the next call.

        A hold ends after the resets: a partition that is held to be moved is not read in between.
        """
        context, loop = self._context, self._context.ports.loop
        context.pace.adopt(context.spec.throttle, loop.now_ms(), loop.monotonic_s())
        if context.spec.holds:
            self._hold(context.spec.holds, context.ports.loop.now_ms())
        self._slow_down()
        if context.spec.resets and not self._is_resetting:
            self._is_resetting = True
            try:
                await self._reset(context.spec.resets)
            finally:
                self._is_resetting = False
        if self._held:
            self._release(context.spec.holds, context.ports.loop.now_ms())

    def restrict_now(self) -> None:
        """Hold back and slow down partitions that have just come, before they are read."""
        self._hold(self._context.spec.holds, self._context.ports.loop.now_ms())
        self._slow_down()

    def _slow_down(self) -> None:
        for copy in self._context.topic_paces.adopt(self._context.spec.topic_throttles):
            self._events.ready(copy)

    def _hold(self, holds: tuple[Hold, ...], now_ms: int) -> None:
        for copy in self._context.roster.copies.values():
            hold = hold_of(holds, copy.upstream, now_ms)
            if hold is not None:
                self._hold_back(copy, hold, now_ms)

    def _release(self, holds: tuple[Hold, ...], now_ms: int) -> None:
        for copy in list(self._held):
            if hold_of(holds, copy.upstream, now_ms) is None and not self._awaits_reset(copy):
                copy.obstructions.clear("hold")
                self._held.discard(copy)
                log.info("hold ended", flow=str(self._context.spec.flow), partition=str(copy.upstream))
                if self._context.roster.copies.get(copy.upstream) is copy:
                    self._events.ready(copy)

    def _awaits_reset(self, copy: PartitionCopy) -> bool:
        """True when its reset failed, or another call is carrying it out."""
        context = self._context
        is_ours = context.roster.copies.get(copy.upstream) is copy
        return is_ours and bool(pending_resets(context.spec.resets, copy.upstream, copy.progress.asked_resets))

    def _hold_back(self, copy: PartitionCopy, hold: Hold, now_ms: int) -> None:
        text = f"{copy.upstream} is paused{f': {hold.reason}' if hold.reason else ' by a person'}"
        known = copy.obstructions.of("hold")
        if known is not None and known.text == text:
            return
        copy.obstructions.set("hold", copy.cause("held", text, now_ms if known is None else known.since_ms))
        self._held.add(copy)
        self._events.stop_reading(copy)
        upstream = str(copy.upstream)
        log.info("partition held", flow=str(self._context.spec.flow), partition=upstream, reason=hold.reason)

    async def _reset(self, resets: tuple[Reset, ...]) -> None:
        context = self._context
        for upstream in dict.fromkeys(reset.upstream for reset in resets):
            copy = context.roster.copies.get(upstream)
            pending = pending_resets(resets, upstream, copy.progress.asked_resets) if copy is not None else ()
            if copy is None or not pending:
                continue
            try:
                await self._carry_out(copy, pending)
            except ReplicationError as error:
                log.warning("reset waits", flow=str(context.spec.flow), partition=str(upstream), error=str(error))

    async def _carry_out(self, copy: PartitionCopy, pending: tuple[Reset, ...]) -> None:
        """Carry out the last of several. Entries fetched before still go out, in front of it."""
        context, reset = self._context, pending[-1]
        place = await self._offsets.of(reset)
        if context.roster.copies.get(copy.upstream) is not copy or context.stopping:
            return
        before = copy.cursor.offset
        if copy.queue.is_closed:
            # its sequence numbers are gone with the rejected batch: only a new producer epoch can continue
            context.fail(RetriableError(f"{copy.upstream} is reset; the task restarts to carry it out"))
            return
        self._events.stop_reading(copy)
        if copy.progress.is_known and place.topic_id == copy.cursor.topic_id and place.offset > before:
            self._gaps.note_skipped(copy, before, place.offset)
        copy.restart_at(place.topic_id, place.offset, reset_ids=remembered(copy.progress.asked_resets, pending))
        if copy.obstructions.is_dead:
            copy.obstructions.recover()
        log.info(
            "partition reset",
            flow=str(context.spec.flow),
            partition=str(copy.upstream),
            reset=reset.id,
            from_offset=before,
            to_offset=place.offset,
        )
        self._events.ready(copy)
        context.refresh_signal.set()
