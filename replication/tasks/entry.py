"""What a partition's queue holds: a batch on its way, or source offsets that only move the position.

Entries keep source order from the fetch to the acknowledgement. An entry without data (a control batch, an aborted
transaction, a reset, the start of a re-created topic) is done when everything before it is.
"""

from dataclasses import replace

from replication.domain.positions import Position
from replication.ports.source_reader import Frame


class Entry:
    """One batch on its way, or a stretch of source offsets without records to send."""

    __slots__ = (
        "acknowledged_at",
        "age_ms",
        "base_sequence",
        "data",
        "first",
        "frame",
        "in_doubt",
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

    def __init__(self, first: int, next_offset: int, leader_epoch: int) -> None:
        self.first = first
        self.next = next_offset
        self.leader_epoch = leader_epoch
        self.data: memoryview | None = None
        self.frame: Frame | None = None  # or what counts the bytes where they are in none
        self.on_heap = False
        self.records = 0
        self.size_bytes = 0  # on the wire to the target
        self.source_bytes = 0  # of the source's batches that are in it
        self.max_timestamp = -1
        self.age_ms = 0
        self.runs: tuple[tuple[int, int, int], ...] = ()
        self.restart_topic_id: bytes | None = None
        self.reset_ids: tuple[str, ...] | None = None  # done with this entry, where it carries a reset out
        self.acknowledged_at: int | None = None  # downstream base offset
        self.sent = False
        self.base_sequence: int | None = None  # of our producer; None until it first goes out
        self.in_doubt = False  # the target may have it, though no answer said so

    @property
    def downstream_next(self) -> int | None:
        """The offset after the batch on the target, None where it has none or the target did not say."""
        base = self.acknowledged_at
        return base + self.records if base is not None and base >= 0 else None

    def moved(self, position: Position) -> Position:
        """The position when this entry is done too."""
        downstream_next = self.downstream_next
        return replace(
            position,
            next_offset=self.next,
            leader_epoch=self.leader_epoch,
            topic_id=position.topic_id if self.restart_topic_id is None else self.restart_topic_id,
            downstream_next=position.downstream_next if downstream_next is None else downstream_next,
            reset_ids=position.reset_ids if self.reset_ids is None else self.reset_ids,
        )

    def upstream_of(self, index: int) -> int:
        """The source offset of one of the batch's records."""
        for upstream, first, length in self.runs:
            if first <= index < first + length:
                return upstream + index - first
        raise IndexError(index)

    def part(self, first: int, next_offset: int, records: slice) -> "Entry":
        """An entry for some of the batch's records; the caller adds the bytes."""
        part = Entry(first, next_offset, self.leader_epoch)
        part.records = records.stop - records.start
        part.max_timestamp, part.age_ms = self.max_timestamp, self.age_ms
        part.runs = tuple(
            (upstream + start - index, start - records.start, stop - start)
            for upstream, index, length in self.runs
            if (start := max(index, records.start)) < (stop := min(index + length, records.stop))
        )
        return part

    def release(self) -> None:
        """The bytes are not needed any more."""
        self.data = None
        if self.frame is not None:
            self.frame.release()
            self.frame = None
