"""A batch folded by one task and united by the driver, without Spark and a store."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from metrics.counting.batch import TileKey
from metrics.counting.flow_totals import FlowPart, FlowTotals
from metrics.counting.group_rows import LatestReport, SeriesKey, TileGroup, topic_of
from metrics.counting.rollup_totals import total_of
from metrics.counting.series_state import PartitionProgress, SeriesState
from metrics.counting.shards import flow_times, shard_folded
from metrics.counting.sums.tile_sums import TileSums

States = Mapping[SeriesKey, PartitionProgress]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedBatch:
    """The tiles by level, the states of partitions, and the rows of topics and flows."""

    tiles: Mapping[str, Mapping[TileKey, TileSums]]
    states: States
    rollup_totals: Mapping[SeriesKey, LatestReport]


def folded(groups: Sequence[TileGroup], known: States | None = None, now_ms: float = math.inf) -> FoldedBatch:
    """Fold on top of what is known of partitions."""
    states = dict(known or {})
    found = shard_folded(groups, SeriesState(states), flow_times(groups), now_ms)
    after = SeriesState({**states, **found.states})

    def members(topics: Collection[SeriesKey]) -> dict[SeriesKey, list[LatestReport]]:
        return {topic: list(after.members(topic).values()) for topic in topics}

    part = FlowPart(tiles=found.flows, totals=found.flow_totals, topics=found.topic_totals)
    change = flow_totals(states).change([part], members, now_ms)
    return FoldedBatch(
        tiles={"partition": found.partitions, "topic": found.topics, "flow": change.tiles},
        states=found.states,
        rollup_totals={**dict(found.topic_nows()), **change.nows},
    )


def flow_totals(states: States) -> FlowTotals:
    """The sums of topics as a driver has them that begins with these states."""
    topics: defaultdict[SeriesKey, list[LatestReport]] = defaultdict(list)
    for key, state in states.items():
        topics[topic_of(key)].append(state.now)
    return FlowTotals({topic: total_of(nows, max(now.last_ms for now in nows)) for topic, nows in topics.items()})
