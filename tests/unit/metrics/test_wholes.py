from metrics.book import PartitionState, SeriesBook
from metrics.coverage import Reach
from metrics.transforms.group_rows import SeriesKey
from metrics.wholes import HEARD_WITHIN_MS, MEMBER_WITHIN_MS, flow_of, topic_of
from tests.support.metrics_builders import key, now

TIME_MS = 1_790_000_000_000


def book(*partitions: tuple[SeriesKey, int, int | None]) -> SeriesBook:
    """Of partitions with the time of their last report and their lag."""
    return SeriesBook(
        {each: PartitionState(Reach("00", 0, 1), now(last_ms=last_ms, lag=lag)) for each, last_ms, lag in partitions}
    )


def test_a_flow_is_the_sum_of_all_its_topics_also_those_that_did_not_report() -> None:
    known = book((key(topic="a"), TIME_MS, 3), (key(topic="b"), TIME_MS, 4), (key(source="other"), TIME_MS, 50))
    wholes = known.wholes([key(topic="a")])
    wholes.report(key(topic="a", partition=1), now(last_ms=TIME_MS, lag=10))

    flow = wholes.nows(TIME_MS)[flow_of(key())]
    assert (flow.lag, flow.records_per_second) == (17, 6.0)
    assert set(wholes.nows(TIME_MS)) == {topic_of(key(topic="a")), flow_of(key())}


def test_a_report_is_seen_after_its_topic_was_asked_for() -> None:
    wholes = book((key(), TIME_MS, 3)).wholes([key()])

    before = wholes.topic(topic_of(key()), TIME_MS).known_lag
    wholes.report(key(), now(last_ms=TIME_MS + 1, lag=8))
    assert (before, wholes.topic(topic_of(key()), TIME_MS + 1).known_lag) == (3, 8)


def test_what_was_committed_is_seen_by_the_next_batch() -> None:
    known = book((key(topic="a"), TIME_MS, 3), (key(topic="b"), TIME_MS, 4))
    known.wholes([key(topic="a")]).flow(flow_of(key()), TIME_MS)
    known.update({key(topic="b"): PartitionState(Reach("00", 0, 2), now(last_ms=TIME_MS, lag=40))})

    assert known.wholes([key(topic="a")]).flow(flow_of(key()), TIME_MS).known_lag == 43


def test_a_topic_that_falls_silent_makes_the_lag_unknown_until_it_is_taken_to_be_deleted() -> None:
    known = book((key(topic="a"), TIME_MS + MEMBER_WITHIN_MS + 1, 3), (key(topic="b"), TIME_MS, 4))
    wholes = known.wholes([key(topic="a")])

    def lag(after_ms: int) -> int | None:
        return wholes.flow(flow_of(key()), TIME_MS + after_ms).known_lag

    assert [lag(HEARD_WITHIN_MS), lag(HEARD_WITHIN_MS + 1), lag(MEMBER_WITHIN_MS), lag(MEMBER_WITHIN_MS + 1)] == [
        *(7, None, None, 3),
    ]
    assert lag(HEARD_WITHIN_MS) == 7  # an earlier tile may be asked for after a later one
