"""Computes holes and overlaps of the offset ranges that a source partition reported.

Invariant, over all ranges taken under one topic id: covered - overlap + hole = next_offset - first_offset.
"""

from typing import NamedTuple


class Reach(NamedTuple):
    """Offsets of one incarnation of a source topic partition that are counted: [first_offset, next_offset)."""

    topic_id: str
    first_offset: int
    next_offset: int


class Extension(NamedTuple):
    """The effect of one reported range on the reach."""

    covered: int
    hole: int
    overlap: int


def extended(reach: Reach | None, topic_id: str, start: int, end: int) -> tuple[Reach, Extension]:
    """Extend by the range [start, end). A hole was never reported; an overlap was reported twice.

    Another topic id is another log: ranges of two logs are never compared, so the reach starts again.
    """
    if reach is None or reach.topic_id != topic_id:
        return Reach(topic_id, start, end), Extension(end - start, 0, 0)
    if start == reach.next_offset:
        return Reach(topic_id, reach.first_offset, end), Extension(end - start, 0, 0)
    hole = max(0, start - reach.next_offset)
    overlap = max(0, min(reach.next_offset, end) - start)
    next_offset = max(reach.next_offset, end)
    return Reach(topic_id, reach.first_offset, next_offset), Extension(end - start, hole, overlap)
