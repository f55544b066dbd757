"""One partition's way through a source task: the queue that both paths feed, and how far it is done."""

from collections import deque
from collections.abc import Iterable, Iterator
from zlib import crc32

from replication.domain.errors import Cause
from replication.domain.gap import Gap
from replication.domain.identifiers import TopicPartition
from replication.domain.offset_run import RunLog
from replication.domain.offset_sync import OffsetSyncRule
from replication.domain.partition_state import PartitionState
from replication.domain.positions import Position
from replication.domain.slot import PlannedPartition
from replication.ports.memory import Memory
from replication.ports.source_reader import FetchPosition
from replication.ports.target_writer import ProduceResult
from replication.tasks.entry import Entry
from replication.tasks.partition_counts import PartitionCounts
from replication.tasks.slot_pace import SlotPace

SEQUENCES = 2**31


class PartitionCopy:
    """The state of one partition. Used on the loop's thread only."""

    def __init__(
        self,
        planned: PlannedPartition,
        position: Position,
        *,
        offset_lag_max: int,
        pace: SlotPace | None = None,
        memory: Memory | None = None,
    ) -> None:
        """`memory` counts the bytes that are in no frame."""
        self.planned = planned
        self.pace = pace or SlotPace()  # shared by the slot's partitions
        self._memory = memory
        self.upstream: TopicPartition = planned.upstream
        self.topic_id = planned.topic_id  # of the incarnation being fetched
        self.fetch_offset = position.next_offset
        self.last_epoch = position.leader_epoch
        self.source_leader = -1
        self.near_replica = -1  # a follower in our rack that the leader named to read from (KIP-392)
        self.target_leader = -1
        self.queue: deque[Entry] = deque()
        self.sent: deque[Entry] = deque()
        self.uncommitted: deque[Entry] = deque()  # acknowledged in a transaction that is still open
        self.pending_bytes = 0
        self.in_flight = 0
        self.is_listed = False  # among those whose queues are to be sent
        self.spread = crc32(self.upstream.topic.encode()) + self.upstream.partition  # neighbours differ
        self.connection = 0  # what is in flight went out on it, and so does what is sent meanwhile
        self.next_sequence = 0
        self.given_up = False  # nothing more is sent; set when the target refuses a batch, and at the task's end
        self.broken = False  # a batch came back: nothing is sent until all in flight are back
        self.fetching = False  # asked of the source reader
        self.merging = False  # small batches of one answer are merged
        self.held_back = False  # too much unacknowledged
        self.attempts = 0
        self.out_of_order = 0  # answers in a row that the head of the line is out of order
        self.resend_after_s = 0.0
        self.failed_since_s = 0.0  # the first of `attempts`
        self.is_known_to_target = False  # it has acknowledged a batch of our producer's epoch
        self.acknowledged_s = 0.0  # when it last did
        self.refusal: tuple[Entry, ProduceResult] | None = None  # to be dealt with when nothing is in flight
        # of records a transform refused, and gap records; nothing behind them is sent or done meanwhile
        self.letters_on_their_way = 0
        self.in_repair = False  # a refused record is on its way to the dead letters
        self.exclusions = 0  # transactions in a row that this partition spoilt
        self.target_waits: Cause | None = None  # why its batches come back again and again
        self.resent_total = 0  # records sent again although the target may have had them

        self.done_topic_id = planned.topic_id
        self.done_next = position.next_offset
        self.done_epoch = position.leader_epoch
        self.downstream_next = position.downstream_next
        self.committed: Position | None = None
        self.has_position = True  # False: nobody knows it, and nothing may be committed until a person says
        self.reset_ids = position.reset_ids  # carried out, as the position that is done says
        self.asked_resets = position.reset_ids  # those and the ones on their way through the queue

        self.last_gap: Gap | None = None  # the newest one written down, where it is known
        self.log_start: int | None = None
        self.log_end: int | None = None  # of what may be read: the last stable offset for read_committed
        self.high_watermark: int | None = None

        self.hold: Cause | None = None  # kept back by a person
        self.waits: Cause | None = None  # for something at the source that only time or its owner changes
        self.fetch_waits: Cause | None = None  # why it was fetched in vain, until a fetch of it succeeds
        self.special_state: PartitionState | None = None
        self.cause: Cause | None = None
        self._last_cause: Cause | None = None
        self.syncs = OffsetSyncRule(offset_lag_max)
        self.runs = RunLog(self.upstream.topic, self.upstream.partition, planned.topic_id)
        self.throttled_reported_ms = 0  # of the pace's count, contained in a raw metric
        self.counts: list[PartitionCounts] = [PartitionCounts(planned.topic_id, position.next_offset)]
        self.records_total = 0
        self.bytes_total = 0
        self.wire_bytes_total = 0
        self.filtered_total = 0  # records that a transform left out
        self.looped_total = 0  # records that had been on the target before

    @property
    def remote(self) -> TopicPartition:
        return TopicPartition(self.planned.remote_topic, self.upstream.partition)

    @property
    def lag(self) -> int | None:
        """Source offsets not yet done, None while the source's end is unknown."""
        return None if self.log_end is None else max(0, self.log_end - self.done_next)

    @property
    def state(self) -> PartitionState:
        if self.is_obstructed:
            if self.special_state is not None and (self.is_dead or self.hold is None):
                return self.special_state
            return "paused" if self.hold is not None else "stalled"
        if self.log_end is not None and self.done_next >= self.log_end:
            return "caught_up"
        return "replicating" if self.pace.cause is None else "throttled"

    @property
    def is_obstructed(self) -> bool:
        """Something other than speed keeps it from advancing; asked a thousand times a second, mostly in vain."""
        return (
            self.special_state is not None
            or self.hold is not None
            or self.waits is not None
            or self.fetch_waits is not None
            or self.target_waits is not None
        )

    @property
    def reason(self) -> Cause | None:
        """Why it is in that state, where there is something to say."""
        match self.state:
            case "paused":
                return self.hold
            case "throttled":
                return self.pace.cause
            case "stalled" if self.special_state is None:
                return self.fetch_waits or self.waits or self.target_waits
            case _:
                return self.cause

    def stop_for(self, state: PartitionState, cause: Cause) -> None:
        """Something keeps this partition from advancing; the cause is kept from its first moment.

        What passes does not hide what only a person ends.
        """
        if state == "stalled" and self.is_dead:
            return
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
    def read_node(self) -> int:
        """The broker to fetch from."""
        return self.near_replica if self.near_replica >= 0 else self.source_leader

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
            reset_ids=self.reset_ids,
        )

    @property
    def position_in_transaction(self) -> Position:
        """What will be safely on the target when the open transaction commits."""
        position = self.position
        for entry in self.uncommitted:
            position = entry.moved(position)
        return position

    @property
    def is_committed(self) -> bool:
        """True when the committed position is the one reached, or there is none to commit."""
        committed = self.committed
        return not self.has_position or (
            committed is not None
            and committed.next_offset == self.done_next
            and committed.topic_id == self.done_topic_id
            and committed.reset_ids == self.reset_ids
        )

    @property
    def has_jump_ahead(self) -> bool:
        """A reset, or the way over a gap, is in the queue."""
        return any(entry.restart_topic_id is not None for entry in (*self.sent, *self.queue, *self.uncommitted))

    def enqueue(self, entry: Entry) -> None:
        """One more batch in source order."""
        self._count(entry)
        self.queue.append(entry)
        self.pending_bytes += entry.size_bytes
        self.fetch_offset = entry.next
        self.last_epoch = entry.leader_epoch

    def _count(self, entry: Entry) -> None:
        if self._memory is not None and entry.data is not None and entry.frame is None:
            entry.frame, entry.on_heap = self._memory.hold(len(entry.data)), True

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

    def restart_at(self, topic_id: bytes, offset: int, *, reset_ids: tuple[str, ...] | None = None) -> None:
        """Go on at another place once everything queued is done: after a gap or a reset, or with a re-created topic."""
        entry = Entry(offset, offset, -1)
        entry.restart_topic_id = topic_id
        if reset_ids is not None:
            entry.reset_ids = self.asked_resets = reset_ids
        self.queue.append(entry)
        self.topic_id = topic_id
        self.fetch_offset = offset
        self.last_epoch = -1

    def replace(self, entry: Entry, parts: Iterable[Entry]) -> None:
        """Other entries stand for a queued one that the target has not; sequences are given anew from there on."""
        at = self.queue.index(entry)
        if entry.base_sequence is not None:
            self.next_sequence = entry.base_sequence
        parts = tuple(parts)
        for part in parts:
            self._count(part)
        following = list(self.queue)[at:]
        for later in following:
            later.base_sequence = None
        while len(self.queue) > at:
            self.queue.pop()
        self.queue.extend((*parts, *following[1:]))
        self.pending_bytes += sum(part.size_bytes for part in parts) - entry.size_bytes
        entry.release()

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

    @property
    def next_batch(self) -> Entry | None:
        """The batch that `next_to_send` would take."""
        return next((entry for entry in self.queue if entry.data is not None), None)

    @property
    def is_in_doubt(self) -> bool:
        """True while the target may or may not have a batch that was sent."""
        if any(entry.in_doubt for entry in self.sent):
            return True
        for entry in self.queue:
            if entry.in_doubt:
                return True
            if entry.data is not None and entry.base_sequence is None:
                break  # nothing behind it ever went out
        return False

    def rewind(self) -> None:
        """Back to the position: nothing after it counts, and all of it is fetched again. Nothing may be in flight."""
        if self.is_dead and self.has_position and (self.sent or self.queue or self.uncommitted):
            self.recover()  # what stood before the cause must be read again, and the cause is found anew behind it
        for entry in (*self.sent, *self.queue):
            entry.release()
        for line in (self.sent, self.queue, self.uncommitted):
            line.clear()
        self.pending_bytes = self.in_flight = self.next_sequence = 0
        self.broken = self.is_known_to_target = False
        self.refusal = None
        self.topic_id = self.done_topic_id
        self.asked_resets = self.reset_ids
        self.fetch_offset = self.done_next
        self.last_epoch = self.done_epoch

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
        while not self.sent and self.queue and self.queue[0].data is None and not self.letters_on_their_way:
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

    def set_aside(self) -> None:
        """Let a file hold what waits and must stay, as far as the disk takes it."""
        for entry in self.queue:
            if self._memory is None or entry.data is None or entry.frame is None or not entry.on_heap:
                continue
            aside = self._memory.set_aside(entry.data)
            if aside is None:
                return
            entry.data = aside
            entry.frame.release()
            entry.frame = None

    def unpin(self) -> None:
        """Copy what waits out of its frames: a partition that is stuck must not hold memory others need."""
        for entry in self.queue:
            if entry.data is not None and entry.frame is not None and not entry.on_heap:
                entry.data = memoryview(bytearray(entry.data))
                entry.frame.release()
                entry.frame = None
                self._count(entry)
