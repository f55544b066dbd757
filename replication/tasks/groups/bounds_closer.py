"""Narrows the bounds of a round's places by comparing records, within limits per group and round."""

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.groups.translation import Translation
from replication.domain.identifiers import TopicPartition
from replication.tasks.groups.bounds_comparison import BoundsComparison, ReadBudget, is_comparable

log = structlog.get_logger(__name__)
MOST_COMPARISONS = 30  # of one round; each reads both clusters
_Key = tuple[TopicPartition, int, Translation]


class BoundsCloser:
    """Blocking; for one thread. A cluster that does not answer leaves the bounds as they are.

    Answers are kept as long as commit and bounds stay, so that groups and partitions get their turn round by round.
    A comparison for which a group has no reads left is made in a later round.
    """

    def __init__(self, comparison: BoundsComparison) -> None:
        self._comparison = comparison
        self._known: dict[_Key, Translation] = {}
        self._used: dict[_Key, Translation] = {}
        self._budget = ReadBudget()
        self._comparisons_left = MOST_COMPARISONS

    def begin_round(self) -> None:
        """Forget what the last round did not use."""
        self._known, self._used = self._used, {}
        self._comparisons_left = MOST_COMPARISONS

    def begin_group(self) -> None:
        self._budget = ReadBudget()

    def close_in(
        self, upstream: TopicPartition, remote: TopicPartition, offset: int, place: Translation
    ) -> Translation:
        """Return the place with closer bounds if that is possible now."""
        if not is_comparable(place):
            return place
        key = (upstream, offset, place)
        found = self._used.get(key) or self._known.get(key)
        if found is None and self._comparisons_left > 0:
            found = self._compared(upstream, remote, offset, place)
        if found is not None:
            self._used[key] = found
        return place if found is None else found

    def _compared(
        self, upstream: TopicPartition, remote: TopicPartition, offset: int, place: Translation
    ) -> Translation | None:
        try:
            found = self._comparison.compare(upstream, remote, offset, place, self._budget)
        except ReplicationError as error:
            self._comparisons_left = 0
            log.info("bounds of groups are not compared", partition=str(upstream), error=error.text)
            return None
        if found is not None:
            self._comparisons_left -= 1
        return found
