"""Figures of the last half minute, from the periods of raw metrics."""

from replication.domain.reporting.histogram import Histogram
from replication.domain.reporting.recent_figures import WINDOW_MS, RecentFigures, Spread

START_MS = 1_000_000


def histogram(*values: tuple[int, int]) -> Histogram:
    made = Histogram()
    for ms, records in values:
        made.add(ms, records)
    return made


def test_nothing_is_known_before_the_first_record() -> None:
    figures = RecentFigures()

    assert figures.per_second(START_MS) == (0.0, 0.0)
    assert figures.latency(START_MS) == figures.age(START_MS) == Spread()


def test_rates_and_spreads_cover_the_window() -> None:
    figures = RecentFigures()
    figures.note(START_MS, 100, 1_000, histogram((10, 100)), histogram((5, 100)))
    figures.note(START_MS + 5_000, 200, 5_000, histogram((20, 100), (60, 100)), histogram((7, 200)))

    now_ms = START_MS + 6_000
    assert figures.latency(now_ms) == Spread(last=40, avg=30.0, max=60, min=10)
    assert figures.age(now_ms) == Spread(last=7, avg=19 / 3, max=7, min=5)
    assert figures.per_second(now_ms) == (10.0, 200.0)


def test_a_quiet_partition_keeps_its_last_value_and_has_no_average() -> None:
    figures = RecentFigures()
    figures.note(START_MS, 100, 1_000, histogram((7, 100)), histogram((3, 100)))

    later_ms = START_MS + WINDOW_MS
    assert figures.per_second(later_ms) == (0.0, 0.0)
    assert figures.latency(later_ms) == Spread(last=7)


def test_old_periods_are_forgotten() -> None:
    figures = RecentFigures()
    for number, latency_ms in enumerate((9_000, 5, 5)):
        figures.note(START_MS + number * WINDOW_MS // 2, 1, 1, histogram((latency_ms, 1)), histogram((0, 1)))

    assert figures.latency(START_MS + WINDOW_MS).max == 5


def test_records_without_a_timestamp_count_and_have_no_latency() -> None:
    figures = RecentFigures()
    figures.note(START_MS, 300, 3_000, Histogram(), Histogram())

    assert figures.per_second(START_MS) == (10.0, 100.0)
    assert figures.latency(START_MS) == Spread()
