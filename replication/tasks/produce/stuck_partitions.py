"""Releases memory of partitions that do not advance, so that they cannot stop the slot's others or other flows.

A right that was taken away, a leader that is missing, a coordinator that does not answer: such a partition may wait for
hours. Batches that the target surely has not are dropped, and fetched again when the partition advances. Those that the
target may have must come with the same sequences again: they are copied out of the frames, which all flows of the
process share, and into files once half of the slot's own share of memory is used.
"""

from replication.domain.identifiers import TopicPartition
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

CHECK_S = 1.0
STUCK_S = 5.0  # the slowest links acknowledge something several times a second

_Place = tuple[int, float]  # the next offset that is not done, and when the target last acknowledged a batch


class StuckPartitions:
    """Checks once a second which partitions advanced."""

    def __init__(self, context: SlotContext, events: SlotEvents) -> None:
        self._context = context
        self._events = events
        self._since_s: dict[TopicPartition, tuple[_Place, float]] = {}

    async def run(self) -> None:
        while not self._context.stopping:
            await self._context.pause(CHECK_S)
            self.release_memory()

    def release_memory(self) -> None:
        """Check all partitions once."""
        now_s = self._context.ports.loop.monotonic_s()
        before, self._since_s = self._since_s, {}
        for upstream, copy in self._context.roster.copies.items():
            queue = copy.queue
            if queue.is_idle or queue.is_closed:
                continue
            place = copy.progress.next_offset, queue.acknowledged_s
            known = before.get(upstream)
            since_s = known[1] if known is not None and known[0] == place else now_s
            self._since_s[upstream] = place, since_s
            if now_s - since_s >= STUCK_S:
                if copy.forget_unsent():
                    self._events.memory_released(copy)
                queue.copy_out_of_frames()
                if self._context.ports.memory is not None and self._context.ports.memory.is_crowded:
                    queue.move_to_file()
