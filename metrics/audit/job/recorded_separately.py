"""Records that are counted and not compared: recorded as not copied, or named by no run."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from metrics.audit.coverage import Span
from metrics.audit.findings import Finding
from metrics.audit.fingerprints import Fingerprint
from metrics.audit.job.frames import RangePart, pieces_of
from metrics.audit.ranges import Side
from metrics.audit.recorded_loss import RecordedLoss

_LOOKS = 15  # for counts that are still on their way: a driver reports every few seconds


@dataclass(frozen=True, slots=True)
class CountedRange:
    """A range that is counted and not compared; `loss` is None where it is of records that no run names."""

    partition: int
    side: Side
    spans: tuple[Span, ...]
    loss: RecordedLoss | None = None
    around: int | None = None  # the range whose compared records lie in these spans as well, and are not meant


def counted_pieces(ranges: Sequence[CountedRange], side: Side) -> list[RangePart]:
    """Pieces with numbers below 0, so that they are no range's."""
    return [
        piece
        for index, each in enumerate(ranges)
        if each.side == side
        for piece in pieces_of(each.partition, -1 - index, each.spans)
    ]


def count_records(
    ranges: Sequence[CountedRange], found: Mapping[str, Mapping[int, Fingerprint]]
) -> list[tuple[CountedRange, int]]:
    """Return the ranges that hold records, each with their number."""
    counts = ((each, _count(found[each.side], -1 - index)) for index, each in enumerate(ranges))
    separate = ((each, count - _count(found[each.side], each.around)) for each, count in counts)
    return [(each, count) for each, count in separate if count > 0]


def _count(found: Mapping[int, Fingerprint], number: int | None) -> int:
    fingerprint = None if number is None else found.get(number)
    return 0 if fingerprint is None else fingerprint.count


def loss_findings(counted: Iterable[tuple[CountedRange, int]]) -> list[Finding]:
    """Source records that are known not to be copied."""
    return [
        Finding(
            partition=each.partition,
            kind=each.loss.kind,
            source_offset=each.loss.first,
            target_offset=None,
            records=records,
            detail=each.loss.reason,
        )
        for each, records in counted
        if each.loss is not None
    ]


def unnamed(counted: Iterable[tuple[CountedRange, int]]) -> Counter[tuple[Side, int]]:
    """Records that no run names, by side and partition."""
    found: Counter[tuple[Side, int]] = Counter()
    for each, records in counted:
        if each.loss is None:
            found[each.side, each.partition] += records
    return found


class FilteredCount:
    """The number of records that the flow's transforms filtered; the topics of an audit draw on it in turn."""

    def __init__(self, read: Callable[[], int], pause: Callable[[], None]) -> None:
        """`read` returns the whole count as it is now; `pause` waits about a second, or raises to end the audit."""
        self._read = read
        self._pause = pause
        self._drawn = 0

    def covers(self, records: int) -> bool:
        """Return True if so many more were counted; waits a while for counts on their way."""
        for _ in range(_LOOKS):
            if self._drawn + records <= self._read():
                self._drawn += records
                return True
            self._pause()
        return False
