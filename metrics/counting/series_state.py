"""The partitions of some topics between batches, in memory; the store holds the same and is authoritative."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from metrics.counting.coverage import Reach
from metrics.counting.group_rows import LatestReport, SeriesKey, topic_of


class PartitionProgress(NamedTuple):
    """A source partition as last reported."""

    reach: Reach
    now: LatestReport


class SeriesState:
    """The partitions of topics, found by topic."""

    def __init__(self, states: Mapping[SeriesKey, PartitionProgress] | None = None) -> None:
        self._states: dict[SeriesKey, PartitionProgress] = {}
        self._topics: defaultdict[SeriesKey, dict[SeriesKey, LatestReport]] = defaultdict(dict)
        self.update(states or {})

    def update(self, states: Mapping[SeriesKey, PartitionProgress]) -> None:
        """Apply a committed change."""
        self._states.update(states)
        for key, state in states.items():
            self._topics[topic_of(key)][key] = state.now

    def __len__(self) -> int:
        return len(self._states)

    def state(self, key: SeriesKey) -> PartitionProgress | None:
        return self._states.get(key)

    def members(self, topic: SeriesKey) -> dict[SeriesKey, LatestReport]:
        """The partitions of a topic."""
        return dict(self._topics.get(topic, {}))
