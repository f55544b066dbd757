"""Marks partitions that have more to copy, are free to advance, and do not."""

from collections.abc import Mapping

from replication.domain.health.no_progress import STALLED_AFTER_S, Work, step_phrase, waited_s
from replication.domain.identifiers import TopicPartition
from replication.tasks.partition.partition_copy import PartitionCopy
from replication.tasks.slot_context import SlotContext
from replication.tasks.slot_events import SlotEvents

SERVED_WITHIN_S = 4.0  # less than the patience with one partition: a broker that is cut off serves no one
NO_PROGRESS = "no_progress"

# Every step forward changes one: the next offset, when something was acknowledged, and for a partition that has
# caught up, which waits for nothing but its broker, since when that one owes an answer.
_Place = tuple[int, float, float | None]


class ProgressWatch:
    """Derives the state `stalled` from progress: it needs no part to know why the partition does not advance.

    A partition that has caught up is stalled too when its broker does not answer: no one knows what it holds by now.
    """

    def __init__(self, context: SlotContext, events: SlotEvents) -> None:
        self._context = context
        self._events = events
        self._waited: dict[TopicPartition, tuple[_Place, float]] = {}
        self._source_served_s: dict[int, float] = {}  # by broker: when one of its partitions advanced last
        self._target_served_s: dict[int, float] = {}
        self._overdue: Mapping[int, float] = {}
        self._checked_s = context.ports.loop.monotonic_s()

    def check(self) -> None:
        """Look at all partitions once."""
        now_s = self._context.ports.loop.monotonic_s()
        elapsed_s, self._checked_s = now_s - self._checked_s, now_s
        self._overdue = {node: due_s for node, due_s in self._context.answers_due_s.items() if due_s < now_s}
        before, self._waited = self._waited, {}
        for upstream, copy in self._context.roster.copies.items():
            if not self._should_advance(copy):
                _clear(copy)
                continue
            place, known = self._place(copy), before.get(upstream)
            if known is None:
                seconds = 0.0
            elif known[0] == place:
                seconds = waited_s(known[1], elapsed_s)
            else:
                seconds = waited_s(0.0, now_s - copy.queue.acknowledged_s) if known[0][1] != place[1] else 0.0
                self._source_served_s[copy.cursor.read_node] = self._target_served_s[copy.queue.leader] = now_s
            self._waited[upstream] = place, seconds
        for upstream, (_, seconds) in self._waited.items():
            self._judge(self._context.roster.copies[upstream], seconds)

    def _should_advance(self, copy: PartitionCopy) -> bool:
        """True when nothing known is in the way, no limit slows it down, and the source has more, or may have."""
        if copy.least_lag == 0 and (not self._overdue or self._overdue_since_s(copy) is None):
            return False
        obstructions = copy.obstructions
        if obstructions.state is not None and obstructions.reason is not obstructions.of("progress"):
            return False
        return copy.slowed_by is None

    def _overdue_since_s(self, copy: PartitionCopy) -> float | None:
        return self._overdue.get(copy.cursor.read_node) if copy.cursor.is_fetching else None

    def _place(self, copy: PartitionCopy) -> _Place:
        overdue_since_s = None if copy.least_lag != 0 else self._overdue_since_s(copy)
        return copy.progress.next_offset, copy.queue.acknowledged_s, overdue_since_s

    def _judge(self, copy: PartitionCopy, seconds: float) -> None:
        if seconds >= STALLED_AFTER_S:
            work = self._work(copy)
            if seconds >= work.patience_s(self._context.spec.transaction_interval_ms / 1000):
                self._mark(copy, work, seconds)
                return
        _clear(copy)

    def _mark(self, copy: PartitionCopy, work: Work, seconds: float) -> None:
        copy.cursor.note_silence(work.source_silent)
        text = f"{copy.upstream}: no progress, it waits for {step_phrase(work.awaited, self._context.spec.flow)}"
        known = copy.obstructions.of("progress")
        if known is None or known.text != text:
            since_ms = self._context.ports.loop.now_ms() - round(seconds * 1000) if known is None else known.since_ms
            copy.obstructions.set("progress", copy.cause(NO_PROGRESS, text, since_ms))
            if copy.cursor.near_replica >= 0:
                self._leave_follower(copy)

    def _leave_follower(self, copy: PartitionCopy) -> None:
        """Continue at the leader without asking anyone: a question may reach the follower that does not answer."""
        self._context.ports.fetcher.avoid_followers()
        copy.cursor.read_from_replica(-1)
        self._events.ready(copy)

    def _work(self, copy: PartitionCopy) -> Work:
        ports = self._context.ports
        has_room = ports.fetcher.has_room(copy.cursor.read_node) and (ports.memory is None or ports.memory.has_room)
        return Work(
            barrier_closed=copy.barrier.waits > 0,
            in_transaction=bool(copy.progress.uncommitted),
            sent=any(entry.data is not None for entry in copy.queue.sent),
            queued=bool(copy.queue.waiting),
            memory_full=not has_room,
            source_silent=self._overdue_since_s(copy) is not None,
            source_serves=self._has_served(self._source_served_s, copy.cursor.read_node),
            target_serves=self._has_served(self._target_served_s, copy.queue.leader),
        )

    def _has_served(self, served_s: dict[int, float], node: int) -> bool:
        return self._checked_s - served_s.get(node, float("-inf")) < SERVED_WITHIN_S


def _clear(copy: PartitionCopy) -> None:
    copy.obstructions.clear("progress")
    copy.cursor.note_silence(False)
