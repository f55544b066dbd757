import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.counting.batch import BadRecords, seqs_of
from metrics.counting.coverage import Reach
from metrics.counting.group_rows import SeriesKey, TileGroup, flow_of, topic_of
from metrics.counting.head_totals import head_totals, united_heads
from metrics.counting.rollup_totals import HEARD_WITHIN_MS, MEMBER_WITHIN_MS, worst_state
from metrics.counting.series_state import PartitionProgress
from metrics.counting.sums.tile_sums import TileSums
from tests.support.metrics.folding.one_shard import States, folded
from tests.support.metrics.metrics_builders import RAW_TOPIC, head, key, now, tile_group

TIME_MS = 1_790_000_000_000


def sums_of(groups: Sequence[TileGroup], states: States) -> TileSums:
    """The flow's tile."""
    return folded(groups, states).tiles["flow"][flow_of(groups[0].key), groups[0].time_ms]


def test_partitions_add_up_to_their_topic_and_topics_to_their_flow() -> None:
    groups = [
        tile_group(time_ms=TIME_MS, spans=((0, 10),), partition=0),
        tile_group(time_ms=TIME_MS, spans=((0, 20),), partition=1),
        tile_group(time_ms=TIME_MS, spans=((0, 5),), topic="clicks"),
    ]
    tiles = folded(groups).tiles

    assert sorted(tile.records for tile in tiles["partition"].values()) == [5, 10, 20]
    assert sorted(tile.records for tile in tiles["topic"].values()) == [5, 30]
    assert [(tile.records, tile.latency.count) for tile in tiles["flow"].values()] == [(35, 35)]


def test_holes_and_overlaps_are_told_by_what_was_counted_before() -> None:
    known = {key(): PartitionProgress(Reach("00", 0, 100), now(last_ms=TIME_MS))}
    flow = sums_of([tile_group(time_ms=TIME_MS, spans=((90, 110), (115, 120)))], known)

    assert (flow.covered_offsets, flow.overlap_offsets, flow.hole_offsets) == (25, 10, 5)


def test_a_recreated_source_topic_starts_its_reach_again() -> None:
    known = {key(): PartitionProgress(Reach("00", 0, 100), now(last_ms=TIME_MS))}
    group = tile_group(time_ms=TIME_MS, spans=((0, 10),), topic_id="11")
    change = folded([group], known)

    assert change.states[key()].reach == Reach("11", 0, 10)
    assert change.tiles["flow"][flow_of(key()), TIME_MS].overlap_offsets == 0


def test_two_stretches_in_one_record_are_taken_in_their_order() -> None:
    old = tile_group(time_ms=TIME_MS, spans=((90, 100),), topic_id="00", position=1, state="replicating")
    new = tile_group(time_ms=TIME_MS, spans=((0, 10),), topic_id="11", position=2, state="caught_up")

    for order in ([old, new], [new, old]):
        change = folded([_fresh(group) for group in order])
        assert change.states[key()].reach == Reach("11", 0, 10)
        assert change.states[key()].now.state == "caught_up"


def test_a_partition_that_moved_to_another_task_is_taken_in_the_order_of_the_reports() -> None:
    later = tile_group(time_ms=TIME_MS + 10_000, spans=((10, 20),), raw_partition=0, raw_offset=7)
    earlier = tile_group(time_ms=TIME_MS, spans=((0, 10),), raw_partition=3, raw_offset=99)
    change = folded([later, earlier])

    assert change.states[key()].reach == Reach("00", 0, 20)
    assert sum(tile.hole_offsets + tile.overlap_offsets for tile in change.tiles["flow"].values()) == 0


def test_the_lag_of_a_topic_is_the_sum_over_all_its_partitions() -> None:
    states = {
        key(partition=1): PartitionProgress(Reach("00", 0, 1), now(last_ms=TIME_MS, lag=30)),
        key(partition=2): PartitionProgress(Reach("00", 0, 1), now(last_ms=TIME_MS - MEMBER_WITHIN_MS, lag=500)),
    }
    group = tile_group(time_ms=TIME_MS, spans=((0, 10),), lag=4)
    change = folded([group], states)

    assert change.tiles["topic"][topic_of(key()), TIME_MS].lag_last == 34
    assert change.tiles["flow"][flow_of(key()), TIME_MS].lag_max == 34
    assert change.rollup_totals[flow_of(key())].lag == 34


@pytest.mark.parametrize(
    ("silent_ms", "lag"), [(HEARD_WITHIN_MS, 1_000_000), (0, None)], ids=["silent", "of unknown lag"]
)
def test_one_partition_that_is_silent_or_unknown_makes_the_lag_of_all_unknown(silent_ms: int, lag: int | None) -> None:
    states = {key(partition=1): PartitionProgress(Reach("00", 0, 1), now(last_ms=TIME_MS - silent_ms, lag=lag))}
    change = folded([tile_group(time_ms=TIME_MS, spans=((0, 10),), lag=0)], states)

    assert change.tiles["topic"][topic_of(key()), TIME_MS].lag_last is None
    assert change.rollup_totals[flow_of(key())].lag is None


def test_a_late_report_does_not_replace_a_newer_one() -> None:
    states = {key(): PartitionProgress(Reach("00", 0, 10), now(last_ms=TIME_MS + 60_000, lag=7))}
    change = folded([tile_group(time_ms=TIME_MS, spans=((10, 20),), lag=900)], states)

    assert (change.states[key()].now.lag, change.states[key()].reach.next_offset) == (7, 20)
    assert change.rollup_totals[flow_of(key())].lag == 7


def test_a_clock_that_was_far_ahead_does_not_hide_later_reports() -> None:
    states = {key(): PartitionProgress(Reach("00", 0, 10), now(last_ms=TIME_MS + 2 * MEMBER_WITHIN_MS, lag=7))}
    change = folded([tile_group(time_ms=TIME_MS, spans=((10, 20),), lag=900)], states)

    assert change.states[key()].now.lag == 900


def test_a_driver_whose_clock_is_ahead_makes_no_other_flow_unknown() -> None:
    states = {
        key(source="other", partition=n): PartitionProgress(Reach("00", 0, 1), now(last_ms=TIME_MS + 10_000, lag=3))
        for n in range(2)
    }
    ahead = tile_group(time_ms=TIME_MS + HEARD_WITHIN_MS + 10_000, spans=((0, 10),), lag=4)
    right = tile_group(time_ms=TIME_MS, spans=((0, 10),), lag=6)
    change = folded([ahead, _of_source("other", right)], states)

    assert [change.rollup_totals[each].lag for each in (flow_of(key()), flow_of(key(source="other")))] == [4, 9]
    assert [change.rollup_totals[each].lag for each in (topic_of(key()), topic_of(key(source="other")))] == [4, 9]


@pytest.mark.parametrize("ahead_ms", [0, 9_000], ids=["alone", "beside a clock that is ahead"])
def test_whether_a_flow_is_silent_in_a_tile_does_not_depend_on_the_clocks_of_others(ahead_ms: int) -> None:
    silent_ms = TIME_MS + 5_000 - HEARD_WITHIN_MS
    states = {key(partition=1): PartitionProgress(Reach("00", 0, 1), now(last_ms=silent_ms, lag=30))}
    early = tile_group(time_ms=TIME_MS, spans=((0, 10),))
    groups = [replace(early, now=now(last_ms=TIME_MS + 1))]
    if ahead_ms:
        groups.append(replace(_of_source("other", _fresh(early)), now=now(last_ms=TIME_MS + ahead_ms)))

    assert folded(groups, states).tiles["flow"][flow_of(key()), TIME_MS].lag_last is None


def test_a_late_record_does_not_write_the_lag_of_today_into_its_old_tile() -> None:
    states = {
        key(partition=n): PartitionProgress(Reach("00", 0, 10), now(last_ms=TIME_MS + 1_800_000, lag=7))
        for n in range(3)
    }
    change = folded([tile_group(time_ms=TIME_MS, spans=((10, 20),), lag=900)], states)

    assert change.tiles["topic"][topic_of(key()), TIME_MS].lag_last is None
    assert change.tiles["flow"][flow_of(key()), TIME_MS].lag_last is None
    assert change.tiles["partition"][key(), TIME_MS].lag_last == 900
    assert change.rollup_totals[flow_of(key())].lag == 21


def test_a_lag_that_was_not_measured_stays_unknown() -> None:
    change = folded([tile_group(time_ms=TIME_MS, spans=((0, 10),), lag=None)])

    assert change.tiles["flow"][flow_of(key()), TIME_MS].lag_last is None
    assert change.rollup_totals[flow_of(key())].lag is None


def test_the_state_of_a_flow_is_its_worst_partition() -> None:
    groups = [
        tile_group(time_ms=TIME_MS, spans=((0, 1),), partition=0, state="replicating"),
        tile_group(time_ms=TIME_MS, spans=((0, 1),), partition=1, state="stalled"),
    ]

    assert folded(groups).rollup_totals[flow_of(key())].state == "stalled"
    assert worst_state(["caught_up", "never heard of"]) == "never heard of"


def test_a_task_in_two_raw_partitions_has_counted_up_to_its_highest_record_in_each() -> None:
    heads = [
        head(task="a/source/0", boot="x", seq=9, raw_partition=0),
        head(task="a/source/0", boot="x", seq=4, raw_partition=1),
        head(task="a/source/0", boot="x", seq=6, raw_partition=1),
        head(task="a/source/0", boot="x", raw_partition=2),
    ]

    assert seqs_of(heads) == {
        ("a/source/0", "x", 0): (9, 1_790_000_000_000),
        ("a/source/0", "x", 1): (6, 1_790_000_000_000),
    }


def test_what_was_read_is_the_union_over_the_tasks_of_a_raw_partition() -> None:
    heads = [
        head(first=5, last=9, task="a/source/0", boot="x", seq=4),
        head(first=3, last=7, bad=2, sample="broken"),
        head(first=0, last=1, raw_partition=1),
    ]
    totals = united_heads(head_totals(sorted(heads, key=lambda each: each.partition)))

    assert totals.read == {(RAW_TOPIC, 0): (3, 10), (RAW_TOPIC, 1): (0, 2)}
    assert totals.bad == {(RAW_TOPIC, 0): BadRecords(count=2, sample="broken")}
    assert totals.seqs == {("a/source/0", "x", 0): (4, 1_790_000_000_000)}


def test_a_partition_with_a_broken_clock_that_fell_silent_does_not_make_its_flow_unknown_for_as_long() -> None:
    gone = now(last_ms=TIME_MS + 2 * MEMBER_WITHIN_MS, lag=50)
    states = {key(topic="gone"): PartitionProgress(Reach("00", 0, 1), gone)}
    change = folded([tile_group(time_ms=TIME_MS, spans=((0, 10),), lag=8)], states, now_ms=TIME_MS)

    assert change.rollup_totals[flow_of(key())].lag == 8


def test_a_driver_with_a_broken_clock_affects_only_itself() -> None:
    groups = [
        tile_group(time_ms=TIME_MS, spans=((0, 10),), topic="a", lag=8),
        tile_group(time_ms=TIME_MS + 2 * MEMBER_WITHIN_MS, spans=((0, 10),), topic="broken", lag=50),
    ]
    change = folded(groups, now_ms=TIME_MS)

    assert {row.topic: each.lag for row, each in change.rollup_totals.items()} == {"a": 8, "broken": 50, "": 8}


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60), st.integers(0, 20), st.integers(0, 4)), max_size=40))
def test_tiles_do_not_depend_on_where_the_stream_is_cut_into_batches(reports: list[tuple[int, int, int, int]]) -> None:
    groups = [
        tile_group(
            time_ms=TIME_MS + tile * 10_000,
            spans=((start, start + length),),
            partition=partition,
            raw_partition=partition,
            raw_offset=offset,
        )
        for offset, (partition, start, length, tile) in enumerate(reports)
    ]
    cut = random.Random(len(reports)).randint(0, len(groups))

    assert _counts([groups]) == _counts([groups[:cut], groups[cut:]])


def _counts(batches: Sequence[Sequence[TileGroup]]) -> dict[tuple[SeriesKey, int], tuple[int, ...]]:
    """Partition tiles added up over the batches, as the store does."""
    states: dict[SeriesKey, PartitionProgress] = {}
    total: dict[tuple[SeriesKey, int], TileSums] = {}
    for batch in batches:
        change = folded([_fresh(group) for group in batch], states)
        states.update(change.states)
        for at, sums in change.tiles["partition"].items():
            total.setdefault(at, TileSums()).merge(sums)
    return {
        at: (tile.records, tile.covered_offsets, tile.hole_offsets, tile.overlap_offsets, tile.latency.count)
        for at, tile in total.items()
    }


def _of_source(source: str, group: TileGroup) -> TileGroup:
    return replace(group, key=key(source=source), topic=topic_of(key(source=source)))


def _fresh(group: TileGroup) -> TileGroup:
    """With its own sums: folding adds to them."""
    sums = TileSums()
    sums.merge(group.sums)
    return replace(group, sums=sums)
