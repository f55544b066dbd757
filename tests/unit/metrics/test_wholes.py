import pytest

from metrics.book import PartitionState, SeriesBook
from metrics.coverage import Reach
from metrics.transforms.group_rows import Now, SeriesKey, flow_of, topic_of
from metrics.wholes import HEARD_WITHIN_MS, MEMBER_WITHIN_MS, Wholes
from tests.support.metrics_builders import key, now

TIME_MS = 1_790_000_000_000


def book(*partitions: tuple[SeriesKey, int, int | None]) -> SeriesBook:
    """Of partitions with the time of their last report and their lag."""
    return SeriesBook(
        {each: PartitionState(Reach("00", 0, 1), now(last_ms=last_ms, lag=lag)) for each, last_ms, lag in partitions}
    )


def report(wholes: Wholes, of: SeriesKey, said: Now) -> None:
    wholes.report(topic_of(of), [(of, said)])


def test_a_flow_is_the_sum_of_all_its_topics_also_those_that_did_not_report() -> None:
    known = book((key(topic="a"), TIME_MS, 3), (key(topic="b"), TIME_MS, 4), (key(source="other"), TIME_MS, 50))
    wholes = known.wholes([topic_of(key(topic="a"))])
    report(wholes, key(topic="a", partition=1), now(last_ms=TIME_MS, lag=10))

    flow = wholes.nows()[flow_of(key())]
    assert (flow.lag, flow.records_per_second) == (17, 6.0)
    assert set(wholes.nows()) == {topic_of(key(topic="a")), flow_of(key())}


def test_a_report_is_seen_after_its_topic_was_asked_for() -> None:
    wholes = book((key(), TIME_MS, 3)).wholes([topic_of(key())])

    before = wholes.topic(topic_of(key()), TIME_MS).known_lag
    report(wholes, key(), now(last_ms=TIME_MS + 1, lag=8))
    assert (before, wholes.topic(topic_of(key()), TIME_MS + 1).known_lag) == (3, 8)


def test_what_was_committed_is_seen_by_the_next_batch() -> None:
    known = book((key(topic="a"), TIME_MS, 3), (key(topic="b"), TIME_MS, 4))
    known.wholes([topic_of(key(topic="a"))]).flow(flow_of(key()), TIME_MS)
    known.update({key(topic="b"): PartitionState(Reach("00", 0, 2), now(last_ms=TIME_MS, lag=40))})

    assert known.wholes([topic_of(key(topic="a"))]).flow(flow_of(key()), TIME_MS).known_lag == 43


def test_a_topic_that_falls_silent_makes_the_lag_unknown_until_it_is_taken_to_be_deleted() -> None:
    wholes = book((key(topic="a"), TIME_MS, 1), (key(topic="b"), TIME_MS, 4)).wholes([topic_of(key(topic="a"))])

    def lag(after_ms: int) -> int | None:
        report(wholes, key(topic="a"), now(last_ms=TIME_MS + after_ms, lag=3))
        return wholes.flow(flow_of(key()), TIME_MS + after_ms).known_lag

    assert [lag(HEARD_WITHIN_MS), lag(HEARD_WITHIN_MS + 1), lag(MEMBER_WITHIN_MS), lag(MEMBER_WITHIN_MS + 1)] == [
        *(7, None, None, 3),
    ]


def test_an_earlier_time_may_be_asked_for_after_a_later_one() -> None:
    known = book((key(topic="a"), TIME_MS + HEARD_WITHIN_MS, 3), (key(topic="b"), TIME_MS, 4))
    wholes = known.wholes([topic_of(key(topic="a"))])

    def lag(after_ms: int) -> int | None:
        return wholes.flow(flow_of(key()), TIME_MS + after_ms).known_lag

    assert [lag(after_ms) for after_ms in (HEARD_WITHIN_MS + 1, HEARD_WITHIN_MS, 0, -1, 0)] == [None, 7, 7, None, 7]


@pytest.mark.parametrize("reporting", ["a", "b"], ids=["by its own topic", "by another topic of the flow"])
def test_a_lag_of_long_after_a_time_says_nothing_of_that_time(reporting: str) -> None:
    known = book((key(topic="a"), TIME_MS, 3), (key(topic="b"), TIME_MS, 4))
    late_ms = TIME_MS - HEARD_WITHIN_MS - 1
    wholes = known.wholes([topic_of(key(topic=reporting))])

    assert wholes.flow(flow_of(key()), TIME_MS).known_lag == 7
    report(wholes, key(topic=reporting, partition=1), now(last_ms=late_ms, lag=100))

    assert wholes.topic(topic_of(key(topic="a")), late_ms).known_lag is None
    assert wholes.flow(flow_of(key()), late_ms).known_lag is None
    assert wholes.flow(flow_of(key()), late_ms + 1).known_lag == 107
    assert wholes.flow(flow_of(key()), late_ms).known_lag is None


def test_sums_that_are_remembered_for_one_time_do_not_answer_for_an_earlier_one() -> None:
    known = book((key(topic="a"), TIME_MS, 3), (key(topic="b"), TIME_MS, 4))

    def lag(at_ms: int) -> int | None:
        return known.wholes([topic_of(key(topic="a"))]).topic(topic_of(key(topic="b")), at_ms).known_lag

    assert [lag(TIME_MS), lag(TIME_MS - MEMBER_WITHIN_MS)] == [4, None]


def test_a_partition_with_a_broken_clock_that_fell_silent_does_not_make_its_flow_unknown_for_as_long() -> None:
    known = book((key(topic="a"), TIME_MS, 3), (key(topic="gone"), TIME_MS + 2 * MEMBER_WITHIN_MS, 50))
    wholes = known.wholes([topic_of(key(topic="a"))], now_ms=TIME_MS)
    report(wholes, key(topic="a"), now(last_ms=TIME_MS + 1, lag=8))

    assert wholes.flow(flow_of(key()), TIME_MS).known_lag == 8
    assert wholes.nows()[flow_of(key())].lag == 8


def test_a_driver_with_a_broken_clock_judges_nobody_but_itself() -> None:
    wholes = book().wholes([topic_of(key(topic="a")), topic_of(key(topic="broken"))], now_ms=TIME_MS)
    report(wholes, key(topic="a"), now(last_ms=TIME_MS, lag=8))
    report(wholes, key(topic="broken"), now(last_ms=TIME_MS + 2 * MEMBER_WITHIN_MS, lag=50))

    lags = {row.topic: each.lag for row, each in wholes.nows().items()}
    assert lags == {"a": 8, "broken": 50, "": 8}
