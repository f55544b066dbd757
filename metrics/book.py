"""What the writer remembers of a target's series between batches; the store holds the same and is the truth."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from metrics.coverage import Reach
from metrics.transforms.group_rows import Now, SeriesKey, flow_of, topic_of
from metrics.wholes import HEARD_WITHIN_MS, Wholes, WholeSum


class PartitionState(NamedTuple):
    """A source partition as last reported."""

    reach: Reach
    now: Now


class SeriesBook:
    """The partitions of one target, found by topic; the topics found by flow."""

    def __init__(self, states: Mapping[SeriesKey, PartitionState] | None = None) -> None:
        self._states: dict[SeriesKey, PartitionState] = {}
        self._topics: defaultdict[SeriesKey, dict[SeriesKey, Now]] = defaultdict(dict)
        self._flows: defaultdict[SeriesKey, set[SeriesKey]] = defaultdict(set)
        self._sums: dict[SeriesKey, WholeSum] = {}
        self.update(states or {})

    def update(self, states: Mapping[SeriesKey, PartitionState]) -> None:
        """Take over what has been committed."""
        self._states.update(states)
        for key, state in states.items():
            topic = topic_of(key)
            if topic not in self._topics:
                self._flows[flow_of(key)].add(topic)
            self._topics[topic][key] = state.now
            self._sums.pop(topic, None)

    def __len__(self) -> int:
        return len(self._states)

    def state(self, key: SeriesKey) -> PartitionState | None:
        return self._states.get(key)

    def active(self, now_ms: int) -> int:
        """How many partitions were heard of lately."""
        return sum(1 for state in self._states.values() if state.now.last_ms >= now_ms - HEARD_WITHIN_MS)

    def wholes(self, topics: Collection[SeriesKey], now_ms: float = math.inf) -> Wholes:
        """These topics and their flows, with all their partitions as they are known now.

        `now_ms` is the real time, which tells broken clocks; infinite: none is.
        """
        flows: defaultdict[SeriesKey, set[SeriesKey]] = defaultdict(set)
        for topic in topics:
            flows[flow_of(topic)].add(topic)
        return Wholes(
            {topic: dict(self._topics.get(topic, {})) for topic in topics},
            {flow: own | self._flows.get(flow, set()) for flow, own in flows.items()},
            self._topics,
            self._sums,
            now_ms,
        )
