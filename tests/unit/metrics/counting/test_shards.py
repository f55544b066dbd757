"""Topics of a batch by shard, what travels between the stages, flows united from the shards."""

from collections.abc import Collection, Mapping, Sequence

import pytest

from metrics.counting.batch import bad_of, read_of, seqs_of
from metrics.counting.flow_totals import FlowPart, FlowTotals, Members
from metrics.counting.group_rows import LatestReport, SeqKey, SeriesKey, TileGroup, flow_of, topic_of
from metrics.counting.head_totals import head_totals, needs_one_guard, united_heads
from metrics.counting.packing import packed, unpacked
from metrics.counting.records import RawRow
from metrics.counting.rollup_totals import HEARD_WITHIN_MS, MEMBER_WITHIN_MS, total_of
from metrics.counting.series_state import PartitionProgress, SeriesState
from metrics.counting.shards import cut, flow_times, shard_folded
from metrics.counting.side_records import side_sums
from metrics.counting.tiles import counted
from tests.support.metrics.folding.whole_batch import whole_batch
from tests.support.metrics.metrics_builders import key, now, tile_group
from tests.support.metrics.raw_batches import RawLogs
from tests.support.metrics.raw_metrics import RawTask, Record, encode

TIME_MS = 1_790_000_000_000
TOPIC = "srm-metrics.a.internal"
FLOW = flow_of(key())


def rows_of(values: Sequence[Record], partition: int = 0, first: int = 0) -> list[RawRow]:
    return [RawRow(TOPIC, partition, first + index, encode(value)) for index, value in enumerate(values)]


def parts_of(groups: Sequence[TileGroup], shards: int, series_state: SeriesState) -> list[FlowPart]:
    times = flow_times(groups)
    return [
        FlowPart(tiles=found.flows, totals=found.flow_totals, topics=found.topic_totals)
        for found in (shard_folded(own, series_state, times) for own in cut(groups, shards).values())
    ]


def nothing_to_find(topics: Collection[SeriesKey]) -> dict[SeriesKey, list[LatestReport]]:
    raise AssertionError(f"partitions of {topics} were asked for")


def test_all_partitions_of_a_topic_are_in_one_shard_and_topics_in_several() -> None:
    groups = [
        tile_group(time_ms=TIME_MS, spans=((0, 1),), topic=f"t{number}", partition=partition)
        for number in range(20)
        for partition in range(3)
    ]

    shards = cut(groups, 4)

    topics = [{group.topic for group in own} for own in shards.values()]
    assert len(shards) == 4
    assert sum(map(len, topics)) == len(set().union(*topics)) == 20


def test_what_travels_between_the_stages_arrives_as_it_was() -> None:
    rows = RawLogs(5, tasks=4, topics_per_task=3, partitions=2).batch(12)
    _, groups = counted(rows, "b", {}, {})
    raw = groups[0].raw
    own = [group for group in groups if group.raw == raw]

    found = list(unpacked(packed(own)))

    by_place = {(group.key, group.topic_id, group.time_ms): group for group in found}
    assert len(found) == len(own) > 20
    for group in own:
        other = by_place[group.key, group.topic_id, group.time_ms]
        assert other.sums.to_row(1, 2) == group.sums.to_row(1, 2)
        assert (other.topic, other.raw, other.first_ms, other.now, other.spans) == (
            (group.topic, group.raw, group.first_ms, group.now, group.spans)
        )


def test_a_flow_has_the_lag_of_topics_in_every_shard_and_of_those_without_a_report() -> None:
    groups = [tile_group(time_ms=TIME_MS, spans=((0, 5),), topic=f"t{n}", lag=n) for n in range(4)]
    groups.append(tile_group(time_ms=TIME_MS + 10_000, spans=((5, 6),), topic="t0", lag=100))
    resting = topic_of(key(topic="resting"))
    flows = FlowTotals({resting: total_of([now(last_ms=TIME_MS, lag=1_000)], TIME_MS)})

    change = flows.change(parts_of(groups, 3, SeriesState()), nothing_to_find)

    tiles = {time_ms: (sums.records, sums.lag_last) for (_, time_ms), sums in change.tiles.items()}
    assert tiles == {TIME_MS: (20, 1_006), TIME_MS + 10_000: (1, 1_106)}
    assert change.nows[FLOW].lag == 1_106
    assert set(change.topics) == {topic_of(key(topic=f"t{n}")) for n in range(4)}


def test_partitions_are_asked_for_only_when_a_resting_topics_sum_has_had_its_time() -> None:
    resting = topic_of(key(topic="resting"))
    last = now(last_ms=TIME_MS, lag=7)
    flows = FlowTotals({resting: total_of([last], TIME_MS)})
    asked: list[Collection[SeriesKey]] = []

    def members(topics: Collection[SeriesKey]) -> dict[SeriesKey, list[LatestReport]]:
        asked.append(topics)
        return {resting: [last]}

    lags = []
    for at_ms in (TIME_MS, TIME_MS + HEARD_WITHIN_MS, TIME_MS + 2 * HEARD_WITHIN_MS, TIME_MS + 2 * MEMBER_WITHIN_MS):
        group = tile_group(time_ms=at_ms, spans=((0, 5),), lag=1)
        change = flows.change(parts_of([group], 1, SeriesState()), members)
        lags.append(change.tiles[FLOW, at_ms].lag_last)

    assert lags == [8, None, None, 1]  # heard, silent, silent still, gone
    assert len(asked) == 2


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_shards_and_flows_come_to_what_one_fold_comes_to(shards: int) -> None:
    logs = RawLogs(9, tasks=5, topics_per_task=4, partitions=2)
    seqs: dict[SeqKey, int] = {}
    states: dict[SeriesKey, PartitionProgress] = {}
    flows = FlowTotals({})
    for _ in range(4):
        heads, groups = counted(logs.batch(3), "b", {}, seqs)
        again = [each for own in _by_raw(groups).values() for each in unpacked(packed(own))]
        expected = whole_batch(heads, groups, states)
        change = flows.change(parts_of(again, shards, SeriesState(states)), _members_of({**states, **expected.states}))
        flows.update(change.topics)
        states |= expected.states
        seqs |= {seq_key: seq for seq_key, (seq, _) in expected.heads.seqs.items()}

        assert {at: sums.to_row(0, 0) for at, sums in change.tiles.items()} == {
            at: sums.to_row(0, 0) for at, sums in expected.tiles["flow"].items()
        }
        assert {flow: found.lag for flow, found in change.nows.items()} == {
            whole: found.lag for whole, found in expected.rollup_totals.items() if whole.topic == ""
        }


def test_numbers_that_overlap_in_two_raw_partitions_need_one_guard() -> None:
    task = RawTask()
    reports = [task.report() for _ in range(6)]

    def totals(first: Sequence[Record], second: Sequence[Record]) -> bool:
        heads, _ = counted([*rows_of(first), *rows_of(second, 1)], "b", {}, {})
        return needs_one_guard(head_totals(heads))

    assert not totals(reports[:3], reports[3:])
    assert totals(reports[:3], reports[2:])
    assert totals([reports[0], reports[5]], reports[1:5])


def test_a_raw_partition_that_two_tasks_have_read_needs_one_guard() -> None:
    task = RawTask()
    parts = [
        total
        for first in (0, 1)
        for total in head_totals(counted(rows_of([task.report()], first=first), "b", {}, {})[0])
    ]

    assert needs_one_guard(parts)


def test_heads_of_raw_partitions_are_united_in_their_order() -> None:
    rows = RawLogs(2, tasks=6, topics_per_task=2, partitions=1).batch(8)
    heads, _ = counted(rows, "b", {}, {})
    side = side_sums((index, record) for index, head in enumerate(heads) for record in head.side)

    found = united_heads(reversed(head_totals(heads)))

    assert (found.read, found.bad, found.seqs) == (read_of(heads), bad_of(heads, side), seqs_of(heads))
    assert found.gaps == [gap for head in heads for gap in head.gaps]
    assert found.side.gauges == side.gauges
    assert found.side.events == side.events
    assert found.side.groups == side.groups


def _by_raw(groups: Sequence[TileGroup]) -> dict[tuple[str, int], list[TileGroup]]:
    found: dict[tuple[str, int], list[TileGroup]] = {}
    for group in groups:
        found.setdefault(group.raw, []).append(group)
    return found


def _members_of(states: Mapping[SeriesKey, PartitionProgress]) -> Members:
    """Partitions as they are after a batch."""
    after = SeriesState(states)
    return lambda topics: {topic: list(after.members(topic).values()) for topic in topics}
