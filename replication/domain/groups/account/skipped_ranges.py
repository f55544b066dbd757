"""Ranges of the source that a flow has skipped, as its gap records tell."""

from collections import deque

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.gap import Gap, GapCause
from replication.domain.offsets.positions import NO_TOPIC_ID

MOST_RANGES = 100  # of one partition, the newest
# With the other causes the source has lost the records too, or they are copied a second time.
_LOST_ON_TARGET: frozenset[GapCause] = frozenset({"skipped", "positions_lost", "target_truncated"})


class SkippedRanges:
    """Takes gap records in the order they were written. A later rewind may have copied a range all the same."""

    def __init__(self) -> None:
        self._gaps: dict[TopicPartition, deque[Gap]] = {}

    def __bool__(self) -> bool:
        return bool(self._gaps)

    def add(self, gap: Gap) -> None:
        """Add the next gap record; one that costs no record on the target is ignored."""
        if gap.cause in _LOST_ON_TARGET and gap.to_offset is not None and gap.to_offset > gap.from_offset:
            upstream = TopicPartition(gap.topic, gap.partition)
            self._gaps.setdefault(upstream, deque(maxlen=MOST_RANGES)).append(gap)

    def end_of(self, upstream: TopicPartition, topic_id: bytes, offset: int) -> int | None:
        """Return the offset behind the skipped range that holds this offset; None if it was not skipped."""
        ends = (
            gap.to_offset
            for gap in self._gaps.get(upstream, ())
            if gap.to_offset is not None
            and gap.from_offset <= offset < gap.to_offset
            and (gap.topic_id == topic_id or NO_TOPIC_ID in (gap.topic_id, topic_id))
        )
        return max(ends, default=None)
