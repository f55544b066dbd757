"""One partition's way through a source task: the queue that both paths feed, and how far it is done.

Entries keep source order from the fetch to the acknowledgement. An entry without data (a control batch, an aborted
transaction, the start of a re-created topic) only moves the position when everything before it is done.
"""

from collections import deque
from collections.abc import Iterator

from replication.domain.batch import TargetRules
from replication.domain.errors import Cause
from replication.domain.identifiers import TopicPartition
from replication.domain.offset_run import RunLog
from replication.domain.offset_sync import OffsetSyncRule
from replication.domain.partition_state import PartitionState
from replication.domain.positions import Position
from replication.domain.slot import PlannedPartition
from replication.ports.source_reader import FetchPosition, Frame
from replication.tasks.partition_counts import PartitionCounts

SEQUENCES = 2**31
HOLD_BYTES = 4 * 1024 * 1024  # a partition with that much unacknowledged is left out of the next fetch
RESUME_BYTES = HOLD_BYTES // 2


class Entry:
    """One batch on its way, or a stretch of source offsets without records to send."""

    __slots__ = (
        "acknowledged_at",
        "age_ms",
        "data",
        "first",
        "frame",
        "leader_epoch",
        "max_timestamp",
        "next",
        "records",
        "restart_topic_id",
        "runs",
        "sent",
        "size_bytes",
    )

    def __init__(self, first: int, next_offset: int, leader_epoch: int) -> None:
        self.first = first
        self.next = next_offset
        self.leader_epoch = leader_epoch
        self.data: memoryview | None = None
        self.frame: Frame | None = None
        self.records = 0
        self.size_bytes = 0
        self.max_timestamp = -1
        self.age_ms = 0
        self.runs: tuple[tuple[int, int, int], ...] = ()
        self.restart_topic_id: bytes | None = None
        self.acknowledged_at: int | None = None  # downstream base offset
        self.sent = False

    def release(self) -> None:
        """The bytes are not needed any more."""
        self.data = None
        if self.frame is not None:
            self.frame.release()
            self.frame = None


class PartitionCopy:
    """The state of one partition. Used on the loop's thread only."""

    def __init__(self, planned: PlannedPartition, position: Position, *, offset_lag_max: int) -> None:
        self.planned = planned
        self.upstream: TopicPartition = planned.upstream
        self.topic_id = planned.topic_id  # of the incarnation being fetched
        self.fetch_offset = position.next_offset
        self.last_epoch = position.leader_epoch
        self.source_leader = -1
        self.target_leader = -1
        self.queue: deque[Entry] = deque()
        self.sent: deque[Entry] = deque()
        self.pending_bytes = 0
        self.in_flight = 0
        self.next_sequence = 0
        self.given_up = False  # nothing more is sent; set when the target refuses a batch, and at the task's end
        self.broken = False  # a batch came back: nothing is sent until all in flight are back
        self.fetching = False  # asked of the source reader
        self.held_back = False  # too much unacknowledged
        self.attempts = 0
        self.out_of_order = 0  # answers in a row that the head of the line is out of order
        self.resend_after_s = 0.0

        self.done_topic_id = planned.topic_id
        self.done_next = position.next_offset
        self.done_epoch = position.leader_epoch
        self.downstream_next = position.downstream_next
        self.committed: Position | None = None

        self.log_start: int | None = None
        self.log_end: int | None = None

        self.special_state: PartitionState | None = None
        self.cause: Cause | None = None
        self._last_cause: Cause | None = None
        self.syncs = OffsetSyncRule(offset_lag_max)
        self.runs = RunLog(self.upstream.topic, self.upstream.partition, planned.topic_id)
        self.counts: list[PartitionCounts] = [PartitionCounts(planned.topic_id, position.next_offset)]
        self.records_total = 0
        self.bytes_total = 0
        self.wire_bytes_total = 0

    @property
    def rules(self) -> TargetRules:
        planned = self.planned
        return TargetRules(max_message_bytes=planned.max_message_bytes, timestamp_type=planned.timestamp_type)

    @property
    def remote(self) -> TopicPartition:
        return TopicPartition(self.planned.remote_topic, self.upstream.partition)

    @property
    def lag(self) -> int | None:
        """Source offsets not yet done, None while the source's end is unknown."""
        return None if self.log_end is None else max(0, self.log_end - self.done_next)

    @property
    def state(self) -> PartitionState:
        if self.special_state is not None:
            return self.special_state
        return "caught_up" if self.lag == 0 else "replicating"

    def stop_for(self, state: PartitionState, cause: Cause) -> None:
        """Something keeps this partition from advancing; the cause is kept from its first moment."""
        known = self.cause or self._last_cause
        self.cause = known if known is not None and known.code == cause.code else cause
        self.special_state = state

    def recover(self) -> None:
        """It may advance again; the cause is remembered in case it does not."""
        self.special_state = None
        self._last_cause = self.cause or self._last_cause
        self.cause = None

    def advanced(self) -> None:
        """It did advance."""
        self._last_cause = None

    @property
    def is_dead(self) -> bool:
        """True when only a person can make it go on: nothing more is fetched, what is queued still goes out."""
        return self.special_state in ("failed", "gap")

    @property
    def is_idle(self) -> bool:
        """True when nothing is queued or in flight."""
        return not self.queue and not self.sent

    @property
    def fetch_position(self) -> FetchPosition:
        topic, partition = self.upstream.topic, self.upstream.partition
        return FetchPosition(topic, self.topic_id, partition, self.fetch_offset, self.last_epoch)

    @property
    def position(self) -> Position:
        """What is safely on the target, to be committed."""
        return Position(
            next_offset=self.done_next,
            topic_id=self.done_topic_id,
            leader_epoch=self.done_epoch,
            downstream_next=self.downstream_next,
        )

    @property
    def is_committed(self) -> bool:
        """True when the committed position is the one reached."""
        committed = self.committed
        return (
            committed is not None
            and committed.next_offset == self.done_next
            and committed.topic_id == self.done_topic_id
        )

    def enqueue(self, entry: Entry) -> None:
        """One more batch in source order; `data` has its sequence numbers already."""
        self.queue.append(entry)
        self.pending_bytes += entry.size_bytes
        self.fetch_offset = entry.next
        self.last_epoch = entry.leader_epoch

    def skip_to(self, next_offset: int, leader_epoch: int) -> None:
        """Source offsets up to `next_offset` carry nothing to send."""
        last = self.queue[-1] if self.queue else None
        if last is not None and last.data is None and last.restart_topic_id is None and last.next == self.fetch_offset:
            last.next = next_offset
            last.leader_epoch = leader_epoch
        else:
            self.queue.append(Entry(self.fetch_offset, next_offset, leader_epoch))
        self.fetch_offset = next_offset
        self.last_epoch = leader_epoch

    def restart_at(self, topic_id: bytes, offset: int) -> None:
        """Go on at another place once everything queued is done: after a gap, or with a re-created topic."""
        entry = Entry(offset, offset, -1)
        entry.restart_topic_id = topic_id
        self.queue.append(entry)
        self.topic_id = topic_id
        self.fetch_offset = offset
        self.last_epoch = -1

    def take_sequences(self, records: int) -> int:
        """The base sequence for the next batch of our producer."""
        base = self.next_sequence
        self.next_sequence = (base + records) % SEQUENCES
        return base

    def next_to_send(self) -> Entry | None:
        """The next batch for the wire, moved to those sent; entries without data pass along."""
        while self.queue:
            entry = self.queue.popleft()
            self.sent.append(entry)
            if entry.data is not None:
                entry.sent = True
                self.in_flight += 1
                return entry
        return None

    def take_back(self) -> None:
        """Everything unacknowledged goes back to the head of the queue, in order and with its sequences."""
        while self.sent:
            entry = self.sent.pop()
            entry.sent = False
            entry.acknowledged_at = None
            self.queue.appendleft(entry)

    def finished(self) -> Iterator[Entry]:
        """Entries that are done now, oldest first; those without data are done when all before them are."""
        while self.sent and (self.sent[0].data is None or self.sent[0].acknowledged_at is not None):
            yield self.sent.popleft()
        while not self.sent and self.queue and self.queue[0].data is None:
            yield self.queue.popleft()

    def give_up(self) -> None:
        """Nothing more of this partition is sent. What is in flight keeps its memory until it is back."""
        self.given_up = True
        for entry in (*self.sent, *self.queue):
            if not entry.sent:
                entry.release()
        self.queue.clear()
        self.sent.clear()
        self.pending_bytes = 0

    def unpin(self) -> None:
        """Copy what waits out of its frames: a partition that is stuck must not hold memory others need."""
        for entry in self.queue:
            if entry.data is not None and entry.frame is not None:
                entry.data = memoryview(bytearray(entry.data))
                entry.frame.release()
                entry.frame = None
