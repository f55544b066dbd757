"""The send queue of a partition: what waits, what is on the wire, and the sequences of our producer."""

from collections import deque
from collections.abc import Iterable, Iterator
from zlib import crc32

from replication.domain.identifiers import TopicPartition
from replication.ports.batches.batch_memory import BatchMemory
from replication.tasks.partition.barrier import Barrier
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.fetch_cursor import FetchCursor

SEQUENCES = 2**31


class SendQueue:
    """Source order from the fetch to the acknowledgement. An entry that is queued moves the fetch cursor behind it."""

    __slots__ = (
        "_barrier",
        "_cursor",
        "_memory",
        "acknowledged_s",
        "connection",
        "in_flight",
        "is_broken",
        "is_closed",
        "is_known_to_target",
        "is_listed",
        "leader",
        "next_sequence",
        "pending_bytes",
        "sent",
        "spread",
        "waiting",
    )

    def __init__(
        self, upstream: TopicPartition, cursor: FetchCursor, barrier: Barrier, memory: BatchMemory | None
    ) -> None:
        """`memory` counts the bytes that no frame holds."""
        self._cursor = cursor
        self._barrier = barrier
        self._memory = memory
        self.waiting: deque[Entry] = deque()
        self.sent: deque[Entry] = deque()
        self.pending_bytes = 0
        self.in_flight = 0
        self.next_sequence = 0
        self.leader = -1  # of the remote partition
        self.is_listed = False  # among those whose queues are to be sent
        self.spread = crc32(upstream.topic.encode()) + upstream.partition  # neighbours differ
        self.connection = 0  # what is in flight went out on it, and so does what is sent meanwhile
        self.is_closed = False  # nothing more is sent; set when the target rejects a batch, and at the task's end
        self.is_broken = False  # a batch came back: nothing is sent until all in flight are back
        self.is_known_to_target = False  # it has acknowledged a batch of our producer's epoch
        self.acknowledged_s = 0.0  # the time of the last acknowledgement

    @property
    def is_idle(self) -> bool:
        """True when nothing is queued or in flight."""
        return not self.waiting and not self.sent

    @property
    def next_batch(self) -> Entry | None:
        """The batch that `take_next` would return."""
        return next((entry for entry in self.waiting if entry.data is not None), None)

    @property
    def is_in_doubt(self) -> bool:
        """True while the target may or may not have a batch that was sent."""
        if any(entry.in_doubt for entry in self.sent):
            return True
        for entry in self.waiting:
            if entry.in_doubt:
                return True
            if entry.data is not None and entry.base_sequence is None:
                break  # nothing behind it ever went out
        return False

    def append(self, entry: Entry) -> None:
        """Queue one more batch in source order."""
        if entry.frame is None and self._memory is not None:
            self._count(entry)
        self.waiting.append(entry)
        self.pending_bytes += entry.size_bytes
        self._cursor.advance(entry.next, entry.leader_epoch)

    def skip_to(self, next_offset: int, leader_epoch: int) -> None:
        """Queue that source offsets up to `next_offset` carry nothing to send."""
        first = self._cursor.offset
        last = self.waiting[-1] if self.waiting else None
        if last is not None and last.data is None and not last.is_jump and last.next == first:
            last.extend(next_offset, leader_epoch)
        else:
            self.waiting.append(Entry(first, next_offset, leader_epoch))
        self._cursor.advance(next_offset, leader_epoch)

    def add_dropped(self, filtered: int, looped: int) -> None:
        """The newest entry covers so many records that are not copied on purpose."""
        if (filtered or looped) and self.waiting:
            self.waiting[-1].add_dropped(filtered, looped)

    def _count(self, entry: Entry) -> None:
        if self._memory is not None and entry.data is not None and entry.frame is None:
            entry.count_bytes(self._memory)

    def replace(self, entry: Entry, parts: Iterable[Entry]) -> None:
        """Put other entries in the place of a queued one that the target has not; sequences start over from there."""
        at = self.waiting.index(entry)
        if entry.base_sequence is not None:
            self.next_sequence = entry.base_sequence
        parts = tuple(parts)
        for part in parts:
            self._count(part)
        if entry.dropped is not None and parts:
            parts[-1].add_dropped(*entry.dropped)
        following = list(self.waiting)[at:]
        for later in following:
            later.clear_sequence()
        while len(self.waiting) > at:
            self.waiting.pop()
        self.waiting.extend((*parts, *following[1:]))
        self.pending_bytes += sum(part.size_bytes for part in parts) - entry.size_bytes
        entry.release()

    def set_leader(self, leader: int) -> None:
        """Send to this broker."""
        self.leader = leader

    def enlist(self, connections: int) -> None:
        """The queue is about to be sent; it changes its connection only when nothing is in flight."""
        if self.in_flight == 0:
            self.connection = self.spread % connections
        self.is_listed = True

    def delist(self) -> None:
        """The queue is not among those to be sent any more."""
        self.is_listed = False

    def continue_sequences(self, next_sequence: int) -> None:
        """Our producer has used the sequences before this one in the remote partition."""
        self.next_sequence = next_sequence

    def take_sequences(self, entry: Entry) -> int:
        """Give the batch the next sequences of our producer; return the first."""
        base = self.next_sequence
        self.next_sequence = (base + entry.records) % SEQUENCES
        entry.assign_sequence(base)
        return base

    def take_next(self) -> Entry | None:
        """Return the next batch for the wire, moved to those sent; entries without data pass along."""
        while self.waiting:
            entry = self.waiting.popleft()
            self.sent.append(entry)
            if entry.data is not None:
                entry.mark_sent()
                self.in_flight += 1
                return entry
        return None

    def note_returned(self) -> None:
        """One request with a batch of the partition is over."""
        self.in_flight -= 1

    def acknowledge(self, entry: Entry, base_offset: int, now_s: float) -> None:
        """The target holds the batch from this offset on."""
        entry.acknowledge(base_offset)
        self.is_known_to_target = True
        self.acknowledged_s = now_s

    def take_finished(self) -> Iterator[Entry]:
        """Yield entries that are done now, oldest first; those without data are done when all before them are."""
        sent, waiting = self.sent, self.waiting
        while sent and (sent[0].data is None or sent[0].acknowledged_at is not None):
            entry = sent.popleft()
            self.pending_bytes -= entry.size_bytes
            yield entry
        while not sent and waiting and waiting[0].data is None and not self._barrier.waits:
            yield waiting.popleft()

    def restart_sequences(self) -> None:
        """Our producer has another epoch: sequences begin at 0. Nothing may be in flight."""
        for entry in self.waiting:
            entry.clear_sequence()
            entry.forget_repeat()
        self.next_sequence = 0
        self.is_known_to_target = False

    def forget_target(self) -> None:
        """The target may not know our sequences any more: the first batch must arrive alone."""
        self.is_known_to_target = False

    def mark_broken(self) -> None:
        """A batch came back; its topic may be re-created, so the first batch must be the first again."""
        self.is_broken = True
        self.is_known_to_target = False

    def requeue_sent(self) -> None:
        """Move everything unacknowledged back to the head of the queue, in order and with its sequences."""
        while self.sent:
            entry = self.sent.pop()
            entry.withdraw()
            self.waiting.appendleft(entry)
        self.is_broken = False

    def clear(self) -> None:
        """Empty the queue; sequences begin at 0. Nothing may be in flight."""
        for entry in (*self.sent, *self.waiting):
            entry.release()
        self.sent.clear()
        self.waiting.clear()
        self.pending_bytes = self.in_flight = self.next_sequence = 0
        self.is_broken = self.is_known_to_target = False

    def close(self) -> None:
        """Send nothing more. What is in flight keeps its memory until it is back."""
        self.is_closed = True
        for entry in (*self.sent, *self.waiting):
            if not entry.sent:
                entry.release()
        self.waiting.clear()
        self.sent.clear()
        self.pending_bytes = 0

    def abandon(self) -> None:
        """Close the queue. The sequences of what the target surely has not are used again when the partition returns.

        After a batch in doubt they are unknown: the target says so, and the producer is renewed.
        """
        first = next((entry for entry in (*self.sent, *self.waiting) if entry.base_sequence is not None), None)
        if first is not None and first.base_sequence is not None and not self.is_in_doubt:
            self.next_sequence = first.base_sequence
        self.close()

    def drop_unsent(self) -> bool:
        """Drop what is surely not on the target, but for the first batch, to be fetched again. False if nothing was."""
        is_back = not self.in_flight and not self.is_broken
        first: Entry | None = None
        while len(self.waiting) > 1 and _may_be_dropped(self.waiting[-1], is_back=is_back):
            first = self.waiting.pop()
            if first.base_sequence is not None:
                self.next_sequence = first.base_sequence
            self.pending_bytes -= first.size_bytes
            first.release()
        if first is None:
            return False
        self._cursor.advance(first.first, self.waiting[-1].leader_epoch)
        return True

    def move_to_file(self) -> None:
        """Let a file hold what waits and must stay, as far as the disk takes it."""
        if self._memory is None:
            return
        for entry in self.waiting:
            if not entry.move_to_file(self._memory):
                return

    def copy_out_of_frames(self) -> None:
        """Copy what waits out of its frames: a partition that is stuck must not hold memory others need."""
        for entry in self.waiting:
            entry.copy_out_of_frame(self._memory)


def _may_be_dropped(entry: Entry, *, is_back: bool) -> bool:
    return not entry.is_jump and not entry.in_doubt and (is_back or entry.base_sequence is None)
