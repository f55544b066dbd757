"""An entry of a partition's queue: a batch on its way, or source offsets that only move the position.

Entries keep source order from the fetch to the acknowledgement. An entry without data (a control batch, an aborted
transaction, a reset, the start of a re-created topic) is done when everything before it is.
"""

from replication.domain.batches.batch_decision import BatchHeader
from replication.ports.batches.batch_memory import BatchMemory
from replication.ports.batches.record_path import BuiltBatch
from replication.ports.fetch.batch_fetcher import Frame

Runs = tuple[tuple[int, int, int], ...]


class Entry:
    """One batch on its way, or a range of source offsets without records to send.

    Complete when it is built. What the way to the target changes has methods: the sequence, the send, the
    acknowledgement, and where the bytes are.
    """

    __slots__ = (
        "acknowledged_at",
        "age_ms",
        "base_sequence",
        "data",
        "dropped",
        "first",
        "frame",
        "in_doubt",
        "is_repeat",
        "leader_epoch",
        "max_timestamp",
        "next",
        "on_heap",
        "records",
        "reset_ids",
        "restart_topic_id",
        "runs",
        "sent",
        "size_bytes",
        "source_bytes",
    )

    def __init__(
        self,
        first: int,
        next_offset: int,
        leader_epoch: int,
        data: memoryview | None = None,
        frame: Frame | None = None,
        records: int = 0,
        runs: Runs = (),
        source_bytes: int = 0,
        max_timestamp: int = -1,
        age_ms: int = 0,
        restart_topic_id: bytes | None = None,
        reset_ids: tuple[str, ...] | None = None,
    ) -> None:
        """`frame` holds the bytes and is already retained for this entry; `source_bytes` counts the source's batches.

        `restart_topic_id` is set where the partition continues at another place, `reset_ids` where a reset is done.
        """
        self.first = first
        self.next = next_offset
        self.leader_epoch = leader_epoch
        self.data = data
        self.frame = frame  # or the count of the bytes where no frame holds them
        self.on_heap = False
        self.records = records
        self.size_bytes = 0 if data is None else len(data)  # on the wire to the target
        self.source_bytes = source_bytes
        self.dropped: tuple[int, int] | None = None  # filtered and looped records that it covers
        self.max_timestamp = max_timestamp
        self.age_ms = age_ms
        self.runs = runs
        self.restart_topic_id = restart_topic_id
        self.reset_ids = reset_ids
        self.acknowledged_at: int | None = None  # downstream base offset
        self.sent = False
        self.base_sequence: int | None = None  # of our producer; None until it first goes out
        self.in_doubt = False  # the target may have it, though no answer said so
        self.is_repeat = False  # the target rejects it now, but may have accepted it before

    @property
    def downstream_next(self) -> int | None:
        """The offset after the batch on the target, None where it has none or the target did not say."""
        base = self.acknowledged_at
        return base + self.records if base is not None and base >= 0 else None

    @property
    def is_jump(self) -> bool:
        """True when the partition continues at another place, or with a truncated remote log, behind this entry."""
        return self.restart_topic_id is not None or self.reset_ids is not None or self.first == self.next

    def extend(self, next_offset: int, leader_epoch: int) -> None:
        """Cover more source offsets that carry nothing to send."""
        self.next = next_offset
        self.leader_epoch = leader_epoch

    def add_dropped(self, filtered: int, looped: int) -> None:
        """It covers so many more records that are not copied on purpose; they count when it is done."""
        before = self.dropped or (0, 0)
        self.dropped = before[0] + filtered, before[1] + looped

    def assign_sequence(self, base_sequence: int) -> None:
        """Fix the batch's place in the sequence of our producer."""
        self.base_sequence = base_sequence

    def clear_sequence(self) -> None:
        """The batch gets another place when it goes out."""
        self.base_sequence = None

    def mark_sent(self) -> None:
        """The batch is on the wire."""
        self.sent = True

    def mark_returned(self) -> None:
        """Its request is over, with or without success."""
        self.sent = False

    def acknowledge(self, base_offset: int) -> None:
        """The target holds the batch from this offset on; -1 where it does not say."""
        self.sent = False
        self.acknowledged_at = base_offset
        self.in_doubt = False

    def withdraw(self) -> None:
        """The batch waits in the queue again."""
        self.sent = False
        self.acknowledged_at = None

    def mark_in_doubt(self) -> None:
        """The target may hold the batch although no answer said so."""
        self.in_doubt = True

    def clear_doubt(self) -> None:
        """The target rejects the batch; it may hold it only if an earlier answer was lost."""
        self.is_repeat = self.is_repeat or self.in_doubt
        self.in_doubt = False

    def mark_repeat(self) -> None:
        """It is a part of a batch that the target may hold."""
        self.is_repeat = True

    def forget_repeat(self) -> None:
        """Sequences begin again: they tell no more what the target has."""
        self.is_repeat = False

    def count_bytes(self, memory: BatchMemory) -> None:
        """Count the bytes as memory of the slot, as no frame holds them."""
        self.frame, self.on_heap = memory.hold(self.size_bytes), True

    def copy_out_of_frame(self, memory: BatchMemory | None) -> None:
        """Free the frame and keep the bytes."""
        if self.data is None or self.frame is None or self.on_heap:
            return
        self.data = memoryview(bytearray(self.data))
        self.frame.release()
        self.frame = None
        if memory is not None:
            self.count_bytes(memory)

    def move_to_file(self, memory: BatchMemory) -> bool:
        """Let a file hold the bytes. False when the disk takes no more."""
        if self.data is None or self.frame is None or not self.on_heap:
            return True
        aside = memory.set_aside(self.data)
        if aside is None:
            return False
        self.data = aside
        self.frame.release()
        self.frame = None
        return True

    def release(self) -> None:
        """Free the bytes."""
        self.data = None
        if self.frame is not None:
            self.frame.release()
            self.frame = None

    def upstream_of(self, index: int) -> int:
        """Return the source offset of one of the batch's records."""
        for upstream, first, length in self.runs:
            if first <= index < first + length:
                return upstream + index - first
        raise IndexError(index)

    def part(
        self, first: int, next_offset: int, records: slice, data: memoryview, max_timestamp: int | None = None
    ) -> "Entry":
        """Return an entry for some of the batch's records, with their bytes."""
        runs = tuple(
            (upstream + start - index, start - records.start, stop - start)
            for upstream, index, length in self.runs
            if (start := max(index, records.start)) < (stop := min(index + length, records.stop))
        )
        part = Entry(
            first,
            next_offset,
            self.leader_epoch,
            data,
            records=records.stop - records.start,
            runs=runs,
            max_timestamp=self.max_timestamp if max_timestamp is None else max_timestamp,
            age_ms=self.age_ms,
        )
        if self.is_repeat:
            part.mark_repeat()
        return part


def entry_in_frame(data: memoryview, header: BatchHeader, frame: Frame | None, now_ms: int) -> Entry:
    """Return an entry for a batch that goes out from the frame it came in, kept until it is acknowledged."""
    if frame is not None:
        frame.retain()
    return _whole(data, header, frame, now_ms)


def entry_of_recompressed(data: bytearray, header: BatchHeader, now_ms: int) -> Entry:
    """Return an entry for the records of a batch under another codec."""
    return _whole(memoryview(data), header, None, now_ms)


def entry_of_built(batch: BuiltBatch, leader_epoch: int, now_ms: int) -> Entry:
    """Return an entry for a batch that the record path built."""
    return Entry(
        batch.first_offset,
        batch.last_offset + 1,
        leader_epoch,
        memoryview(batch.data),
        None,
        batch.records,
        batch.runs,
        batch.source_bytes,
        batch.max_timestamp,
        now_ms - batch.max_timestamp,
    )


def _whole(data: memoryview, header: BatchHeader, frame: Frame | None, now_ms: int) -> Entry:
    first, records = header.base_offset, header.records
    return Entry(
        first,
        first + header.last_offset_delta + 1,
        header.leader_epoch,
        data,
        frame,
        records,
        ((first, 0, records),),
        header.size_bytes,
        header.max_timestamp,
        now_ms - header.max_timestamp,
    )
