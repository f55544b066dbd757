"""Offset runs: ranges of offsets in which upstream and downstream differ by one constant."""

from dataclasses import dataclass


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


MAX_RUNS_PER_SEGMENT = 4_096
MAX_SEGMENT_AGE_S = 60.0


class RunLog:
    """Collects acknowledged batches of one partition into runs and says when a segment is complete."""

    __slots__ = (
        "_first_downstream",
        "_first_upstream",
        "_length",
        "_opened_s",
        "_partition",
        "_runs",
        "_topic",
        "_topic_id",
    )

    def __init__(self, topic: str, partition: int, topic_id: bytes) -> None:
        self._topic = topic
        self._partition = partition
        self._topic_id = topic_id
        self._runs: list[OffsetRun] = []  # without the one that still grows, which has a length
        self._opened_s = 0.0  # monotonic
        self._first_upstream = self._first_downstream = self._length = 0

    def add(self, upstream: int, downstream: int, length: int, now_s: float) -> None:
        """One acknowledged batch; extends the last run when the shift is the same and nothing lies between."""
        if self._length:
            grows = upstream - self._first_upstream == self._length == downstream - self._first_downstream
            if grows:
                self._length += length
                return
            self._runs.append(self._growing())
        else:
            self._opened_s = now_s
        self._first_upstream, self._first_downstream, self._length = upstream, downstream, length

    def _growing(self) -> OffsetRun:
        return OffsetRun(self._first_upstream, self._first_downstream, self._length)

    @property
    def begins_at(self) -> int | None:
        """The first upstream offset of the segment that is being collected; None while it is empty."""
        if self._runs:
            return self._runs[0].upstream
        return self._first_upstream if self._length else None

    def close_segment(self, now_s: float, *, closing: bool = False) -> RunSegment | None:
        """Return the collected segment when it is full, old enough or the task is closing; a new segment begins."""
        full = len(self._runs) + 1 >= MAX_RUNS_PER_SEGMENT
        if not self._length or not (full or closing or now_s - self._opened_s >= MAX_SEGMENT_AGE_S):
            return None
        segment = RunSegment(self._topic, self._partition, self._topic_id, (*self._runs, self._growing()))
        self._forget()
        return segment

    def _forget(self) -> None:
        self._runs = []
        self._length = 0

    def restart(self, topic_id: bytes) -> None:
        """The topic was re-created: later runs belong to another topic id. Take the open segment first."""
        self._topic_id = topic_id
        self._forget()
