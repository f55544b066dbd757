"""The copies in a remote partition: where source offsets were copied to, and from which one on copies are missing."""

from collections.abc import Sequence

from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.domain.offsets.run_chain import Around, RunChain, RunCut

DISTRUSTED = 2**63 - 1  # instead of an offset of the target: copies are missing, and the partition waits for a person
LONG_CHAIN = 4_096
MOST_RUNS = 65_536  # of a topic id; the oldest are thinned out behind that


def kept_end(acknowledged_end: int, known_id: bytes, topic_id: bytes, log_end: int) -> int | None:
    """Return the downstream offset at which the copies end that are left; None if none is missing.

    `known_id` is the id of the remote topic that the copies were written to, `topic_id` that of the topic of now.
    """
    if acknowledged_end <= 0:
        return None
    if topic_id != known_id and NO_TOPIC_ID not in (topic_id, known_id):
        return 0
    return log_end if log_end < acknowledged_end else None


class TopicCopy:
    """The copies of one source topic id.

    `newest` holds the newest copies. After a rewind, `older` holds those of before that are not copied again: at lower
    offsets of the remote log than what was copied since, until copying has come to their source offsets.
    """

    __slots__ = ("_fills_hole", "_hole", "newest", "older", "topic_id")

    def __init__(self, topic_id: bytes) -> None:
        self.topic_id = topic_id
        self.newest = RunChain()
        self.older: RunChain | None = None
        self._fills_hole = False  # older copies of which no run tells may be before those that are left
        self._hole: RunCut | None = None  # the start of that hole, None where no run is before it

    @property
    def downstream_end(self) -> int:
        """The end of what is known to be copied; 0 where nothing is."""
        chains = [chain for chain in (self.newest, self.older) if chain]
        return max((chain.end.downstream for chain in chains), default=0)

    def add(self, run: OffsetRun, *, is_joined: bool) -> None:
        """Add a run behind everything that was copied before; joined if nothing was copied since the last one."""
        newest = self.newest
        end = newest.end.upstream if newest else run.upstream
        if run.upstream < end:
            self._rewind(run.upstream)
            is_joined = False
        skipped_from = end if is_joined else run.upstream
        newest.append(run, is_joined=is_joined)
        if self.older is not None:
            self._remove_older(self.older, skipped_from, run.upstream_end)
        if len(newest) > MOST_RUNS:
            newest.thin()

    def _remove_older(self, older: RunChain, start: int, end: int) -> None:
        """Forget older copies that are made again; copies of which no run tells may be before those that are left."""
        first, (low, _) = older.start, older.cuts_around(end)
        older.remove(start, end)
        self.older = older or None
        if self.older is None or older.start == first or low is None or self._fills_hole:
            return
        if low.downstream < older.start.downstream and older.begins_behind_hole:
            self._fills_hole, self._hole = True, low

    def _rewind(self, upstream: int) -> None:
        """Keep what was copied from here on until it is copied again; of two copies the lower one, which has both."""
        low, high = self.newest.cuts_around(upstream)
        if self.older is None or not self._fills_hole:
            self._fills_hole, self._hole = low != high, low
        replaced = self.newest.split_at(upstream)
        if self.older is not None:
            replaced.truncate(self.older.start.downstream)
            self.older.prepend(replaced)
        else:
            self.older = replaced

    def truncate(self, downstream: int) -> None:
        """The remote log lost its end from this offset on."""
        self.newest.truncate(downstream)
        if self.older is None:
            return
        self.older.truncate(downstream)
        if self.older and (not self.newest or self.newest.end.downstream <= self.older.start.downstream):
            self.older.prepend(self.newest)
            self.newest, self.older = self.older, None
        self.older = self.older or None

    def cuts_around(self, upstream: int, reached: RunCut | None = None) -> Around:
        """Return the nearest known cuts at or before, and at or after a source offset; `reached` is one more.

        Copies of before a rewind count while they are the only ones of their offsets: a place behind them would pass
        them.
        """
        low, high = narrowed(self.newest.cuts_around(upstream), reached, upstream)
        older = self.older
        if older is None or older.end.upstream <= min(upstream, self.newest.end.upstream):
            return low, high
        is_before = upstream <= older.start.upstream
        older_low, older_high = (self._older_from, older.start) if is_before else older.cuts_around(upstream)
        if low is None or low.downstream < older.start.downstream:
            return low, _lower(high, older_high)
        return older_low, older_high or high

    @property
    def _older_from(self) -> RunCut | None:
        """The place from which on there may be older copies that count."""
        if self.older is None or (self._fills_hole and self._hole is None):
            return None
        return _lower(self._hole, self.older.start) if self._fills_hole else self.older.start

    def cuts_around_copy(self, downstream: int) -> Around:
        """Return the nearest known cuts at or before, and at or after an offset of the remote log."""
        low, high = self.newest.cuts_around_copy(downstream)
        older = self.older
        if older is None or self._fills_hole:
            return low, high
        if downstream < older.start.downstream:
            return low, low if low == high else older.start
        if downstream < older.end.downstream:
            return older.cuts_around_copy(downstream)
        end = older.end
        first = low if low is not None and low.upstream > end.upstream else end
        return first, high if high is None or high.upstream > end.upstream else end

    def forget_deleted(self, remote_start: int) -> None:
        """Forget runs whose copies are deleted, where there are many."""
        if len(self.newest) >= LONG_CHAIN:
            self.newest.forget_copied_before(remote_start)

    @property
    def rewound_to(self) -> int | None:
        """The source offset from which on copies are made a second time now; None where there are no others."""
        if self.older is None:
            return None
        return self.newest.first_copied_from(self.older.end.downstream)

    def has_copy_at(self, upstream: int, downstream: int) -> bool:
        """Return True when a run has this source offset at this place."""
        chains = (self.newest, self.older) if self.older is not None else (self.newest,)
        return any(chain.downstream_of(upstream) == downstream for chain in chains)

    def first_copied_from(self, downstream: int) -> int | None:
        """Return the lowest source offset with a copy at this offset of the remote log or behind it."""
        chains = (self.newest,) if self.older is None else (self.newest, self.older)
        found = [first for chain in chains if (first := chain.first_copied_from(downstream)) is not None]
        return min(found, default=None)


def narrowed(around: Around, known: RunCut | None, upstream: int) -> Around:
    """Return the cuts around a source offset with one more cut known."""
    low, high = around
    if known is not None and known.upstream <= upstream and (low is None or low.downstream <= known.downstream):
        low = known
    if known is not None and known.upstream >= upstream:
        high = _lower(high, known)
    return low, high


def _lower(one: RunCut | None, other: RunCut | None) -> RunCut | None:
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda cut: cut.downstream)


class CopiedLog:
    """Takes the offset runs of a partition in the order they were written, and holds those of the remote log of now.

    A log grows at its end only. A run that begins before the end of the runs that were written before it therefore
    shows that the log had been truncated there, unless it begins as one of them does: a segment is written again while
    it grows, and the next one begins with its last run.
    """

    __slots__ = ("_copies", "_end")

    def __init__(self) -> None:
        self._copies: list[TopicCopy] = []  # by topic id, in the order of their first runs
        self._end = 0

    @property
    def downstream_end(self) -> int:
        """The end of what is known to be copied, of any topic id."""
        return self._end

    def add(self, segment: RunSegment, *, before: int | None = None) -> int | None:
        """Add the runs of the next segment that begin `before` this source offset.

        Return the place from which on they show that the remote log had lost its end.
        """
        runs = segment.runs if before is None else [run for run in segment.runs if run.upstream < before]
        if not runs:
            return None
        copy = self._copy_of(segment.topic_id)
        lost_from = self._add(copy, runs)
        if lost_from is not None:
            for each in self._copies:
                each.truncate(lost_from)
            self._end = lost_from
            self._add(copy, runs)
        return lost_from

    def extend(self, topic_id: bytes, runs: Sequence[OffsetRun]) -> int | None:
        """Add the runs of a position, which may be older or newer than those that are known.

        Return the offset of the remote log from which on the two contradict each other.
        """
        return self._add(self._copy_of(topic_id), runs)

    def _add(self, copy: TopicCopy, runs: Sequence[OffsetRun]) -> int | None:
        """Add runs of which each follows the one before.

        They may begin with runs that are known: a segment is written again while it grows, and the next one begins with
        the last run of the one before. Return the place of the first run that cannot be in the same log as those known.
        """
        newest, is_joined = copy.newest, False
        is_known = newest.starts_with(runs[0])
        for run in runs:
            rest = newest.rest_of(run) if is_known else run
            if rest is not None:
                if rest.downstream < self._end:
                    return rest.downstream
                copy.add(rest, is_joined=is_joined or rest is not run)
                self._end = rest.downstream_end
            is_joined = rest is not None or newest.end == (run.upstream_end, run.downstream_end)
        return None

    def _copy_of(self, topic_id: bytes) -> TopicCopy:
        """Return the copies of this id; of an unknown one (brokers before 2.8 name none) the newest."""
        known = self.of(topic_id)
        if known is None:
            known = TopicCopy(topic_id)
            self._copies.append(known)
        elif known.topic_id == NO_TOPIC_ID:
            known.topic_id = topic_id
        return known

    def of(self, topic_id: bytes) -> TopicCopy | None:
        """Return the copies of a source topic; ids that are not known fit to the newest."""
        for copy in reversed(self._copies):
            if copy.topic_id == topic_id:
                return copy
        newest = self._copies[-1] if self._copies else None
        return newest if newest is not None and NO_TOPIC_ID in (topic_id, newest.topic_id) else None

    def floor_of(self, copy: TopicCopy | None) -> int:
        """Return the offset of the remote log up to which copies of former topics of the source are known."""
        former = self._copies if copy is None else self._copies[: self._copies.index(copy)]
        return max((each.downstream_end for each in former), default=0)

    def missing_from(self, kept: int, topic_id: bytes) -> int | None:
        """Return the lowest source offset of this topic that was copied behind `kept`; None if no run tells.

        What was copied after the newest run counts as missing: runs are written with a delay.
        """
        copy = next((each for each in self._copies if each.topic_id == topic_id and each.newest), None)
        if copy is None:
            return None
        missing = copy.first_copied_from(kept)
        return copy.newest.end.upstream if missing is None else missing
