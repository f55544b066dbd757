"""Finds the place of an offset on the other side from the evidence; bounds contain it where it is not known exactly."""

from replication.domain.groups.account.evidence import Evidence
from replication.domain.groups.translation import (
    LogRange,
    Translation,
    TranslationReason,
    bounded,
    exact,
    impossible,
)
from replication.domain.offsets.run_chain import Around, RunCut


def place_of(evidence: Evidence, offset: int, source: LogRange | None, remote: LogRange) -> Translation:
    """Return the place of an upstream offset in the remote log."""
    around = evidence.cuts_around(offset)
    by_sync = False
    if not _is_closed(around):
        closer = evidence.narrowed_by_syncs(around, offset)
        around, by_sync = closer, closer != around
    low, high = around
    twice = _copied_twice(evidence, offset)
    first = evidence.floor if low is None else low.downstream
    last = remote.end if high is None else high.downstream
    is_doubtful = evidence.doubtful_from is not None and max(first, last) > evidence.doubtful_from
    if is_doubtful and evidence.doubtful_from is not None:
        first, last = min(first, evidence.doubtful_from), remote.end
    elif twice and first < last:
        last = remote.end
    first, last = max(first, remote.start), min(max(last, remote.start), remote.end)
    frontier = evidence.frontier
    if offset > frontier:
        known = [frontier if low is None else low.upstream, evidence.next_offset]
        copied_to = min(each for each in known if each is not None)  # a slot that was killed continues at its position
        again = max(offset - copied_to, twice)
        is_vague = is_doubtful or twice or by_sync or low is None  # more may be copied than is known
        return bounded("copy_behind", first, last, again + last - first if is_vague else again)
    if first >= last:
        reason = _reason(evidence, around, offset, source, remote)
        copied_from = high.upstream if reason == "in_gap" and high is not None else None
        return exact("sync_only" if by_sync else reason, first, rereads=twice, copied_from=copied_from)
    is_by_syncs = by_sync or evidence.copy is None
    return bounded("sync_only" if is_by_syncs else "missing_runs", first, last, max(last - first, twice))


def _is_closed(around: Around) -> bool:
    low, high = around
    return low is not None and high is not None and low.downstream >= high.downstream


def _copied_twice(evidence: Evidence, offset: int) -> int:
    """Return how many records before the offset the flow copies a second time behind its place."""
    known = evidence.rewound_to
    by_runs = None if evidence.copy is None else evidence.copy.rewound_to
    return max([0, *(offset - rewound_to for rewound_to in (known, by_runs) if rewound_to is not None)])


def _reason(
    evidence: Evidence, around: Around, offset: int, source: LogRange | None, remote: LogRange
) -> TranslationReason:
    """Return the reason of an exact place."""
    low, high = around
    copy, reached = evidence.copy, evidence.reached
    place = None if low is None else low.downstream
    if place is not None and place < remote.start:
        return "below_remote_start"
    if place is not None and copy is not None and copy.has_copy_at(offset, place):
        return "inside_run"
    if low is None:
        if high is not None and high.downstream < remote.start:
            return "below_remote_start"
        return "before_source_start" if source is not None and offset < source.start else "in_gap"
    is_last = copy is None or low == copy.newest.end
    return "at_the_tip" if low == reached or is_last else "between_runs"


def place_back(evidence: Evidence, offset: int, source: LogRange | None) -> Translation:
    """Return the place of a downstream offset in the source's log."""
    if evidence.doubtful_from is not None and offset > evidence.doubtful_from:
        return impossible("remote_truncated")
    low, high = evidence.cuts_around_copy(offset)
    start, end = (0, None) if source is None else (source.start, source.end)
    first = start if low is None else low.upstream
    last = end if high is None else high.upstream
    if end is not None and first > end:
        return impossible("beyond_source_end")
    if evidence.rewound_to is not None:
        first = min(first, evidence.rewound_to)  # it may be copied for the first time
    is_deleted = first < start
    first, last = max(first, start), None if last is None else max(last, start)
    if last is not None and first >= last:
        return exact("before_source_start" if is_deleted else _reason_back(evidence, low, high, offset), first)
    if last is None:
        return bounded("missing_runs", first, first, None)
    rereads = last - first if low is None else min(last - first, offset - low.downstream)
    return bounded("missing_runs", first, last, rereads)


def _reason_back(evidence: Evidence, low: RunCut | None, high: RunCut | None, offset: int) -> TranslationReason:
    if low is not None and low == evidence.reached:
        return "at_the_tip"
    inside = evidence.copy is not None and low == high and low is not None
    return "inside_run" if inside else "between_runs"
