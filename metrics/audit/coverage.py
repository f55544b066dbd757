"""The target offsets that the flow wrote, by its offset runs; all others belong to other writers. Pure."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from replication.domain.offsets.offset_run import OffsetRun

Span = tuple[int, int]  # [first, next)


def written_spans(runs: Iterable[OffsetRun]) -> list[Span]:
    """Target offsets the runs wrote, ascending and disjoint."""
    return united(sorted((run.downstream, run.downstream_end) for run in runs))


def read_spans(runs: Iterable[OffsetRun]) -> list[Span]:
    """Source offsets the runs copied, ascending and disjoint."""
    return united(sorted((run.upstream, run.upstream_end) for run in runs))


def united(spans: Sequence[Span]) -> list[Span]:
    """Ascending spans as disjoint ones."""
    result: list[Span] = []
    for first, following in spans:
        if result and first <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], following))
        else:
            result.append((first, following))
    return result


def within(spans: Sequence[Span], first: int, following: int) -> list[Span]:
    """The parts of the spans inside of [first, following)."""
    found: list[Span] = []
    for at in range(max(0, bisect_right(spans, first, key=lambda span: span[0]) - 1), len(spans)):
        low, high = spans[at]
        if low >= following:
            break
        if high > first:
            found.append((max(low, first), min(high, following)))
    return found


def without(spans: Sequence[Span], first: int, following: int) -> list[Span]:
    """The parts of [first, following) outside of the spans."""
    result: list[Span] = []
    at = first
    for low, high in within(spans, first, following):
        if at < low:
            result.append((at, low))
        at = high
    if at < following:
        result.append((at, following))
    return result


def is_covered(spans: Sequence[Span], offset: int) -> bool:
    """Return True if the offset lies in a span."""
    at = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return at >= 0 and offset < spans[at][1]
