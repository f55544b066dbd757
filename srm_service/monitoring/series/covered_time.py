"""The measured part of a time, so that a rate is what was copied per covered second. No database, no clock.

A tile covers its own time, and the silence right before it when that is no longer than an idle partition keeps silent:
it would have reported earlier if anything had been copied. Longer silence is time of which nothing is known.
"""

from collections.abc import Iterable, Sequence

Span = tuple[int, int]  # [from, to) in epoch ms

IDLE_MS = 70_000  # idle partitions report once a minute; one tile more for where in its tile a report falls


def covered_spans(tiles: Iterable[Span]) -> list[Span]:
    """The covered time, ascending and disjoint, from the times of tiles in any order."""
    return joined(tiles, within_ms=IDLE_MS)


def joined(spans: Iterable[Span], *, within_ms: int = 0) -> list[Span]:
    """Spans as disjoint ones, joined over silences of at most so long."""
    result: list[Span] = []
    for begin_ms, end_ms in sorted(spans):
        if result and begin_ms - result[-1][1] <= within_ms:
            result[-1] = (result[-1][0], max(result[-1][1], end_ms))
        else:
            result.append((begin_ms, end_ms))
    return result


def covered_ms(spans: Sequence[Span], from_ms: int, to_ms: int) -> int:
    """Return the part of [from_ms, to_ms) that the spans cover."""
    return sum(max(0, min(end_ms, to_ms) - max(begin_ms, from_ms)) for begin_ms, end_ms in spans)
