from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.offset_run import OffsetRun, RunSegment
from replication.domain.offsets.offset_run_retention import CopiedPartition, RunRetention
from replication.domain.offsets.positions import NO_TOPIC_ID

ORDERS = TopicPartition("orders", 0)
NOW, FORMER = bytes([2] * 16), bytes([1] * 16)


def segment(upstream: int, downstream: int, topic_id: bytes = NOW, topic: str = "orders") -> tuple[bytes, RunSegment]:
    """Ten records, under the key of its first."""
    runs = (OffsetRun(upstream, downstream, 10),)
    return b"%s-%d" % (topic.encode(), upstream), RunSegment(topic, 0, topic_id, runs)


def removed(
    *segments: tuple[bytes, RunSegment | None], log_start: int = 0, topic_id: bytes = NOW, written_to: int = 1_000
) -> list[bytes]:
    retention = RunRetention({ORDERS: CopiedPartition(topic_id, log_start, written_to)})
    for key, each in segments:
        retention.add(key, each)
    found = list(retention.outdated())
    assert {upstream for upstream, _key in found} <= {ORDERS}
    return [key for _upstream, key in found]


def test_segments_whose_copies_are_deleted_go() -> None:
    segments = segment(0, 100), segment(10, 110), segment(20, 120), segment(30, 130)

    assert removed(*segments, log_start=121) == [b"orders-0", b"orders-10"]


def test_a_segment_that_reaches_the_first_copy_stays() -> None:
    assert removed(segment(0, 100), segment(10, 110), log_start=110) == []


def test_a_segment_whose_key_may_be_written_again_stays() -> None:
    segments = segment(0, 100), segment(10, 110), segment(20, 120)

    assert removed(*segments, log_start=500, written_to=10) == [b"orders-0"]


def test_a_segment_that_was_written_again_counts_as_it_is_now() -> None:
    key, short = segment(0, 100)
    longer = RunSegment("orders", 0, NOW, (*short.runs, OffsetRun(10, 111, 50)))

    assert removed((key, short), (key, longer), segment(60, 170), log_start=120) == []
    assert removed((key, short), (key, longer), segment(60, 170), log_start=162) == [key]


def test_the_newest_segment_stays_although_all_copies_are_deleted() -> None:
    assert removed(segment(0, 100), segment(10, 110), log_start=500) == [b"orders-0"]


def test_of_a_former_topic_one_segment_stays_while_its_copies_are_there() -> None:
    former = [segment(100, 0, FORMER), segment(110, 10, FORMER), segment(120, 20, FORMER)]
    segments = (*former, segment(0, 30), segment(10, 40))

    assert removed(*segments) == [b"orders-100", b"orders-110"]
    assert removed(*segments, log_start=35) == [b"orders-100", b"orders-110", b"orders-120"]


def test_a_former_topic_stays_until_something_of_the_new_one_is_copied() -> None:
    assert removed(segment(100, 0, FORMER), segment(110, 10, FORMER), topic_id=NOW) == []


def test_an_unknown_topic_is_not_a_former_one() -> None:
    assert removed(segment(0, 0, NO_TOPIC_ID), segment(10, 10, NO_TOPIC_ID), segment(20, 20)) == []
    assert removed(segment(0, 0, FORMER), segment(10, 10, FORMER), segment(20, 20), topic_id=NO_TOPIC_ID) == []


def test_a_segment_written_again_under_its_key_counts_as_it_is_now() -> None:
    segments = segment(0, 100), segment(10, 110), segment(0, 300), segment(10, 310)

    assert removed(*segments, log_start=200) == []


def test_what_was_removed_is_not_removed_again() -> None:
    gone, _runs = segment(0, 100)

    assert removed(segment(0, 100), segment(10, 110), (gone, None), segment(20, 300), log_start=200) == [b"orders-10"]


def test_partitions_of_others_are_left_alone() -> None:
    assert removed(segment(0, 0, topic="others"), segment(10, 10, topic="others"), log_start=500) == []


def test_the_oldest_go_first_and_no_more_than_so_many_at_once() -> None:
    segments = [segment(10 * number, 10 * number) for number in range(9)]
    retention = RunRetention({ORDERS: CopiedPartition(NOW, 500, 1_000)}, 3)
    for key, each in segments:
        retention.add(key, each)

    assert [key for _upstream, key in retention.outdated()] == [b"orders-0", b"orders-10", b"orders-20"]
    assert retention.is_full
