from hypothesis import given
from hypothesis import strategies as st

from replication.domain.offsets.offset_run import MAX_RUNS_PER_SEGMENT, MAX_SEGMENT_AGE_S, OffsetRun, RunLog

TOPIC_ID = bytes(range(16))


def test_contiguous_batches_with_one_shift_are_one_run() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    log.add(10, 5, 3, 0)
    log.add(13, 8, 2, 1)

    segment = log.close_segment(2, closing=True)
    assert segment is not None
    assert segment.runs == (OffsetRun(10, 5, 5),)


def test_a_segment_stays_open_until_it_is_old_or_full() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    log.add(0, 0, 1, 1_000)

    assert log.close_segment(1_000 + MAX_SEGMENT_AGE_S - 1) is None
    assert log.close_segment(1_000 + MAX_SEGMENT_AGE_S) is not None
    for number in range(MAX_RUNS_PER_SEGMENT):
        log.add(number * 2, number, 1, 1_000)
    assert log.close_segment(1_001) is not None
    assert log.close_segment(1_001, closing=True) is None


def test_a_segment_that_is_being_collected_tells_where_it_begins() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    assert log.begins_at is None
    log.add(10, 5, 3, 0)
    assert log.begins_at == 10
    log.add(20, 8, 2, 1)
    assert log.begins_at == 10

    log.close_segment(2, closing=True)

    assert log.begins_at is None


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 3)), min_size=1, max_size=60))
def test_every_copied_offset_translates_and_no_other_does(batches: list[tuple[int, int]]) -> None:
    log = RunLog("t", 0, TOPIC_ID)
    expected: dict[int, int] = {}
    upstream = downstream = 0
    for length, gap in batches:
        upstream += gap
        log.add(upstream, downstream, length, 0)
        expected.update({upstream + i: downstream + i for i in range(length)})
        upstream, downstream = upstream + length, downstream + length

    segment = log.close_segment(0, closing=True)
    assert segment is not None
    for offset in range(upstream + 3):
        found = [place for run in segment.runs if (place := run.translate(offset)) is not None]
        assert found == ([expected[offset]] if offset in expected else [])
