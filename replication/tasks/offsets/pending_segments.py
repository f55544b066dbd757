"""The segments of offset runs that wait to be written."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from replication.domain.offsets.offset_run import MAX_RUNS_PER_SEGMENT, RunLog, RunSegment, TakenSegment

_Key = tuple[str, int, bytes, int, int]


class PendingSegment(NamedTuple):
    """A segment, and the log that learns when it is written."""

    segment: RunSegment
    completed: int  # runs of the log at that time
    log: RunLog


class PendingSegments:
    """Keeps of a segment that grows the newest state only. In the order in which they must be written."""

    def __init__(self) -> None:
        self.by_key: dict[_Key, PendingSegment] = {}  # others only look whether there is any

    def take_from(self, log: RunLog) -> None:
        """Take what a log has collected, if it grew."""
        taken: TakenSegment | None = log.next_segment()
        if taken is not None:
            self._put(PendingSegment(taken.segment, taken.completed, log))

    def waiting(self) -> Sequence[PendingSegment]:
        """All that wait, oldest first."""
        return list(self.by_key.values())

    def note_written(self, written: Collection[PendingSegment]) -> None:
        """The runs topic has these; what grew meanwhile waits."""
        for each in written:
            each.log.note_written(each.completed)
            key = _key(each.segment)
            if self.by_key.get(key) is each:
                del self.by_key[key]

    def shrink(self, most: int) -> int:
        """Join segments that follow each other, then drop the oldest; return the number dropped."""
        if len(self.by_key) <= most:
            return 0
        joined: list[PendingSegment] = []
        newest: dict[tuple[str, int], int] = {}  # its place in `joined`, by partition
        for each in self.by_key.values():
            place = each.segment.topic, each.segment.partition
            at = newest.get(place)
            both = None if at is None else _joined(joined[at], each)
            if at is not None and both is not None:
                joined[at] = both
            else:
                newest[place] = len(joined)
                joined.append(each)
        dropped = max(0, len(joined) - most)
        self.by_key = {}
        for each in joined[dropped:]:
            self._put(each)
        return dropped

    def _put(self, pending: PendingSegment) -> None:
        key = _key(pending.segment)
        self.by_key.pop(key, None)  # the order is that of the newest states
        self.by_key[key] = pending


def _key(segment: RunSegment) -> _Key:
    first = segment.runs[0]
    return segment.topic, segment.partition, segment.topic_id, first.upstream, first.downstream


def _joined(earlier: PendingSegment, later: PendingSegment) -> PendingSegment | None:
    """Return both as one when the later one begins with a run of the earlier one."""
    ours, theirs = earlier.segment, later.segment
    if ours.topic_id != theirs.topic_id or earlier.log is not later.log:
        return None
    first = theirs.runs[0]
    for at in range(len(ours.runs) - 1, -1, -1):
        run = ours.runs[at]
        if (run.upstream, run.downstream) == (first.upstream, first.downstream):
            break
    else:
        return None
    runs = (*ours.runs[:at], *theirs.runs)
    if len(runs) > MAX_RUNS_PER_SEGMENT:
        return None
    return PendingSegment(RunSegment(ours.topic, ours.partition, ours.topic_id, runs), later.completed, later.log)
