"""Offset runs: ranges of offsets in which upstream and downstream differ by one constant."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class OffsetRun:
    """`length` source offsets from `upstream` on, found from `downstream` on in the remote topic."""

    upstream: int
    downstream: int
    length: int

    @property
    def upstream_end(self) -> int:
        return self.upstream + self.length

    @property
    def downstream_end(self) -> int:
        return self.downstream + self.length

    def translate(self, upstream_offset: int) -> int | None:
        """The downstream offset of an upstream offset inside this run, else None."""
        if self.upstream <= upstream_offset < self.upstream_end:
            return self.downstream + upstream_offset - self.upstream
        return None


@dataclass(frozen=True, slots=True)
class RunSegment:
    """Consecutive runs of one partition and topic id, written as one record."""

    topic: str
    partition: int
    topic_id: bytes
    runs: tuple[OffsetRun, ...]

    @property
    def first_upstream(self) -> int:
        return self.runs[0].upstream


MAX_RUNS_PER_SEGMENT = 4_096  # where several are joined
MAX_OPEN_RUNS = 64  # a segment that is written with more of them does not grow any more
RUNS_TO_WRITE = 32  # so many new ones do not wait until it is the partition's turn
MAX_UNWRITTEN_RUNS = 256  # that a position carries

Runs = tuple[OffsetRun, ...]


class TakenSegment(NamedTuple):
    """A segment to write, and how many runs of its log were complete by then."""

    segment: RunSegment
    completed: int


class RunLog:
    """Collects acknowledged batches of one partition into runs, and hands them over in segments.

    The segment that is being collected can be taken again and again while it grows. The one after it begins with the
    last run of the one before, which shows that none is missing between the two.
    """

    __slots__ = (
        "_completed",
        "_due_at",
        "_first_downstream",
        "_first_upstream",
        "_length",
        "_partition",
        "_runs",
        "_taken",
        "_topic",
        "_topic_id",
        "_unwritten",
    )

    def __init__(self, topic: str, partition: int, topic_id: bytes) -> None:
        self._topic = topic
        self._partition = partition
        self._topic_id = topic_id
        self._runs: list[OffsetRun] = []  # of the segment, without the run that still grows, which has a length
        self._first_upstream = self._first_downstream = self._length = 0
        self._completed = 0  # runs since the log began
        self._due_at = RUNS_TO_WRITE
        self._taken = (0, 0)  # completed runs and the length of the growing one when the segment was last taken
        self._unwritten: list[OffsetRun] = []  # complete, and maybe not in the runs topic

    def add(self, upstream: int, downstream: int, length: int) -> None:
        """One acknowledged batch; extends the last run when the shift is the same and nothing lies between."""
        if self._length:
            grows = upstream - self._first_upstream == self._length == downstream - self._first_downstream
            if grows:
                self._length += length
                return
            self._complete()
        self._first_upstream, self._first_downstream, self._length = upstream, downstream, length

    def _complete(self) -> None:
        run = self._growing()
        self._runs.append(run)
        self._unwritten.append(run)
        self._completed += 1
        if len(self._unwritten) > MAX_UNWRITTEN_RUNS:
            del self._unwritten[0]

    def _growing(self) -> OffsetRun:
        return OffsetRun(self._first_upstream, self._first_downstream, self._length)

    @property
    def begins_at(self) -> int | None:
        """The first upstream offset of the segment that is being collected; None while it is empty."""
        if self._runs:
            return self._runs[0].upstream
        return self._first_upstream if self._length else None

    @property
    def has_grown(self) -> bool:
        """True when the segment is not empty and grew since it was taken."""
        return self._length > 0 and (self._completed, self._length) != self._taken

    @property
    def is_due(self) -> bool:
        """True when so many runs are new that the segment should be written soon."""
        return self._completed >= self._due_at

    @property
    def unwritten(self) -> Runs:
        """The newest runs up to the end: those that the runs topic may not have yet, and the one that still grows."""
        return (*self._unwritten, self._growing()) if self._length else ()

    def unwritten_after(self, later: Iterable[tuple[int, int, int]]) -> Runs:
        """Return what `unwritten` will be when these batches (upstream, downstream, length) are added."""
        ahead = RunLog(self._topic, self._partition, self._topic_id)
        ahead.resume(self._topic_id, self.unwritten)
        for upstream, downstream, length in later:
            ahead.add(upstream, downstream, length)
        return ahead.unwritten

    def next_segment(self) -> TakenSegment | None:
        """Return the segment as it is when it grew since the last time; behind many runs another one begins."""
        if not self.has_grown:
            return None
        self._taken = (self._completed, self._length)
        self._due_at = self._completed + RUNS_TO_WRITE
        segment = RunSegment(self._topic, self._partition, self._topic_id, (*self._runs, self._growing()))
        if len(segment.runs) > MAX_OPEN_RUNS:
            self._runs = []
        return TakenSegment(segment, self._completed)

    def note_written(self, completed: int) -> None:
        """The runs topic has a segment that was taken when so many runs were complete."""
        newer = self._completed - completed
        del self._unwritten[: max(0, len(self._unwritten) - newer)]

    def resume(self, topic_id: bytes, runs: Runs) -> None:
        """Begin with the newest runs of the one that copied before."""
        self.restart(topic_id)
        for run in runs:
            self.add(run.upstream, run.downstream, run.length)

    def restart(self, topic_id: bytes) -> None:
        """Begin another place or topic id. Take the segment first."""
        self._topic_id = topic_id
        self._runs = []
        self._unwritten = []
        self._length = 0
        self._taken = (0, 0)
