"""Offset runs of one partition that ascend on both sides, kept in 24 bytes each."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from replication.domain.offsets.offset_run import OffsetRun


class RunCut(NamedTuple):
    """Two offsets that part the same records: those before `upstream` have their copies before `downstream`."""

    upstream: int
    downstream: int


Around = tuple[RunCut | None, RunCut | None]  # the nearest cuts at or before, and at or after a place


class RunChain:
    """Runs in the order of their upstream offsets, which is that of their downstream offsets too.

    A run is joined to the one before if the flow copied nothing between the two. Otherwise runs may be missing there.
    """

    __slots__ = ("_downstreams", "_lengths", "_upstreams")

    def __init__(self) -> None:
        self._upstreams = array("q")
        self._downstreams = array("q")
        self._lengths = array("q")  # negative where runs may be missing before the run

    def __len__(self) -> int:
        return len(self._upstreams)

    def __iter__(self) -> Iterator[OffsetRun]:
        return map(OffsetRun, self._upstreams, self._downstreams, map(abs, self._lengths))

    @property
    def start(self) -> RunCut:
        """The place of the first run; IndexError where there is none."""
        return RunCut(self._upstreams[0], self._downstreams[0])

    @property
    def end(self) -> RunCut:
        """The end of the last run; IndexError where there is none."""
        return self._end_of(len(self._upstreams) - 1)

    def append(self, run: OffsetRun, *, is_joined: bool) -> None:
        """Add a run behind the last one, or extend that one."""
        if is_joined and self._upstreams:
            length = abs(self._lengths[-1])
            if self._upstreams[-1] + length == run.upstream and self._downstreams[-1] + length == run.downstream:
                self._lengthen(-1, run.length)
                return
        self._upstreams.append(run.upstream)
        self._downstreams.append(run.downstream)
        self._lengths.append(run.length if is_joined else -run.length)

    def prepend(self, runs: "RunChain") -> None:
        """Add the runs of another chain before the first one."""
        self._upstreams[:0] = runs._upstreams
        self._downstreams[:0] = runs._downstreams
        self._lengths[:0] = runs._lengths

    def starts_with(self, run: OffsetRun) -> bool:
        """Return True when a run starts where this one does."""
        return self._start_of(bisect_left(self._upstreams, run.upstream)) == (run.upstream, run.downstream)

    def rest_of(self, run: OffsetRun) -> OffsetRun | None:
        """Return the part of a run that is not known yet; None where all of it is known at the same places."""
        at = bisect_right(self._upstreams, run.upstream) - 1
        if at < 0 or self._downstreams[at] - self._upstreams[at] != run.downstream - run.upstream:
            return run
        end = self._end_of(at)
        if run.upstream_end <= end.upstream:
            return None
        return run if end.upstream <= run.upstream else OffsetRun(*end, run.upstream_end - end.upstream)

    def downstream_of(self, upstream: int) -> int | None:
        """Return the copy's place of a source offset inside a run."""
        at = bisect_right(self._upstreams, upstream) - 1
        if at < 0:
            return None
        inside = upstream - self._upstreams[at]
        length = self._lengths[at]
        return self._downstreams[at] + inside if inside < length or inside < -length else None

    def place_between(self, upstream: int) -> int | None:
        """Return the place of a source offset between two joined runs: the end of the first one."""
        at = bisect_right(self._upstreams, upstream)
        if not 0 < at < len(self._upstreams) or self._lengths[at] < 0:
            return None
        return self._downstreams[at - 1] + abs(self._lengths[at - 1])

    def end_of_copies_before(self, upstream: int) -> int | None:
        """Return the place behind the last copy of the source offsets before this one; None where there is none."""
        at = bisect_left(self._upstreams, upstream) - 1
        return None if at < 0 else self._downstreams[at] + min(abs(self._lengths[at]), upstream - self._upstreams[at])

    def start_of_copies_from(self, upstream: int) -> int | None:
        """Return the place of the first copy of the source offsets from this one on; None where there is none."""
        inside = self.downstream_of(upstream)
        if inside is not None:
            return inside
        after = self._start_of(bisect_right(self._upstreams, upstream))
        return None if after is None else after.downstream

    def cuts_around(self, upstream: int) -> Around:
        """Return the nearest known cuts at or before, and at or after a source offset; both are one if it is known."""
        at = bisect_right(self._upstreams, upstream) - 1
        after = self._start_of(at + 1)
        if at < 0:
            return None, after
        inside = upstream - self._upstreams[at]
        length = abs(self._lengths[at])
        if inside < length:
            cut = RunCut(upstream, self._downstreams[at] + inside)
            return cut, cut
        before = self._end_of(at)
        is_known = inside == length or (after is not None and self._lengths[at + 1] > 0)
        return before, before if is_known else after

    def cuts_around_copy(self, downstream: int) -> Around:
        """Return the nearest known cuts at or before, and at or after an offset of the copy.

        Of source offsets without a copy between two runs, the first one counts: the second would pass the others.
        """
        at = bisect_left(self._downstreams, downstream) - 1
        after = self._start_of(at + 1)
        if at < 0:
            return None, after
        inside = downstream - self._downstreams[at]
        if inside <= abs(self._lengths[at]):
            cut = RunCut(self._upstreams[at] + inside, downstream)
            return cut, cut
        before = self._end_of(at)
        return before, before if after is not None and self._lengths[at + 1] > 0 else after

    def first_copied_from(self, downstream: int) -> int | None:
        """Return the lowest source offset with a copy at this offset of the remote log or behind it."""
        at = bisect_right(self._downstreams, downstream) - 1
        inside = 0 if at < 0 else downstream - self._downstreams[at]
        if at >= 0 and inside < abs(self._lengths[at]):
            return self._upstreams[at] + inside
        after = self._start_of(at + 1)
        return None if after is None else after.upstream

    def copies_from(self, downstream: int) -> int:
        """Return the end of the copies that follow each other in the remote log from this offset on."""
        at = max(0, bisect_right(self._downstreams, downstream) - 1)
        while at < len(self) and self._downstreams[at] <= downstream:
            downstream = max(downstream, self._end_of(at).downstream)
            at += 1
        return downstream

    def originals_from(self, upstream: int) -> int:
        """Return the end of the source offsets with copies that follow each other from this offset on."""
        at = max(0, bisect_right(self._upstreams, upstream) - 1)
        while at < len(self) and self._upstreams[at] <= upstream:
            upstream = max(upstream, self._end_of(at).upstream)
            at += 1
        return upstream

    def _start_of(self, at: int) -> RunCut | None:
        return RunCut(self._upstreams[at], self._downstreams[at]) if at < len(self._upstreams) else None

    def _end_of(self, at: int) -> RunCut:
        length = abs(self._lengths[at])
        return RunCut(self._upstreams[at] + length, self._downstreams[at] + length)

    def _lengthen(self, at: int, more: int) -> None:
        self._lengths[at] += more if self._lengths[at] > 0 else -more

    def split_at(self, upstream: int) -> "RunChain":
        """Remove what is copied from this source offset on, and return it."""
        at = bisect_left(self._upstreams, upstream)
        over = 0 if at == 0 else self._end_of(at - 1).upstream - upstream
        tail = self._cut(at)
        if over > 0:
            self._lengthen(-1, -over)
            tail._upstreams.insert(0, upstream)
            tail._downstreams.insert(0, self.end.downstream)
            tail._lengths.insert(0, -over)
        return tail

    def remove(self, start: int, end: int) -> None:
        """Remove what is copied of these source offsets."""
        if end <= start or not self or start >= self.end.upstream or end <= self.start.upstream:
            return
        tail = self.split_at(start).split_at(end)
        self._upstreams += tail._upstreams
        self._downstreams += tail._downstreams
        self._lengths += tail._lengths

    def truncate(self, downstream: int) -> None:
        """Remove what is copied to this offset of the remote log and behind it."""
        at = bisect_left(self._downstreams, downstream)
        self._cut(at)
        if at and self.end.downstream > downstream:
            self._lengthen(-1, downstream - self.end.downstream)

    def _cut(self, at: int) -> "RunChain":
        tail = RunChain()
        tail._upstreams = self._upstreams[at:]
        tail._downstreams = self._downstreams[at:]
        tail._lengths = self._lengths[at:]
        del self._upstreams[at:], self._downstreams[at:], self._lengths[at:]
        return tail

    def forget_copied_before(self, downstream: int) -> None:
        """Drop the runs that end before this offset of the remote log, except for the last of them."""
        at = bisect_right(self._downstreams, downstream) - 1
        if at > 0 and self._end_of(at).downstream >= downstream:
            at -= 1
        if at > 0:
            del self._upstreams[:at], self._downstreams[:at], self._lengths[:at]

    def thin(self) -> None:
        """Drop every other run of the older half: their places become known within bounds only."""
        half = len(self) // 2
        kept = [*range(0, half, 2), *range(half, len(self))]
        lengths = array("q", map(self._lengths.__getitem__, kept))
        for at in range(1, (half + 1) // 2 + 1):
            lengths[at] = -abs(lengths[at])
        self._upstreams = array("q", map(self._upstreams.__getitem__, kept))
        self._downstreams = array("q", map(self._downstreams.__getitem__, kept))
        self._lengths = lengths
