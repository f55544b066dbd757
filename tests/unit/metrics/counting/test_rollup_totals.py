import math
from collections import defaultdict

import pytest

from metrics.counting.group_rows import LatestReport, SeriesKey, flow_of, topic_of
from metrics.counting.rollup_totals import HEARD_WITHIN_MS, MEMBER_WITHIN_MS, RollupTotals, newer
from tests.support.metrics.metrics_builders import key, now

TIME_MS = 1_790_000_000_000
EARLIER_MS = TIME_MS - MEMBER_WITHIN_MS


def totals(*partitions: tuple[SeriesKey, int, int | None], now_ms: float = math.inf) -> RollupTotals:
    """Of one flow's partitions with the time of their last report and their lag."""
    topics: defaultdict[SeriesKey, dict[SeriesKey, LatestReport]] = defaultdict(dict)
    for each, last_ms, lag in partitions:
        topics[topic_of(each)][each] = now(last_ms=last_ms, lag=lag)
    return RollupTotals(topics, {flow_of(key()): list(topics)}, now_ms)


def report(rollup_totals: RollupTotals, of: SeriesKey, said: LatestReport) -> None:
    rollup_totals.report(topic_of(of), [(of, said)])


def test_a_flow_is_the_sum_of_all_its_topics_also_those_that_did_not_report() -> None:
    rollup_totals = totals((key(topic="a"), TIME_MS, 3), (key(topic="b"), TIME_MS, 4))
    report(rollup_totals, key(topic="a", partition=1), now(last_ms=TIME_MS, lag=10))

    flow = rollup_totals.flow(flow_of(key()), TIME_MS)
    assert (flow.known_lag, flow.records_per_second) == (17, 6.0)
    assert rollup_totals.newest() == {topic_of(key(topic="a")): TIME_MS, topic_of(key(topic="b")): TIME_MS}


def test_a_report_is_seen_after_its_topic_was_asked_for() -> None:
    rollup_totals = totals((key(), TIME_MS, 3))

    before = rollup_totals.topic(topic_of(key()), TIME_MS).known_lag
    report(rollup_totals, key(), now(last_ms=TIME_MS + 1, lag=8))
    assert (before, rollup_totals.topic(topic_of(key()), TIME_MS + 1).known_lag) == (3, 8)


def test_a_topic_that_falls_silent_makes_the_lag_unknown_until_it_is_taken_to_be_deleted() -> None:
    rollup_totals = totals((key(topic="a"), TIME_MS, 1), (key(topic="b"), TIME_MS, 4))

    def lag(after_ms: int) -> int | None:
        report(rollup_totals, key(topic="a"), now(last_ms=TIME_MS + after_ms, lag=3))
        return rollup_totals.flow(flow_of(key()), TIME_MS + after_ms).known_lag

    assert [lag(HEARD_WITHIN_MS), lag(HEARD_WITHIN_MS + 1), lag(MEMBER_WITHIN_MS), lag(MEMBER_WITHIN_MS + 1)] == [
        *(7, None, None, 3),
    ]


def test_an_earlier_time_may_be_asked_for_after_a_later_one() -> None:
    rollup_totals = totals((key(topic="a"), TIME_MS + HEARD_WITHIN_MS, 3), (key(topic="b"), TIME_MS, 4))

    def lag(after_ms: int) -> int | None:
        return rollup_totals.flow(flow_of(key()), TIME_MS + after_ms).known_lag

    assert [lag(after_ms) for after_ms in (HEARD_WITHIN_MS + 1, HEARD_WITHIN_MS, 0, -1, 0)] == [None, 7, 7, None, 7]


@pytest.mark.parametrize("reporting", ["a", "b"], ids=["by its own topic", "by another topic of the flow"])
def test_a_lag_of_long_after_a_time_says_nothing_of_that_time(reporting: str) -> None:
    rollup_totals = totals((key(topic="a"), TIME_MS, 3), (key(topic="b"), TIME_MS, 4))
    late_ms = TIME_MS - HEARD_WITHIN_MS - 1

    assert rollup_totals.flow(flow_of(key()), TIME_MS).known_lag == 7
    report(rollup_totals, key(topic=reporting, partition=1), now(last_ms=late_ms, lag=100))

    assert rollup_totals.topic(topic_of(key(topic="a")), late_ms).known_lag is None
    assert rollup_totals.flow(flow_of(key()), late_ms).known_lag is None
    assert rollup_totals.flow(flow_of(key()), late_ms + 1).known_lag == 107
    assert rollup_totals.flow(flow_of(key()), late_ms).known_lag is None


def test_sums_that_are_remembered_for_one_time_do_not_answer_for_an_earlier_one() -> None:
    rollup_totals = totals((key(topic="b"), TIME_MS, 4))

    lags = [rollup_totals.topic(topic_of(key(topic="b")), at_ms).known_lag for at_ms in (TIME_MS, EARLIER_MS, TIME_MS)]

    assert lags == [4, None, 4]


def test_a_partition_with_a_broken_clock_that_fell_silent_is_no_member_of_its_flow() -> None:
    broken_ms = TIME_MS + 2 * MEMBER_WITHIN_MS
    rollup_totals = totals((key(topic="a"), TIME_MS, 3), (key(topic="gone"), broken_ms, 50), now_ms=TIME_MS)
    report(rollup_totals, key(topic="a"), now(last_ms=TIME_MS + 1, lag=8))

    assert rollup_totals.flow(flow_of(key()), TIME_MS).known_lag == 8


@pytest.mark.parametrize(("covered_to", "kept_ms"), [(50, TIME_MS - 9), (51, None)])
def test_a_restarted_driver_keeps_the_time_of_the_last_record_until_it_has_copied_one(
    covered_to: int, kept_ms: int | None
) -> None:
    known = now(last_ms=TIME_MS, covered_to=50)._replace(last_record_ms=TIME_MS - 9)

    assert newer(known, now(last_ms=TIME_MS + 1, covered_to=covered_to)).last_record_ms == kept_ms
