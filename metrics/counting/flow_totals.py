"""Adds flows up from the shards of a batch and from the topics that the batch does not contain. Pure.

The driver keeps one sum per topic, not its partitions; a sum whose time has passed is made again from the partitions.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from metrics.counting.batch import TILE_MS, TileKey
from metrics.counting.group_rows import LatestReport, SeriesKey, flow_of
from metrics.counting.rollup_totals import ReportTotal, combined, soundness, total_of
from metrics.counting.shards import TopicTotal
from metrics.counting.sums.tile_sums import TileSums

Members = Callable[[Collection[SeriesKey]], Mapping[SeriesKey, Collection[LatestReport]]]  # topics -> their partitions


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPart:
    """The amounts that one shard adds to its flows."""

    tiles: Mapping[TileKey, TileSums]
    totals: Mapping[TileKey, ReportTotal]
    topics: Sequence[TopicTotal]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowChange:
    """Tiles and rows of the batch's flows, and the sums of its topics to remember."""

    tiles: Mapping[TileKey, TileSums]
    nows: Mapping[SeriesKey, LatestReport]
    topics: Mapping[SeriesKey, ReportTotal]


class FlowTotals:
    """The sums of a target's topics as of the last commit, by flow."""

    def __init__(self, topics: Mapping[SeriesKey, ReportTotal]) -> None:
        self._flows: defaultdict[SeriesKey, dict[SeriesKey, ReportTotal]] = defaultdict(dict)
        self.update(topics)

    def update(self, topics: Mapping[SeriesKey, ReportTotal]) -> None:
        """Apply a committed change."""
        for topic, total in topics.items():
            self._flows[flow_of(topic)][topic] = total

    def change(self, parts: Iterable[FlowPart], members: Members, now_ms: float = math.inf) -> FlowChange:
        """Add the shards up. `members` finds the partitions of topics as they are after the batch."""
        own = list(parts)
        touched = {each.topic: each for part in own for each in part.topics}
        sums = _Sums(self._flows, touched, members, now_ms)
        return FlowChange(
            tiles=_tiles(own, sums),
            nows=_nows(touched.values(), sums, now_ms),
            topics={topic: each.total for topic, each in touched.items()},
        )


class _Sums:
    """Sums of topics at a time; partitions are asked for once per batch and topic."""

    def __init__(
        self,
        flows: Mapping[SeriesKey, dict[SeriesKey, ReportTotal]],
        touched: Mapping[SeriesKey, TopicTotal],
        members: Members,
        now_ms: float,
    ) -> None:
        self._flows = flows
        self._touched = touched
        self._members = members
        self._now_ms = now_ms
        self._found: dict[SeriesKey, Collection[LatestReport]] = {}

    def resting(self, flow: SeriesKey, at_ms: int) -> list[ReportTotal]:
        """The topics of a flow that are not in the batch."""
        known = self._flows.get(flow, {})
        sums = {topic: total for topic, total in known.items() if topic not in self._touched}
        found = self._at(sums, at_ms)
        known.update({topic: total for topic, total in found.items() if total.holds(at_ms)})
        return list(found.values())

    def touched(self, flow: SeriesKey, at_ms: int) -> list[ReportTotal]:
        """The topics of a flow that are in the batch, as they are after it."""
        sums = {topic: each.total for topic, each in self._touched.items() if flow_of(topic) == flow}
        own = {topic: total for topic, total in sums.items() if self._touched[topic].at_ms == at_ms}
        return [*own.values(), *self._at({k: v for k, v in sums.items() if k not in own}, at_ms).values()]

    def _at(self, sums: Mapping[SeriesKey, ReportTotal], at_ms: int) -> dict[SeriesKey, ReportTotal]:
        stale = [topic for topic, total in sums.items() if not total.holds(at_ms)]
        missing = [topic for topic in stale if topic not in self._found]
        if missing:
            self._found |= self._members(missing)
        made = {topic: total_of(self._found.get(topic, ()), at_ms, self._now_ms) for topic in stale}
        return {**sums, **made}


def _tiles(parts: Sequence[FlowPart], sums: _Sums) -> dict[TileKey, TileSums]:
    tiles: dict[TileKey, TileSums] = {}
    totals: defaultdict[TileKey, list[ReportTotal]] = defaultdict(list)
    for part in parts:
        for key, total in part.totals.items():
            totals[key].append(total)
        for key, added in part.tiles.items():
            tiles.setdefault(key, TileSums()).merge_counts(added)
    for (flow, time_ms), tile in sorted(tiles.items(), key=lambda item: item[0][1]):
        at_ms = time_ms + TILE_MS
        tile.observe_lag(combined([*totals[flow, time_ms], *sums.resting(flow, at_ms)]).known_lag)
    return tiles


def _nows(topics: Iterable[TopicTotal], sums: _Sums, now_ms: float) -> dict[SeriesKey, LatestReport]:
    """Return each flow at its newest report in the batch. Reports with a broken clock do not count."""
    flows: dict[SeriesKey, int] = {}
    for each in topics:
        flow = flow_of(each.topic)
        flows[flow] = max(each.at_ms, flows.get(flow, each.at_ms), key=lambda at_ms: soundness(at_ms, now_ms))
    return {
        flow: combined([*sums.touched(flow, at_ms), *sums.resting(flow, at_ms)]).as_now(at_ms)
        for flow, at_ms in flows.items()
    }
