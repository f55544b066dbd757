"""Marks partitions that have more to copy, are free to advance, and do not."""

from typing import NamedTuple

from replication.domain.health.no_progress import STALLED_AFTER_S, STEP_PHRASES, Work, waited_s
from replication.domain.identifiers import TopicPartition
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

CHECK_S = 1.0
NO_PROGRESS = "no_progress"


class _Place(NamedTuple):
    """Every step forward of a partition changes one of these."""

    next_offset: int
    acknowledged_s: float


class ProgressWatch:
    """Derives the state `stalled` from progress: it needs no part to know why the partition does not advance."""

    def __init__(self, context: SlotContext) -> None:
        self._context = context
        self._waited: dict[TopicPartition, tuple[_Place, float]] = {}
        self._checked_s = context.ports.loop.monotonic_s()

    async def run(self) -> None:
        while not self._context.stopping:
            await self._context.pause(CHECK_S)
            self.check()

    def check(self) -> None:
        """Look at all partitions once."""
        now_s = self._context.ports.loop.monotonic_s()
        elapsed_s, self._checked_s = now_s - self._checked_s, now_s
        before, self._waited = self._waited, {}
        for upstream, copy in self._context.roster.copies.items():
            if not _should_advance(copy):
                copy.obstructions.clear("progress")
                continue
            place = _Place(copy.progress.next_offset, copy.queue.acknowledged_s)
            known = before.get(upstream)
            seconds = waited_s(known[1], elapsed_s) if known is not None and known[0] == place else 0.0
            self._waited[upstream] = place, seconds
            if seconds >= self._patience_s(copy):
                self._mark(copy, seconds)
            else:
                copy.obstructions.clear("progress")

    def _patience_s(self, copy: PartitionCopy) -> float:
        """A transaction takes records for a while before it commits."""
        open_s = self._context.spec.transaction_interval_ms / 1000 if copy.progress.uncommitted else 0.0
        return STALLED_AFTER_S + open_s

    def _mark(self, copy: PartitionCopy, seconds: float) -> None:
        text = f"{copy.upstream}: no progress, it waits for {STEP_PHRASES[self._work(copy).awaited]}"
        known = copy.obstructions.of("progress")
        if known is None or known.text != text:
            since_ms = self._context.ports.loop.now_ms() - round(seconds * 1000) if known is None else known.since_ms
            copy.obstructions.set("progress", copy.cause(NO_PROGRESS, text, since_ms))

    def _work(self, copy: PartitionCopy) -> Work:
        ports = self._context.ports
        has_room = ports.fetcher.has_room(copy.cursor.read_node) and (ports.memory is None or ports.memory.has_room)
        return Work(
            barrier_closed=copy.barrier.waits > 0,
            in_transaction=bool(copy.progress.uncommitted),
            sent=any(entry.data is not None for entry in copy.queue.sent),
            queued=bool(copy.queue.waiting),
            memory_full=not has_room,
        )


def _should_advance(copy: PartitionCopy) -> bool:
    """True when nothing that is known is in the way, no limit slows it down, and the source has or may have more."""
    obstructions = copy.obstructions
    if obstructions.state is not None and obstructions.reason is not obstructions.of("progress"):
        return False
    return copy.pace.cause is None and copy.lag != 0
