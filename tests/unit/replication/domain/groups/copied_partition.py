"""A model of one partition and its copy: every offset of both logs, and what a slot writes about them.

The slot copies in order, commits positions, and writes offset syncs and runs with a delay. A kill loses what is not
written. At first the slot may be MirrorMaker's, which writes offset syncs only. Nothing here uses the code that
translates.
"""

from collections.abc import Container
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.positions import Position

MOST_OPEN, MOST_UNWRITTEN = 3, 4  # small, so that segments end and positions carry not all
UPSTREAM = TopicPartition("t", 0)
Kind = Literal["record", "aborted", "marker", "deleted"]


@dataclass(frozen=True, slots=True)
class CopiedRecord:
    """A record of the remote log that came from the source."""

    topic_id: bytes
    upstream: int
    is_valid: bool = True  # False: of an aborted transaction of the slot


@dataclass
class CopiedPartition:
    """Both logs, and the topics that tell of them."""

    random: Random
    exactly_once: bool = False
    read_committed: bool = True
    is_shared: bool = False
    has_syncs: bool = False
    is_mirror: bool = False  # until it is taken over: no runs, and positions elsewhere
    topic_id: bytes = bytes([1] * 16)
    source: list[Kind] = field(default_factory=list)
    source_start: int = 0
    remote: list[CopiedRecord | None] = field(default_factory=list)  # None: a marker, or a record of others
    remote_start: int = 0
    cursor: int = 0
    downstream_next: int | None = None
    committed: Position | None = None
    segment: list[OffsetRun] = field(default_factory=list)  # that is collected
    unwritten: list[OffsetRun] = field(default_factory=list)  # the newest ones, that the position carries
    written: list[RunSegment] = field(default_factory=list)  # the runs topic
    positions: list[Position] = field(default_factory=list)  # the positions topic
    unwritten_syncs: list[tuple[int, int]] = field(default_factory=list)
    syncs: list[tuple[int, int]] = field(default_factory=list)  # the offset-syncs topic
    copies_of_mirror: int = 0  # they end there in the remote log
    copied_twice: dict[int, int] = field(default_factory=dict)  # first copies that a killed slot made again
    undisturbed_from: int = 0  # the segments behind it are of the time since a reset, a rewind or a loss
    truncated_at: int | None = None
    filtered: set[int] = field(default_factory=set)
    has_lost_runs: bool = False
    was_reset: bool = False
    judged: int = 0  # a transform has seen the records before

    @property
    def source_end(self) -> int:
        return len(self.source)

    @property
    def remote_end(self) -> int:
        return len(self.remote)

    def __repr__(self) -> str:
        flags = [name for name in ("exactly_once", "read_committed", "is_shared", "is_mirror") if getattr(self, name)]
        source = "".join("." if kind == "record" else kind[0] for kind in self.source)
        remote = [None if each is None else f"{each.upstream}{'' if each.is_valid else '!'}" for each in self.remote]
        runs = [(each.topic_id[0], *each.runs) for each in self.written]
        return (
            f"{flags}\nsource {self.topic_id[0]} {self.source_start} {source}\nremote {self.remote_start} {remote}\n"
            f"runs {runs}\nsyncs {self.syncs}\nposition {self.committed}"
        )

    # the source

    def produce(self, count: int) -> None:
        self.source += ["record"] * count

    def produce_transaction(self, count: int, *, commit: bool) -> None:
        kind: Kind = "record" if commit else "aborted"
        self.source += [*([kind] * count), "marker"]

    def compact(self) -> None:
        for offset in range(self.judged, self.source_end):
            if self.random.random() < 0.3 and self.source[offset] == "record":
                self.source[offset] = "deleted"

    def replace_copied(self) -> None:
        """Compaction removes records that are copied, too: newer ones of their keys replace them."""
        for offset in range(self.source_start, self.cursor):
            if self.random.random() < 0.3 and self.source[offset] == "record":
                self.source[offset] = "deleted"

    def expire_source(self) -> None:
        self.source_start = self.random.randint(self.source_start, self.source_end)

    def recreate_source(self) -> None:
        """The topic is another one; the slot begins it at its start."""
        if self.is_mirror:
            return
        self.was_reset = self.was_reset or self.has_syncs  # syncs have no topic id: until runs tell, places may be low
        self._forget_runs()
        self.disturb()
        self.topic_id = bytes([self.topic_id[0] + 1] * 16)
        self.source, self.source_start, self.cursor = [], 0, 0
        self.copied_twice = {}
        self.filtered, self.judged = set(), 0
        self.produce(self.random.randint(1, 20))
        self.commit()

    # the slot

    def copy(self, most: int) -> None:
        """Copy some offsets; under exactly once as one transaction, which may abort."""
        if self.truncated_at is not None:
            return
        if self.cursor < self.source_start:
            self._forget_runs()  # out of range: a gap
            self.cursor = self.source_start
        if self.exactly_once and self.random.random() < 0.2:
            self._append(range(self.cursor, min(self.cursor + most, self.source_end)), is_valid=False)
            self.remote.append(None)
            return
        end = min(self.cursor + most, self.source_end)
        before = self.remote_end
        self._append(range(self.cursor, end), is_valid=True)
        self.cursor = end
        if self.remote_end > before:
            self.downstream_next = self.remote_end
            if self.exactly_once:
                self.commit()
                self.remote.append(None)
        if self.is_shared and self.random.random() < 0.3:
            self.remote += [None] * self.random.randint(1, 3)

    def _append(self, offsets: range, *, is_valid: bool) -> None:
        for offset in offsets:
            kind = self.source[offset]
            is_read = kind == "record" or (kind == "aborted" and not self.read_committed)
            if offset >= self.judged and self.random.random() < 0.05:
                self.filtered.add(offset)
            self.judged = max(self.judged, offset + 1)
            if not is_read or offset in self.filtered:
                continue
            if is_valid:
                self._note(offset, self.remote_end)
                if self.has_syncs and self.random.random() < 0.4:
                    self.unwritten_syncs.append((offset, self.remote_end))
            self.remote.append(CopiedRecord(self.topic_id, offset, is_valid))

    def _note(self, upstream: int, downstream: int) -> None:
        if self.is_mirror:
            return
        for runs in (self.segment, self.unwritten):
            if runs and (runs[-1].upstream_end, runs[-1].downstream_end) == (upstream, downstream):
                runs[-1] = OffsetRun(runs[-1].upstream, runs[-1].downstream, runs[-1].length + 1)
            else:
                runs.append(OffsetRun(upstream, downstream, 1))
        del self.unwritten[:-MOST_UNWRITTEN]

    def commit(self) -> None:
        is_here = bool(self.unwritten) and self.unwritten[-1].downstream_end == self.downstream_next
        position = Position(
            next_offset=self.cursor,
            topic_id=self.topic_id,
            downstream_next=self.downstream_next,
            truncated_at=self.truncated_at,
            runs=tuple(self.unwritten) if is_here else (),
        )
        self.committed = position
        if not self.is_mirror:
            self.positions.append(position)

    def write_syncs(self) -> None:
        self.syncs += self.unwritten_syncs
        self.unwritten_syncs = []

    def take_over(self) -> None:
        """MirrorMaker stops, and the slot continues at its position, whose place on the target it does not know."""
        if self.is_mirror:
            self.write_syncs()
            self.is_mirror, self.downstream_next, self.copies_of_mirror = False, None, self.remote_end
            self.commit()

    def write_segment(self) -> None:
        """The segment that is collected, as far as it is; it is written again while it grows."""
        if self.segment:
            runs = tuple(self.segment)
            self.written.append(RunSegment(UPSTREAM.topic, UPSTREAM.partition, self.topic_id, runs))
        self.unwritten = self.unwritten[-1:]
        self.begin_segment()

    def begin_segment(self) -> None:
        """Behind many runs another segment begins with the last one."""
        if len(self.segment) > MOST_OPEN:
            self.segment = self.segment[-1:]

    def lose_segment(self) -> None:
        """The runs topic took no more, so a segment was dropped."""
        self.has_lost_runs = self.has_lost_runs or len(self.segment) > MOST_OPEN
        self.begin_segment()

    def _forget_runs(self) -> None:
        self.write_segment()
        self.segment, self.unwritten = [], []

    def restart(self) -> None:
        self.commit()
        self.write_segment()
        self.write_syncs()
        self._resume()

    def _resume(self) -> None:
        assert self.committed is not None
        self.cursor = self.committed.next_offset
        self.downstream_next = self.committed.downstream_next
        self.segment, self.unwritten = list(self.committed.runs), list(self.committed.runs)

    def kill(self) -> None:
        """Copy again from the committed position; runs that are not written are lost.

        Copies of which nothing tells count no more when they are made again.
        """
        assert self.committed is not None
        told = self._told()
        for at in range(self.remote_end):
            record = self._valid(at)
            if record is not None and record.upstream >= self.committed.next_offset and at not in told:
                self.remote[at] = None
                self.copied_twice[at] = record.upstream
        self.unwritten_syncs = []
        self.disturb()
        self._resume()
        self._pass_over_replaced()

    def _pass_over_replaced(self) -> None:
        """Older copies count no more of what compaction has removed behind the cursor: it is not copied again."""
        for at in range(self.remote_end):
            record = self._valid(at)
            if record is not None and record.upstream >= self.cursor and self.source[record.upstream] == "deleted":
                self.remote[at] = None
                self.copied_twice[at] = record.upstream

    def reset(self) -> None:
        """A person moves the position, and accepts the remote log as it is."""
        if self.is_mirror:
            return
        self.was_reset = True
        self._forget_runs()
        self.disturb()
        self.cursor = self.random.randint(self.source_start, self.source_end)
        self.downstream_next = None
        for at in range(self.copies_of_mirror):  # no run tells that they are copied again
            record = self._valid(at)
            if record is not None and record.upstream >= self.cursor:
                self.remote[at] = None
        self._pass_over_replaced()
        self.commit()

    # the remote log

    def _give_up(self, offsets: Container[int]) -> None:
        """A gap says that these are not copied; older copies of them count no more."""
        for at in range(self.remote_end):
            record = self._valid(at)
            if record is not None and record.upstream in offsets:
                self.remote[at] = None

    def expire_copies(self) -> None:
        self.remote_start = self.random.randint(self.remote_start, self.remote_end)

    def truncate(self) -> None:
        """The remote log loses its end, and the slot finds it before it copies more."""
        if self.truncated_at is not None or self.exactly_once or self.is_mirror:
            return
        kept = self.random.randint(self.remote_start, self.remote_end)
        if self.downstream_next is None or kept >= self.downstream_next:
            return
        self._forget_runs()
        self.disturb()
        lost = {record.upstream for at in range(kept, self.remote_end) if (record := self._valid(at)) is not None}
        del self.remote[kept:]
        self.copies_of_mirror = min(self.copies_of_mirror, kept)
        self._give_up(lost)
        self.truncated_at = kept
        self.commit()

    def accept_truncation(self) -> None:
        """The gap is written: the flow continues, or copies again what is missing."""
        if self.truncated_at is None:
            return
        kept, self.truncated_at = self.truncated_at, None
        self.disturb()
        if self.random.random() < 0.5:
            lost = [run.upstream + max(0, kept - run.downstream) for run in self._runs() if run.downstream_end > kept]
            self.cursor = max(self.source_start, min([*lost, self.cursor]))
        self._pass_over_replaced()
        self.downstream_next = kept
        self.commit()

    def _runs(self) -> list[OffsetRun]:
        return [run for segment in self.written for run in segment.runs if segment.topic_id == self.topic_id]

    def _told(self) -> set[int]:
        """Return the places in the remote log of whose records written runs tell."""
        told = {
            (run.downstream + more, run.upstream + more)
            for segment in self.written
            for run in segment.runs
            for more in range(run.length)
            if segment.topic_id == self.topic_id
        }
        records = ((at, self._valid(at)) for at in range(self.remote_end))
        return {at for at, record in records if record is not None and (at, record.upstream) in told}

    def disturb(self) -> None:
        """From now on, written runs may be of another log, or of records that are copied again."""
        self.undisturbed_from = len(self.written)

    # the truth

    @property
    def told_for_certain(self) -> dict[int, int]:
        """The places of upstream offsets by the runs that were written since the last disturbance."""
        return {
            run.upstream + more: run.downstream + more
            for segment in self.written[self.undisturbed_from :]
            for run in segment.runs
            for more in range(run.length)
            if run.downstream + more >= self.remote_start and run.upstream + more >= self.source_start
        }

    def places(self, upstream: int) -> tuple[int, int]:
        """Return the lowest and the highest place that is right for a group that has read all before an offset.

        From the highest one on, each unread record has a copy. The lowest one is behind the first copies of all that
        was read.
        """
        newest: dict[int, int] = {}
        oldest_read: dict[int, int] = {}
        for at in range(self.remote_end):
            record = self._valid(at)
            again = self.copied_twice.get(at) if self.syncs else None  # a sync may tell of the first copy
            if again is not None and again < upstream:
                oldest_read.setdefault(again, at)
            elif record is not None and record.upstream < upstream:
                oldest_read.setdefault(record.upstream, at)
            elif record is not None and at >= self.remote_start:
                newest[record.upstream] = at
        highest = min(newest.values(), default=self.remote_end)
        lowest = max(self.remote_start, max(oldest_read.values(), default=-1) + 1)
        return min(lowest, highest), highest

    def reads_again(self, upstream: int, place: int, latest: int) -> int:
        """Return how many records that the group has read lie behind a place.

        Of those behind the latest place only those count that a run tells of: copies that a killed slot made twice are
        in the log twice for each reader.
        """
        told = self._told()
        behind = (self._valid(at) for at in range(place, self.remote_end) if at < latest or at in told)
        return len({record.upstream for record in behind if record is not None and record.upstream < upstream})

    def _valid(self, at: int) -> CopiedRecord | None:
        record = self.remote[at]
        return record if record is not None and record.is_valid and record.topic_id == self.topic_id else None

    def skipped_before(self, upstream: int, place: int) -> list[int]:
        """Return source offsets before one that were copied, but not before this place of the remote log."""
        copied: dict[int, int] = {}
        for at in range(self.remote_end - 1, -1, -1):
            record = self._valid(at)
            if record is not None:
                copied[record.upstream] = at
        return [offset for offset, at in copied.items() if self.source_start <= offset < upstream and at >= place]

    @property
    def is_told(self) -> bool:
        """True when runs tell of each copy that counts, and none was made twice that only a sync may tell of."""
        if self.syncs and self.copied_twice:
            return False
        told = self._told()
        return all(at in told for at in range(self.remote_end) if self._valid(at) is not None)

    def records_between(self, place: int, later: int) -> list[int]:
        """Return the source offsets whose only copies are from one place to another."""
        copies = [record.upstream for at in range(self.remote_end) if (record := self._valid(at)) is not None]
        between = [record.upstream for at in range(place, later) if (record := self._valid(at)) is not None]
        return [offset for offset in between if copies.count(offset) == 1]
