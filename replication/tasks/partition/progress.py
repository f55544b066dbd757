"""The progress of a partition: what is safely on the target, and what of it is committed."""

from collections import deque
from dataclasses import replace
from typing import NamedTuple

from replication.domain.offsets.copied_log import DISTRUSTED
from replication.domain.offsets.gap import Gap
from replication.domain.offsets.leader_epochs import cut_epochs, read_epoch
from replication.domain.offsets.offset_run import Runs
from replication.domain.offsets.positions import Position
from replication.tasks.partition.entry import Entry


class Truncation(NamedTuple):
    """The first batch after the remote log was truncated: its place on the target, and its first source offset."""

    downstream: int
    upstream: int
    is_stored: bool = False  # by the position that the slot started from


class Progress:
    """Moves with every entry that is done; under exactly once that is when its transaction commits."""

    __slots__ = (
        "acknowledged_end",
        "asked_resets",
        "committed",
        "decision",
        "downstream_next",
        "epoch",
        "epochs",
        "held_back",
        "is_compared",
        "is_known",
        "last_gap",
        "next_offset",
        "remote_topic",
        "remote_topic_id",
        "reset_ids",
        "topic_id",
        "truncation",
        "uncommitted",
    )

    def __init__(self, topic_id: bytes, position: Position) -> None:
        self.topic_id = topic_id
        self.next_offset = position.next_offset
        self.epoch = position.leader_epoch
        self.epochs = position.epochs
        self.downstream_next = position.downstream_next
        self.remote_topic = position.remote_topic  # that `downstream_next` belongs to
        self.remote_topic_id = position.remote_topic_id
        self.acknowledged_end = position.downstream_next or 0  # of the remote log, with the open transaction
        self.is_compared = False  # with the remote log as it is now
        self.truncation: Truncation | None = None  # an acknowledgement showed that the remote log had lost its end
        self.held_back: Position | None = None  # to commit until the gap of a truncation is written
        self.decision: Entry | None = None  # queued behind that gap; when it is done the truncation is dealt with
        if position.truncated_at is not None:
            self.truncation = Truncation(position.truncated_at, position.next_offset, is_stored=True)
            self.held_back = position
        self.reset_ids = position.reset_ids  # carried out, as the position that is done says
        self.asked_resets = position.reset_ids  # those and the ones on their way through the queue
        self.committed: Position | None = None
        self.is_known = True  # False: only a person can say the position, and nothing may be committed until then
        self.last_gap: Gap | None = None  # the newest one written down, where it is known
        self.uncommitted: deque[Entry] = deque()  # acknowledged in a transaction that is still open

    @property
    def position(self) -> Position:
        """The position to commit: everything before it is safely on the target, or will be found missing there."""
        return self.held_back or self._reached

    def position_with(self, runs: Runs) -> Position:
        """The position to commit, with the newest runs."""
        return with_runs(self.position, runs)

    @property
    def _reached(self) -> Position:
        return Position(
            next_offset=self.next_offset,
            topic_id=self.topic_id,
            leader_epoch=self.epoch,
            downstream_next=self.downstream_next,
            remote_topic=self.remote_topic,
            remote_topic_id=self.remote_topic_id,
            reset_ids=self.reset_ids,
            epochs=self.epochs,
        )

    @property
    def position_in_transaction(self) -> Position:
        """The position to commit together with the open transaction."""
        ahead = Progress(self.topic_id, self._reached)
        ahead._wait_as(self)
        for entry in self.uncommitted:
            ahead.advance(entry)
        return ahead.position

    def _wait_as(self, other: "Progress") -> None:
        """Wait for the same gap of a truncation."""
        self.truncation, self.held_back, self.decision = other.truncation, other.held_back, other.decision

    @property
    def is_committed(self) -> bool:
        """True when the committed position is the one reached, or there is none to commit."""
        committed, position = self.committed, self.position
        return not self.is_known or (
            committed is not None
            and committed.next_offset == position.next_offset
            and committed.topic_id == position.topic_id
            and committed.reset_ids == position.reset_ids
            and committed.downstream_next == position.downstream_next
            and committed.remote_topic_id == position.remote_topic_id
            and committed.truncated_at == position.truncated_at
        )

    def advance(self, entry: Entry) -> None:
        """The entry is done."""
        if entry.restart_topic_id is not None:
            known = self.epochs if entry.restart_topic_id == self.topic_id else ()
            self.epochs = cut_epochs(known, entry.next)
            self.topic_id = entry.restart_topic_id
            self.is_known = True
        elif entry.leader_epoch != self.epoch:
            self.epochs = read_epoch(self.epochs, entry.leader_epoch, entry.first)
        if entry.reset_ids is not None:
            self.reset_ids = entry.reset_ids
            self.downstream_next = None  # a person accepts the remote log as it is
            self.held_back = None
        self.next_offset = entry.next
        self.epoch = entry.leader_epoch
        base = entry.acknowledged_at
        if base is not None and self.downstream_next != DISTRUSTED:
            self.downstream_next = base + entry.records if base >= 0 else None
        if entry is self.decision:
            self.decision = None
            if self.truncation is None:
                self.held_back = None

    def acknowledge(self, entry: Entry) -> bool:
        """The target holds the entry. False when its log lost records that it had acknowledged before."""
        base = entry.acknowledged_at
        if base is None or base < 0:
            return True
        before, self.acknowledged_end = self.acknowledged_end, base + entry.records
        if base >= before or before == DISTRUSTED:
            return True
        self.truncation = self.truncation or Truncation(base, entry.first)
        self.hold_back(base)
        self.is_compared = False
        return False

    def compare_again(self) -> None:
        """The remote log may be another one, or shorter: its leader or its topic has changed."""
        self.is_compared = False

    def note_compared(self, remote_topic: str, topic_id: bytes) -> None:
        """The copies are where they should be."""
        self._follow_log(remote_topic, topic_id)
        if self.decision is None:
            self.held_back = None

    def note_truncated(self, remote_topic: str, topic_id: bytes, kept: int) -> None:
        """Copies behind `kept` are missing: the position keeps what proves it until `decision` is done."""
        self.hold_back(kept)
        self._follow_log(remote_topic, topic_id)

    def _follow_log(self, remote_topic: str, topic_id: bytes) -> None:
        self.remote_topic, self.remote_topic_id = remote_topic, topic_id
        self.is_compared = True
        self.truncation = None

    def hold_back(self, kept: int) -> None:
        """Commit nothing that would hide the truncation from the next start."""
        if self.held_back is None:
            self.held_back = replace(self._reached, truncated_at=kept)

    def decide(self, entry: Entry) -> None:
        """This entry waits for the gap of the truncation; it replaces that of an earlier truncation."""
        self.decision = entry

    def follow_remote(self, downstream_next: int | None) -> None:
        """Accept the remote log: copies are expected to end here."""
        self.downstream_next = downstream_next
        self.acknowledged_end = downstream_next or 0

    def distrust_remote(self) -> None:
        """Copies are missing: with each start the partition waits for a person again."""
        self.downstream_next = DISTRUSTED
        self.acknowledged_end = 0

    def hold(self, entry: Entry) -> None:
        """The entry is on the target, but its transaction is open."""
        self.uncommitted.append(entry)

    def take_held(self) -> Entry:
        """Return the oldest entry of the transaction that has committed."""
        return self.uncommitted.popleft()

    def forget_held(self) -> None:
        """The open transaction is aborted."""
        self.uncommitted.clear()

    def note_committed(self, position: Position) -> None:
        """The target has this position."""
        self.committed = position

    def mark_unknown(self) -> None:
        """Wait for a person to say the position."""
        self.is_known = False

    def ask_resets(self, reset_ids: tuple[str, ...]) -> None:
        """These resets are on their way through the queue."""
        self.asked_resets = reset_ids

    def forget_asked_resets(self) -> None:
        """Resets that were on their way must be asked again."""
        self.asked_resets = self.reset_ids

    def follow_stored_topic(self, topic_id: bytes) -> None:
        """The stored position belongs to another topic than the plan names."""
        self.topic_id = topic_id

    def note_gap(self, gap: Gap | None) -> None:
        """The newest gap of the partition."""
        self.last_gap = gap


def with_runs(position: Position, runs: Runs) -> Position:
    """Runs of another place than the position, as after a reset or before a gap is written, say nothing about it."""
    if not runs or runs[-1].downstream_end != position.downstream_next or runs[-1].upstream_end > position.next_offset:
        return position
    return replace(position, runs=runs)
