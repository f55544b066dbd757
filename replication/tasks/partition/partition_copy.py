"""One partition's way through a source task."""

from replication.domain.errors import Cause
from replication.domain.health.partition_state import PartitionState
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.offset_run import RunLog
from replication.domain.offsets.offset_sync import OffsetSyncRule
from replication.domain.offsets.positions import NO_TOPIC_ID, Position
from replication.domain.plan.slot import PlannedPartition, RejectionRules
from replication.ports.batches.batch_memory import BatchMemory
from replication.tasks.control.slot_pace import SlotPace
from replication.tasks.control.topic_pace import TopicPace
from replication.tasks.partition.barrier import Barrier
from replication.tasks.partition.counters import PartitionCounters
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.fetch_cursor import FetchCursor
from replication.tasks.partition.obstructions import Obstructions
from replication.tasks.partition.progress import Progress, with_runs
from replication.tasks.partition.retries import Retries
from replication.tasks.partition.send_queue import SendQueue


class PartitionCopy:
    """The parts of one partition, and what concerns several of them. Used on the loop's thread only."""

    __slots__ = (
        "barrier",
        "counters",
        "cursor",
        "failed_under",
        "obstructions",
        "pace",
        "paces",
        "planned",
        "progress",
        "queue",
        "remote",
        "retries",
        "runs",
        "syncs",
        "upstream",
    )

    def __init__(
        self,
        planned: PlannedPartition,
        position: Position,
        *,
        offset_lag_max: int,
        pace: SlotPace | None = None,
        memory: BatchMemory | None = None,
    ) -> None:
        """`memory` counts the bytes that no frame holds."""
        upstream, topic_id = planned.upstream, planned.topic_id
        self.upstream: TopicPartition = upstream
        self.adopt(planned)
        self.pace = pace or SlotPace()  # shared by the slot's partitions
        self.paces: tuple[TopicPace, ...] = ()  # the throttles of the topic and of the partition
        self.barrier = Barrier()
        self.cursor = FetchCursor(upstream, topic_id, position)
        self.queue = SendQueue(upstream, self.cursor, self.barrier, memory)
        self.retries = Retries()
        self.progress = Progress(topic_id, position)
        self.obstructions = Obstructions()
        self.failed_under: RejectionRules | None = None  # while it has failed
        self.counters = PartitionCounters(topic_id, position.next_offset)
        self.syncs = OffsetSyncRule(offset_lag_max)
        self.runs = RunLog(upstream.topic, upstream.partition, topic_id)

    def adopt(self, planned: PlannedPartition) -> None:
        """Follow a newer plan."""
        self.planned = planned
        self.remote = TopicPartition(planned.remote_topic, self.upstream.partition)

    def slow_down(self, paces: tuple[TopicPace, ...], most_bytes: int | None) -> None:
        """Follow these throttles from the next request on, which asks for so many bytes at most."""
        self.paces = paces
        self.cursor.limit(most_bytes)

    def fail(self, cause: Cause, rules: RejectionRules) -> None:
        """Stop at a record or batch, until a person acts or other rules hold."""
        self.failed_under = rules
        self.obstructions.stop_for("failed", cause)

    @property
    def lag(self) -> int | None:
        """Source offsets not yet done, None while the source does not say where it ends."""
        return self.least_lag if self.cursor.is_end_known else None

    @property
    def least_lag(self) -> int | None:
        """The lag up to the last end that the source named, None before the first: it may be more by now."""
        end = self.cursor.log_end
        return None if end is None else max(0, end - self.progress.next_offset)

    @property
    def state(self) -> PartitionState:
        """The state that reports name."""
        if self.obstructions.state is not None:
            return self.obstructions.state
        end = self.cursor.log_end
        if end is not None and self.progress.next_offset >= end:
            return "caught_up"
        return "replicating" if self.slowed_by is None else "throttled"

    @property
    def slowed_by(self) -> Cause | None:
        """The throttle of the partition or its topic, or what limits the whole slot."""
        own = next((pace.cause for pace in self.paces if pace.cause is not None), None) if self.paces else None
        return own or self.pace.cause

    @property
    def reason(self) -> Cause | None:
        """The cause of the state, where there is something to say."""
        return self.slowed_by if self.state == "throttled" else self.obstructions.reason

    @property
    def position_in_transaction(self) -> Position:
        """The position to commit together with the open transaction."""
        entries = self.progress.uncommitted
        if any(entry.restart_topic_id is not None or (entry.acknowledged_at or 0) < 0 for entry in entries):
            return self.progress.position_in_transaction
        later = (
            (upstream, entry.acknowledged_at + index, length)
            for entry in entries
            if entry.acknowledged_at is not None
            for upstream, index, length in entry.runs
        )
        return with_runs(self.progress.position_in_transaction, self.runs.unwritten_after(later))

    def resume_runs(self, position: Position) -> None:
        """Begin with the runs that the slot before may not have written."""
        is_same_log = position.remote_topic == self.remote.topic and position.truncated_at is None
        if position.runs and is_same_log and position.topic_id != NO_TOPIC_ID:
            self.runs.resume(position.topic_id, position.runs)

    @property
    def has_jump_ahead(self) -> bool:
        """True while a reset, or the way over a gap, is in the queue."""
        queue = self.queue
        entries = (*queue.sent, *queue.waiting, *self.progress.uncommitted)
        return any(entry.restart_topic_id is not None for entry in entries)

    def cause(self, code: str, text: str, now_ms: int) -> Cause:
        """Return a cause that names the source partition."""
        upstream = self.upstream
        return Cause(code=code, text=text, topic=upstream.topic, partition=upstream.partition, since_ms=now_ms)

    def restart_at(self, topic_id: bytes, offset: int, *, reset_ids: tuple[str, ...] | None = None) -> None:
        """Continue at another place once everything queued is done: after a gap, a reset, or a re-created topic."""
        self.queue.append(Entry(offset, offset, -1, restart_topic_id=topic_id, reset_ids=reset_ids))
        if reset_ids is not None:
            self.progress.ask_resets(reset_ids)
        self.cursor.move(topic_id, offset)

    def accept_remote(self, restart: tuple[bytes, int] | None = None) -> None:
        """Take the truncated remote log into the position once its gap is written; with `restart` continue there."""
        cursor = self.cursor
        if restart is None:
            entry = Entry(cursor.offset, cursor.offset, cursor.epoch)
        else:
            topic_id, offset = restart
            entry = Entry(offset, offset, -1, restart_topic_id=topic_id)
        self.queue.append(entry)
        self.progress.decide(entry)
        if restart is not None:
            cursor.move(*restart)

    def rewind(self) -> None:
        """Return to the position: all after it is dropped and fetched again. Nothing may be in flight."""
        queue, progress, decision = self.queue, self.progress, self.progress.decision
        cause = self.obstructions.cause
        is_decided = decision is not None and cause is not None and cause.code == "target_truncated"
        if (
            not is_decided
            and self.obstructions.is_dead
            and progress.is_known
            and (not queue.is_idle or progress.uncommitted)
        ):
            self.obstructions.recover()  # what was before the cause must be read again, and it is found again behind
        queue.clear()
        progress.forget_held()
        progress.forget_asked_resets()
        self.retries.take_rejection()
        self.cursor.move(progress.topic_id, progress.next_offset, progress.epoch, progress.epochs)
        if decision is not None:  # its gap is noted already, and the comparison would not find it again
            topic_id = decision.restart_topic_id
            self.accept_remote(None if topic_id is None else (topic_id, decision.next))

    def follow_stored_topic(self, topic_id: bytes) -> None:
        """Begin in the topic that the stored position belongs to; the leaders' refresh finds the new one: a gap."""
        self.cursor.move(topic_id, self.cursor.offset, self.cursor.epoch, self.cursor.epochs)
        self.progress.follow_stored_topic(topic_id)

    def forget_unsent(self) -> bool:
        """Drop what was fetched and is surely not on the target, but for the first batch. False if nothing was.

        Nothing is dropped while dead letters or gap records about it are on their way: its offsets must not be read
        twice. A partition that waits for a person keeps its place.
        """
        blocked = self.barrier.waits or self.retries.is_repairing or self.obstructions.is_dead
        if blocked or self.obstructions.of("hold") is not None:
            return False
        return self.queue.drop_unsent()
