"""Folds a shard of a batch: whole topics, in one task. Pure; `metrics.counting.flow_totals` combines shards."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from metrics.counting.batch import TILE_MS, TileKey, add_up, as_reported, extend_reaches
from metrics.counting.group_rows import LatestReport, SeriesKey, TileGroup, flow_of
from metrics.counting.rollup_totals import ReportTotal, RollupTotals
from metrics.counting.series_state import PartitionProgress, SeriesState
from metrics.counting.sums.tile_sums import TileSums

FlowTimes = Mapping[SeriesKey, set[int]]  # the 10 s tiles that a batch has of each flow


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicTotal:
    """The sum of a topic at its newest report in the batch."""

    topic: SeriesKey
    at_ms: int
    total: ReportTotal


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardFold:
    """The result of folding the reports of a shard's topics."""

    partitions: Mapping[TileKey, TileSums]
    topics: Mapping[TileKey, TileSums]
    flows: Mapping[TileKey, TileSums]  # this shard's part of them; the lag comes from `flow_totals`
    flow_totals: Mapping[TileKey, ReportTotal]  # the shard's topics at the end of every tile of their flow
    states: Mapping[SeriesKey, PartitionProgress]
    topic_totals: Sequence[TopicTotal]

    def topic_nows(self) -> list[tuple[SeriesKey, LatestReport]]:
        """The rows of the batch's topics."""
        return [(each.topic, each.total.as_now(each.at_ms)) for each in self.topic_totals]


def shard_of(topic: SeriesKey, shards: int) -> int:
    """Return the shard of a source's topic, which all of its partitions share."""
    return crc32(f"{topic[0]}\0{topic[2]}".encode()) % shards


def cut(groups: Iterable[TileGroup], shards: int) -> dict[int, list[TileGroup]]:
    """Return the groups by shard, in their order."""
    found: defaultdict[int, list[TileGroup]] = defaultdict(list)
    shard_by_topic: dict[SeriesKey, int] = {}
    for group in groups:
        shard = shard_by_topic.get(group.topic)
        if shard is None:
            shard = shard_by_topic[group.topic] = shard_of(group.topic, shards)
        found[shard].append(group)
    return dict(found)


def flow_times(groups: Iterable[TileGroup]) -> dict[SeriesKey, set[int]]:
    """Return the tiles of each flow to which the groups belong."""
    times: dict[SeriesKey, set[int]] = {}
    by_topic: defaultdict[SeriesKey, set[int]] = defaultdict(set)
    for group in groups:
        by_topic[group.topic].add(group.time_ms)
    for topic, own in by_topic.items():
        times.setdefault(flow_of(topic), set()).update(own)
    return times


def shard_folded(
    groups: Sequence[TileGroup],
    series_state: SeriesState,
    times: FlowTimes,
    now_ms: float = math.inf,
) -> ShardFold:
    """Fold the groups of a shard, which come in the order of their raw partitions.

    The state has all partitions of the groups' topics; it is not changed. `times` are the tiles of the whole batch:
    the flow's lag is asked for at the end of each, also where this shard has no report. `now_ms` is the real time.
    """
    extended = extend_reaches(groups, series_state)
    tiles = add_up(groups)
    topics: defaultdict[SeriesKey, set[SeriesKey]] = defaultdict(set)
    for topic in {id(group.topic): group.topic for group in groups}.values():  # groups share these objects
        topics[flow_of(topic)].add(topic)
    members = {topic: series_state.members(topic) for own in topics.values() for topic in own}
    totals = RollupTotals(members, topics, now_ms)
    return ShardFold(
        partitions=tiles["partition"],
        topics=tiles["topic"],
        flows=tiles["flow"],
        flow_totals=_observe_lags(groups, tiles["topic"], totals, times),
        states=extended,
        topic_totals=[
            TopicTotal(topic=topic, at_ms=at_ms, total=totals.topic(topic, at_ms))
            for topic, at_ms in totals.newest().items()
        ],
    )


def _observe_lags(
    groups: Sequence[TileGroup], topic_tiles: Mapping[TileKey, TileSums], totals: RollupTotals, times: FlowTimes
) -> dict[TileKey, ReportTotal]:
    """Set the lag of topic tiles; return the sums of the topics at the end of each tile of their flow.

    The end is the tile's own, not the time of its last report: neither a clock nor the cut of a batch moves it.
    """
    by_tile: defaultdict[int, defaultdict[SeriesKey, list[TileGroup]]] = defaultdict(lambda: defaultdict(list))
    flows: set[SeriesKey] = set()
    for group in groups:
        by_tile[group.time_ms][group.topic].append(group)
    for topics in by_tile.values():
        flows.update(map(flow_of, topics))
    found: dict[TileKey, ReportTotal] = {}
    for time_ms in sorted(set(by_tile).union(*(times[flow] for flow in flows))):
        at_ms = time_ms + TILE_MS
        topics = by_tile.get(time_ms, defaultdict(list))
        for topic, own in topics.items():
            totals.report(topic, [(group.key, group.now) for group in as_reported(own)])
            topic_tiles[topic, time_ms].observe_lag(totals.topic(topic, at_ms).known_lag)
        for flow in flows:
            if time_ms in times[flow]:
                found[flow, time_ms] = totals.flow(flow, at_ms)
    return found
