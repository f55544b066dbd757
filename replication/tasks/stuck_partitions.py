"""Memory that partitions without progress give back, so that they cannot stop the slot's others or other flows.

A right that was taken away, a leader that is missing, a coordinator that does not answer: what such a partition has
fetched may wait for hours. It lets go of what the target surely has not and fetches it again when it gets on. What the
target may have stays, for it must come with the same sequences again: it is copied out of the frames, which all flows
of the process share, and into files once half of the slot's own share of memory is used.
"""

from collections.abc import Callable

from replication.domain.identifiers import TopicPartition
from replication.tasks.entry import Entry
from replication.tasks.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext

LOOK_S = 1.0
STUCK_S = 5.0  # the slowest links acknowledge something several times a second

_Place = tuple[int, float]  # the next offset that is not done, and when the target last acknowledged a batch


class StuckPartitions:
    """Looks once a second who got on."""

    def __init__(self, context: SlotContext, let_go: Callable[[PartitionCopy], None]) -> None:
        """`let_go(copy)`: its fetch offset went back; it is not fetched before something of it is acknowledged."""
        self._context = context
        self._let_go = let_go
        self._since_s: dict[TopicPartition, tuple[_Place, float]] = {}

    async def run(self) -> None:
        while not self._context.stopping:
            await self._context.pause(LOOK_S)
            self.look()

    def look(self) -> None:
        """One look at all partitions."""
        now_s = self._context.loop.monotonic_s()
        before, self._since_s = self._since_s, {}
        for upstream, copy in self._context.copies.items():
            if copy.is_idle or copy.given_up:
                continue
            place = copy.done_next, copy.acknowledged_s
            known = before.get(upstream)
            since_s = known[1] if known is not None and known[0] == place else now_s
            self._since_s[upstream] = place, since_s
            if now_s - since_s >= STUCK_S:
                if forget_unsent(copy):
                    self._let_go(copy)
                copy.unpin()
                if self._context.memory is not None and self._context.memory.is_crowded:
                    copy.set_aside()


def forget_unsent(copy: PartitionCopy) -> bool:
    """Take back what was fetched and is surely not on the target, but for the first batch. False if nothing was.

    Records on their way to the dead letters stand for offsets that must not be read twice, and a partition that waits
    for a person keeps its place.
    """
    if copy.letters_on_their_way or copy.in_repair or copy.is_dead or copy.hold is not None:
        return False
    is_back = not copy.in_flight and not copy.broken
    first: Entry | None = None
    while len(copy.queue) > 1 and _may_go(copy.queue[-1], is_back=is_back):
        first = copy.queue.pop()
        if first.base_sequence is not None:
            copy.next_sequence = first.base_sequence
        copy.pending_bytes -= first.size_bytes
        first.release()
    if first is None:
        return False
    copy.fetch_offset, copy.last_epoch = first.first, copy.queue[-1].leader_epoch
    return True


def _may_go(entry: Entry, *, is_back: bool) -> bool:
    is_special = entry.restart_topic_id is not None or entry.reset_ids is not None
    return not is_special and not entry.in_doubt and (is_back or entry.base_sequence is None)
