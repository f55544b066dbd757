"""Places where both logs can be cut: the records before and after it are the same on both sides.

Cuts come from the offset runs and from the committed positions. A restart copies some records again, so an older cut
may lie behind a newer one: the newest wins, and what was copied twice falls into the range before it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from replication.domain.offsets.offset_run import OffsetRun

RANGE_OFFSETS = 4_000  # source offsets of a range, about; a bad range is read again record by record


@dataclass(frozen=True, slots=True, order=True)
class Cut:
    """Source records below `upstream` have their copies below `downstream`, and only those."""

    upstream: int
    downstream: int


ORIGIN = Cut(0, 0)


def run_cuts(runs: Iterable[OffsetRun]) -> Iterator[Cut]:
    """The beginnings and ends of runs, and places inside of long ones; in the order the runs were written."""
    for run in runs:
        for inside in range(0, run.length, RANGE_OFFSETS):
            yield Cut(run.upstream + inside, run.downstream + inside)
        yield Cut(run.upstream_end, run.downstream_end)


def still_valid(written: Sequence[Cut]) -> list[Cut]:
    """Cuts in the order they were written, without those that a newer one contradicts; ascending on both sides."""
    kept: list[Cut] = []
    for cut in reversed(written):
        if not kept or (cut.upstream < kept[-1].upstream and cut.downstream <= kept[-1].downstream):
            kept.append(cut)
    return kept[::-1]


def merged(first: Sequence[Cut], second: Sequence[Cut], end: Cut) -> list[Cut]:
    """Two valid lists as one, up to the end. The target's log only grows, so its order is the order of writing."""
    inside = [cut for cut in {*first, *second} if cut.upstream <= end.upstream and cut.downstream <= end.downstream]
    return still_valid(sorted(inside, key=lambda cut: (cut.downstream, cut.upstream)))


def begun_at(written: Iterable[Cut], valid: Sequence[Cut]) -> list[Cut]:
    """The valid cuts, with one more in front when older ones show that the target once held more than it does now."""
    lowest = min((cut.upstream for cut in written), default=None)
    if not valid or lowest is None or lowest >= valid[0].upstream:
        return list(valid)
    return [Cut(lowest, valid[0].downstream), *valid]
