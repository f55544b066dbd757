"""Keeps the state of a target's series between batches. The store holds the same and is authoritative."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from metrics.counting.coverage import Reach
from metrics.counting.group_rows import LatestReport, SeriesKey, flow_of, topic_of
from metrics.counting.rollup_totals import HEARD_WITHIN_MS, ReportTotal, RollupTotals


class PartitionProgress(NamedTuple):
    """A source partition as last reported."""

    reach: Reach
    now: LatestReport


class SeriesState:
    """The partitions of one target, found by topic; the topics found by flow."""

    def __init__(self, states: Mapping[SeriesKey, PartitionProgress] | None = None) -> None:
        self._states: dict[SeriesKey, PartitionProgress] = {}
        self._topics: defaultdict[SeriesKey, dict[SeriesKey, LatestReport]] = defaultdict(dict)
        self._flows: defaultdict[SeriesKey, set[SeriesKey]] = defaultdict(set)
        self._sums: dict[SeriesKey, ReportTotal] = {}
        self.update(states or {})

    def update(self, states: Mapping[SeriesKey, PartitionProgress]) -> None:
        """Apply a committed change."""
        self._states.update(states)
        for key, state in states.items():
            topic = topic_of(key)
            if topic not in self._topics:
                self._flows[flow_of(key)].add(topic)
            self._topics[topic][key] = state.now
            self._sums.pop(topic, None)

    def __len__(self) -> int:
        return len(self._states)

    def state(self, key: SeriesKey) -> PartitionProgress | None:
        return self._states.get(key)

    def members(self, topic: SeriesKey) -> dict[SeriesKey, LatestReport]:
        """The partitions of a topic."""
        return dict(self._topics.get(topic, {}))

    def active(self, now_ms: int) -> int:
        """The number of partitions with recent reports."""
        return sum(1 for state in self._states.values() if state.now.last_ms >= now_ms - HEARD_WITHIN_MS)

    def rollup_totals(self, topics: Collection[SeriesKey], now_ms: float = math.inf) -> RollupTotals:
        """Return totals of these topics and their flows, with all of their partitions.

        `now_ms` is the real time, which tells broken clocks; infinite: none is.
        """
        flows: defaultdict[SeriesKey, set[SeriesKey]] = defaultdict(set)
        for topic in topics:
            flows[flow_of(topic)].add(topic)
        return RollupTotals(
            {topic: dict(self._topics.get(topic, {})) for topic in topics},
            {flow: own | self._flows.get(flow, set()) for flow, own in flows.items()},
            self._topics,
            self._sums,
            now_ms,
        )
