"""A batch folded the plain way: every partition is added up at the end of every tile. No shards, nothing remembered."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metrics.counting.batch import TILE_MS, Tiles, add_up, as_reported, extend_reaches
from metrics.counting.group_rows import LatestReport, ReadSummary, SeriesKey, TileGroup, flow_of, topic_of
from metrics.counting.head_totals import HeadTotals, head_totals, united_heads
from metrics.counting.rollup_totals import MEMBER_WITHIN_MS, ReportTotal, combined, newer, soundness, total_of
from metrics.counting.series_state import PartitionProgress, SeriesState

States = Mapping[SeriesKey, PartitionProgress]


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeBatch:
    """Everything that a batch comes to."""

    heads: HeadTotals
    tiles: Tiles
    states: States
    rollup_totals: Mapping[SeriesKey, LatestReport]  # topics and flows


def whole_batch(
    heads: Sequence[ReadSummary], groups: Sequence[TileGroup], known: States, now_ms: float = math.inf
) -> WholeBatch:
    """Fold on top of all partitions that are known of the target."""
    states = extend_reaches(groups, SeriesState(known))
    tiles = add_up(groups)
    sums = _Sums(known, now_ms)
    by_tile: defaultdict[int, defaultdict[SeriesKey, list[TileGroup]]] = defaultdict(lambda: defaultdict(list))
    for group in groups:
        by_tile[group.time_ms][group.topic].append(group)
    for time_ms, topics in sorted(by_tile.items()):
        for topic, own in topics.items():
            sums.report(as_reported(own))
            tiles["topic"][topic, time_ms].observe_lag(sums.topic(topic, time_ms + TILE_MS).known_lag)
        for flow in {flow_of(topic) for topic in topics}:
            tiles["flow"][flow, time_ms].observe_lag(sums.flow(flow, time_ms + TILE_MS).known_lag)
    return WholeBatch(heads=united_heads(head_totals(heads)), tiles=tiles, states=states, rollup_totals=sums.nows())


class _Sums:
    def __init__(self, known: States, now_ms: float) -> None:
        self._now_ms = now_ms
        self._topics: defaultdict[SeriesKey, dict[SeriesKey, LatestReport]] = defaultdict(dict)
        for key, state in known.items():
            self._topics[topic_of(key)][key] = state.now
        self._touched: defaultdict[SeriesKey, list[int]] = defaultdict(list)  # times of reports

    def report(self, groups: Sequence[TileGroup]) -> None:
        for group in groups:
            own = self._topics[group.topic]
            own[group.key] = found = newer(own.get(group.key), group.now)
            self._touched[group.topic].append(found.last_ms)

    def topic(self, topic: SeriesKey, at_ms: int) -> ReportTotal:
        return total_of(self._topics[topic].values(), at_ms, self._now_ms)

    def flow(self, flow: SeriesKey, at_ms: int) -> ReportTotal:
        return combined(self.topic(topic, at_ms) for topic in self._topics if flow_of(topic) == flow)

    def nows(self) -> dict[SeriesKey, LatestReport]:
        """The batch's topics and flows, each at the newest report that the batch brought of it."""
        rows: dict[SeriesKey, LatestReport] = {}
        flows: defaultdict[SeriesKey, list[int]] = defaultdict(list)
        for topic, times in self._touched.items():
            sound = [each_ms for each_ms in times if each_ms <= self._now_ms + MEMBER_WITHIN_MS]
            at_ms = max(sound) if sound else max(now.last_ms for now in self._topics[topic].values())
            rows[topic] = self.topic(topic, at_ms).as_now(at_ms)
            flows[flow_of(topic)].append(at_ms)
        for flow, found in flows.items():
            at_ms = max(found, key=lambda each_ms: soundness(each_ms, self._now_ms))
            rows[flow] = self.flow(flow, at_ms).as_now(at_ms)
        return rows
