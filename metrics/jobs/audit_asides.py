"""Records beside the comparison, which are counted only: recorded as left out, or named by no run."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from metrics.audit.coverage import Span
from metrics.audit.findings import Finding
from metrics.audit.fingerprints import Fingerprint
from metrics.audit.left_out import LeftOut
from metrics.audit.ranges import Side
from metrics.jobs.audit_frames import Piece, pieces_of

_LOOKS = 15  # for counts that are still on their way: a driver reports every few seconds


@dataclass(frozen=True, slots=True)
class Aside:
    """A stretch that is counted and not compared; `left_out` is None where it is of records that no run names."""

    partition: int
    side: Side
    spans: tuple[Span, ...]
    left_out: LeftOut | None = None
    around: int | None = None  # the range whose compared records lie in these spans as well, and are not meant


def aside_pieces(asides: Sequence[Aside], side: Side) -> list[Piece]:
    """Pieces with numbers below 0, so that they are no range's."""
    return [
        piece
        for index, each in enumerate(asides)
        if each.side == side
        for piece in pieces_of(each.partition, -1 - index, each.spans)
    ]


def counted_asides(asides: Sequence[Aside], found: Mapping[str, Mapping[int, Fingerprint]]) -> list[tuple[Aside, int]]:
    """Those that hold records, and how many."""
    counts = ((each, _count(found[each.side], -1 - index)) for index, each in enumerate(asides))
    beside = ((each, count - _count(found[each.side], each.around)) for each, count in counts)
    return [(each, count) for each, count in beside if count > 0]


def _count(found: Mapping[int, Fingerprint], number: int | None) -> int:
    fingerprint = None if number is None else found.get(number)
    return 0 if fingerprint is None else fingerprint.count


def left_out_findings(counted: Iterable[tuple[Aside, int]]) -> list[Finding]:
    """Source records that are known to have been left out."""
    return [
        Finding(
            partition=each.partition,
            kind=each.left_out.kind,
            source_offset=each.left_out.first,
            target_offset=None,
            records=records,
            detail=each.left_out.reason,
        )
        for each, records in counted
        if each.left_out is not None
    ]


def unnamed(counted: Iterable[tuple[Aside, int]]) -> Counter[tuple[Side, int]]:
    """Records that no run names, by side and partition."""
    found: Counter[tuple[Side, int]] = Counter()
    for each, records in counted:
        if each.left_out is None:
            found[each.side, each.partition] += records
    return found


class FilteredCount:
    """What the flow's transforms are counted to have left out; the topics of an audit draw on it in turn."""

    def __init__(self, read: Callable[[], int], pause: Callable[[], None]) -> None:
        """`read` answers the whole count as it is now; `pause` waits about a second, or raises to end the audit."""
        self._read = read
        self._pause = pause
        self._drawn = 0

    def covers(self, records: int) -> bool:
        """Whether so many more were counted; waits a while for counts on their way."""
        for _ in range(_LOOKS):
            if self._drawn + records <= self._read():
                self._drawn += records
                return True
            self._pause()
        return False
