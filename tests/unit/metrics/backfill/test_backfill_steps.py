import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.backfill.backfill_steps import HourRange, check_complete, cut_times, steps, wanted_range, within
from metrics.errors import JobError
from metrics.store.backfill.backfill_range import HOUR_MS
from metrics.stream.ledger import LedgerEntry

NOON_MS = 497_000 * HOUR_MS
IDLE, BUSY = ("raw", 0), ("raw", 1)


def test_a_range_is_widened_to_whole_hours() -> None:
    spec = {"from_ms": NOON_MS + 5, "to_ms": NOON_MS + HOUR_MS + 1, "from the future": 1}

    assert wanted_range(spec, NOON_MS + 9 * HOUR_MS) == HourRange(NOON_MS, NOON_MS + 2 * HOUR_MS)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({}, "from_ms and to_ms"),
        ({"from_ms": "5", "to_ms": 9}, "from_ms and to_ms"),
        ({"from_ms": NOON_MS, "to_ms": NOON_MS}, "2026-09-12T08:00Z, which is not before its end at 2026-09-12T08:00Z"),
        ({"from_ms": NOON_MS, "to_ms": NOON_MS + HOUR_MS + 1}, "reaches to .*T10:00Z.*end it at 2026-09-12T09:00Z"),
        ({"from_ms": NOON_MS - 750 * HOUR_MS, "to_ms": NOON_MS}, "from .*Z to .*Z is longer than 31 days"),
    ],
)
def test_a_range_that_cannot_be_counted_again_is_refused(spec: dict[str, object], complaint: str) -> None:
    with pytest.raises(JobError, match=complaint):
        wanted_range(spec, NOON_MS + HOUR_MS)


@pytest.mark.parametrize(
    ("log_start", "first_in_range", "is_complete"),
    [(0, None, True), (0, 0, True), (500, 501, True), (500, 500, False), (500, None, False)],
)
def test_expired_raw_metrics_are_noticed(log_start: int, first_in_range: int | None, is_complete: bool) -> None:
    if is_complete:
        check_complete("raw", 0, log_start=log_start, first_in_range=first_in_range)
    else:
        with pytest.raises(JobError, match="have expired"):
            check_complete("raw", 0, log_start=log_start, first_in_range=first_in_range)


def test_the_reading_is_cut_by_the_minute_until_what_was_sent_in_time_has_come() -> None:
    times = cut_times(HourRange(NOON_MS, NOON_MS + HOUR_MS))

    assert (times[0], times[1], times[-1]) == (NOON_MS, NOON_MS + 60_000, NOON_MS + HOUR_MS + 180_000)


def test_minutes_are_taken_together_while_their_records_are_few() -> None:
    cuts = [{IDLE: number, BUSY: 20 * number} for number in range(1, 8)]

    assert list(steps({IDLE: 0, BUSY: 0}, cuts, lambda: 65)) == [cuts[2], cuts[5], cuts[6]]


def test_a_minute_of_too_many_records_is_divided_in_the_same_proportion_everywhere() -> None:
    cuts = [{IDLE: 3, BUSY: 10}, {IDLE: 13, BUSY: 210}]

    found = list(steps({IDLE: 3, BUSY: 10}, cuts, lambda: 50))

    assert found == [{IDLE: 5, BUSY: 50}, {IDLE: 7, BUSY: 90}, {IDLE: 9, BUSY: 130}, {IDLE: 11, BUSY: 170}, cuts[1]]


def test_how_much_is_taken_at_once_is_asked_again_for_every_step() -> None:
    bounds = iter([10, 10, 1_000, 1_000])

    assert list(steps({BUSY: 0}, [{BUSY: 100}], lambda: next(bounds))) == [{BUSY: 10}, {BUSY: 20}, {BUSY: 100}]


def test_a_raw_partition_whose_cut_lies_before_the_last_one_waits() -> None:
    cuts = [{IDLE: 5, BUSY: 5}, {IDLE: 3, BUSY: 50}, {IDLE: 20, BUSY: 60}]

    assert list(steps({IDLE: 0, BUSY: 0}, cuts, lambda: 50)) == [{IDLE: 5, BUSY: 5}, {IDLE: 5, BUSY: 50}, cuts[2]]


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 9)), max_size=20),
    st.integers(1, 100),
)
def test_every_record_is_read_once_in_steps_that_are_bounded(moves: list[tuple[int, int]], most: int) -> None:
    at, cuts = {IDLE: 7, BUSY: 3}, list[dict[tuple[str, int], int]]()
    for busy, idle in moves:
        cuts.append({IDLE: (cuts or [at])[-1][IDLE] + idle, BUSY: (cuts or [at])[-1][BUSY] + busy})

    for to in steps(at, cuts, lambda: most):
        read = [to[raw] - at[raw] for raw in at]
        assert min(read) >= 0
        assert 0 < sum(read) <= most + len(at)
        at = dict(to)

    assert at == (cuts[-1] if cuts else {IDLE: 7, BUSY: 3})


def test_raw_partitions_that_the_stream_has_found_since_are_read_from_their_beginning() -> None:
    ledger = {IDLE: LedgerEntry("00", 7), BUSY: LedgerEntry("00", 9)}

    assert within({IDLE: 5}, ledger) == ({IDLE: 5, BUSY: 0}, {IDLE: 7, BUSY: 9})
