from hypothesis import given
from hypothesis import strategies as st

from replication.domain.offsets.offset_run import (
    MAX_OPEN_RUNS,
    MAX_UNWRITTEN_RUNS,
    RUNS_TO_WRITE,
    OffsetRun,
    RunLog,
    Runs,
)

TOPIC_ID = bytes(range(16))


def taken(log: RunLog) -> Runs:
    found = log.next_segment()
    assert found is not None
    return found.segment.runs


def test_contiguous_batches_with_one_shift_are_one_run() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    log.add(10, 5, 3)
    log.add(13, 8, 2)

    assert taken(log) == (OffsetRun(10, 5, 5),)


def test_a_segment_is_taken_again_only_when_it_grew() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    assert log.next_segment() is None
    log.add(0, 0, 1)
    assert taken(log) == (OffsetRun(0, 0, 1),)
    assert log.next_segment() is None

    log.add(1, 1, 1)
    assert taken(log) == (OffsetRun(0, 0, 2),)

    log.restart(TOPIC_ID)
    assert log.next_segment() is None
    log.add(7, 9, 2)
    assert taken(log) == (OffsetRun(7, 9, 2),)


def test_behind_many_runs_another_segment_begins_with_the_last_one() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    for number in range(MAX_OPEN_RUNS + 1):
        log.add(number * 2, number, 1)
    first = taken(log)
    log.add(MAX_OPEN_RUNS * 2 + 1, MAX_OPEN_RUNS + 1, 4)
    log.add(1_000, 1_000, 1)

    assert len(first) == MAX_OPEN_RUNS + 1
    assert taken(log) == (OffsetRun(MAX_OPEN_RUNS * 2, MAX_OPEN_RUNS, 5), OffsetRun(1_000, 1_000, 1))


def test_a_segment_with_many_new_runs_is_due() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    for number in range(RUNS_TO_WRITE + 1):
        assert not log.is_due
        log.add(number * 2, number, 1)

    assert log.is_due
    assert len(taken(log)) == RUNS_TO_WRITE + 1
    assert not log.is_due


def test_a_segment_that_is_being_collected_tells_where_it_begins() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    assert log.begins_at is None
    log.add(10, 5, 3)
    assert log.begins_at == 10
    log.add(20, 8, 2)
    assert log.begins_at == 10

    log.restart(TOPIC_ID)

    assert log.begins_at is None


def test_runs_are_carried_until_a_segment_with_them_is_written() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    for number in range(3):
        log.add(number * 2, number, 1)
    segment = log.next_segment()
    assert segment is not None
    log.add(6, 3, 1)
    assert log.unwritten == tuple(OffsetRun(number * 2, number, 1) for number in range(4))

    log.note_written(segment.completed)

    assert log.unwritten == (OffsetRun(4, 2, 1), OffsetRun(6, 3, 1))


def test_not_more_runs_are_carried_than_a_position_holds() -> None:
    log = RunLog("t", 0, TOPIC_ID)
    for number in range(MAX_UNWRITTEN_RUNS * 3):
        log.add(number * 2, number, 1)

    assert len(log.unwritten) == MAX_UNWRITTEN_RUNS + 1
    assert log.unwritten[-1] == OffsetRun(MAX_UNWRITTEN_RUNS * 6 - 2, MAX_UNWRITTEN_RUNS * 3 - 1, 1)


Batches = list[tuple[int, int, int]]


@st.composite
def batches(draw: st.DrawFn) -> Batches:
    """Batches with gaps on both sides between some of them."""
    found: Batches = []
    upstream = downstream = 0
    for length, gap, marker in draw(
        st.lists(st.tuples(st.integers(1, 50), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=200)
    ):
        upstream, downstream = upstream + gap, downstream + marker
        found.append((upstream, downstream, length))
        upstream, downstream = upstream + length, downstream + length
    return found


@given(batches())
def test_every_copied_offset_translates_and_no_other_does(copied: Batches) -> None:
    log = RunLog("t", 0, TOPIC_ID)
    expected: dict[int, int] = {}
    for upstream, downstream, length in copied:
        log.add(upstream, downstream, length)
        expected.update({upstream + i: downstream + i for i in range(length)})

    runs = taken(log)
    for offset in range(max(expected) + 3):
        found = [place for run in runs if (place := run.translate(offset)) is not None]
        assert found == ([expected[offset]] if offset in expected else [])


@given(batches(), st.sets(st.integers(0, 200)), st.sets(st.integers(0, 200)), st.integers(0, 200))
def test_after_a_kill_the_segments_and_the_position_have_every_run(
    copied: Batches, taken_at: set[int], lost_at: set[int], committed_at: int
) -> None:
    """Segments are taken at some batches, some of them are never written, and the position is that of one batch."""
    written: dict[tuple[int, int], Runs] = {}
    log = RunLog("t", 0, TOPIC_ID)
    carried: Runs = ()
    last = min(committed_at, len(copied) - 1)
    for index, batch in enumerate(copied[: last + 1]):
        log.add(*batch)
        segment = log.next_segment() if index in taken_at else None
        if segment is not None and index not in lost_at:
            first = segment.segment.runs[0]
            written[first.upstream, first.downstream] = segment.segment.runs
            log.note_written(segment.completed)
        carried = log.unwritten
    after = RunLog("t", 0, TOPIC_ID)
    after.resume(TOPIC_ID, carried)
    first = taken(after)[0]
    written[first.upstream, first.downstream] = after.unwritten

    named = {place for runs in written.values() for run in runs for place in range(run.upstream, run.upstream_end)}
    everything = {place for upstream, _, length in copied[: last + 1] for place in range(upstream, upstream + length)}
    if len(carried) <= MAX_UNWRITTEN_RUNS:
        assert named == everything
    assert named <= everything


@given(batches(), st.integers(0, 200))
def test_what_a_transaction_adds_is_known_before_it_commits(copied: Batches, done: int) -> None:
    log = RunLog("t", 0, TOPIC_ID)
    for batch in copied[:done]:
        log.add(*batch)
    ahead = log.unwritten_after(copied[done:])
    for batch in copied[done:]:
        log.add(*batch)

    assert ahead == log.unwritten
