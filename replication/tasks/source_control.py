"""Carries out what people want of a running slot: holds, resets, and the throttle of the hour."""

from collections.abc import Callable

import structlog

from replication.domain.control import Hold, Reset, hold_of, pending_resets, remembered
from replication.domain.errors import Cause, ReplicationError, RetriableError
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.reset_offsets import ResetOffsets
from replication.tasks.slot_context import SlotContext
from replication.tasks.source_gaps import SourceGaps

log = structlog.get_logger(__name__)

EVERY_S = 1.0


class SourceControl:
    """One coroutine per slot; `tick` once before the first fetch, so that nothing held is read."""

    def __init__(
        self,
        context: SlotContext,
        gaps: SourceGaps,
        ready: Callable[[PartitionCopy], None],
        stop_reading: Callable[[PartitionCopy], None],
    ) -> None:
        """`ready` is called for a partition that may be read (again), `stop_reading` for one that may not."""
        self._context = context
        self._gaps = gaps
        self._ready = ready
        self._stop_reading = stop_reading
        self._offsets = ResetOffsets(context)
        self._held: set[PartitionCopy] = set()
        self._is_resetting = False

    async def run(self) -> None:
        while not self._context.stopping:
            await self.tick()
            await self._context.control_signal.wait(EVERY_S)

    async def tick(self) -> None:
        """Compare what is wanted with what is; what fails is tried again with the next tick.

        A hold ends after the resets: who holds a partition to move it wants nothing read in between.
        """
        context = self._context
        context.pace.adopt(context.spec.throttle, context.loop.now_ms())
        if context.spec.holds:
            self._hold(context.spec.holds, context.loop.now_ms())
        if context.spec.resets and not self._is_resetting:
            self._is_resetting = True
            try:
                await self._reset(context.spec.resets)
            finally:
                self._is_resetting = False
        if self._held:
            self._release(context.spec.holds, context.loop.now_ms())

    def _hold(self, holds: tuple[Hold, ...], now_ms: int) -> None:
        for copy in self._context.copies.values():
            hold = hold_of(holds, copy.upstream, now_ms)
            if hold is not None:
                self._hold_back(copy, hold, now_ms)

    def _release(self, holds: tuple[Hold, ...], now_ms: int) -> None:
        for copy in list(self._held):
            if hold_of(holds, copy.upstream, now_ms) is None and not self._awaits_reset(copy):
                copy.hold = None
                self._held.discard(copy)
                log.info("hold ended", flow=str(self._context.spec.flow), partition=str(copy.upstream))
                if self._context.copies.get(copy.upstream) is copy:
                    self._ready(copy)

    def _awaits_reset(self, copy: PartitionCopy) -> bool:
        """Its reset failed, or another tick is at it."""
        context = self._context
        is_ours = context.copies.get(copy.upstream) is copy
        return is_ours and bool(pending_resets(context.spec.resets, copy.upstream, copy.asked_resets))

    def _hold_back(self, copy: PartitionCopy, hold: Hold, now_ms: int) -> None:
        text = f"{copy.upstream} is held{f': {hold.reason}' if hold.reason else ' by a person'}"
        if copy.hold is not None and copy.hold.text == text:
            return
        since_ms = now_ms if copy.hold is None else copy.hold.since_ms
        upstream = copy.upstream
        copy.hold = Cause(code="held", text=text, topic=upstream.topic, partition=upstream.partition, since_ms=since_ms)
        self._held.add(copy)
        self._stop_reading(copy)
        log.info("partition held", flow=str(self._context.spec.flow), partition=str(upstream), reason=hold.reason)

    async def _reset(self, resets: tuple[Reset, ...]) -> None:
        context = self._context
        for upstream in dict.fromkeys(reset.upstream for reset in resets):
            copy = context.copies.get(upstream)
            pending = pending_resets(resets, upstream, copy.asked_resets) if copy is not None else ()
            if copy is None or not pending:
                continue
            try:
                await self._carry_out(copy, pending)
            except ReplicationError as error:
                log.warning("reset waits", flow=str(context.spec.flow), partition=str(upstream), error=str(error))

    async def _carry_out(self, copy: PartitionCopy, pending: tuple[Reset, ...]) -> None:
        """Of several only the last one counts. What was fetched before still goes out, in front of it."""
        context, reset = self._context, pending[-1]
        place = await self._offsets.of(reset)
        if context.copies.get(copy.upstream) is not copy or context.stopping:
            return
        before = copy.fetch_offset
        if copy.given_up:
            # its sequence numbers are gone with the refused batch: only a new producer epoch can go on
            context.fail(RetriableError(f"{copy.upstream} is reset; the task starts anew to carry it out"))
            return
        self._stop_reading(copy)
        if copy.has_position and place.topic_id == copy.topic_id and place.offset > before:
            self._gaps.skipped(copy, before, place.offset)
        copy.restart_at(place.topic_id, place.offset, reset_ids=remembered(copy.asked_resets, pending))
        if copy.is_dead:
            copy.recover()
        log.info(
            "partition reset",
            flow=str(context.spec.flow),
            partition=str(copy.upstream),
            reset=reset.id,
            from_offset=before,
            to_offset=place.offset,
        )
        self._ready(copy)
        context.refresh_signal.set()
