"""Figures of the last half minute to minute, as MirrorMaker's sensors keep them."""

from replication.domain.reporting.recent_figures import SAMPLE_MS, RecentFigures, Spread

START_MS = 1_000_000


def test_nothing_is_known_before_the_first_record() -> None:
    figures = RecentFigures()

    assert figures.per_second(START_MS) == (0.0, 0.0)
    assert figures.latency(START_MS) == figures.age(START_MS) == Spread()


def test_rates_and_spreads_cover_the_last_two_samples() -> None:
    figures = RecentFigures()
    for number, latency_ms in enumerate((10, 30, 20)):
        at_ms = START_MS + number * SAMPLE_MS // 2
        figures.count(at_ms, 100, 1_000)
        figures.note_times(at_ms, 100, latency_ms=latency_ms, age_ms=latency_ms - 5)

    now_ms = START_MS + SAMPLE_MS
    assert figures.latency(now_ms) == Spread(last=20, avg=20.0, max=30, min=10)
    assert figures.age(now_ms) == Spread(last=15, avg=15.0, max=25, min=5)
    assert figures.per_second(now_ms) == (10.0, 100.0)


def test_averages_are_weighted_by_records() -> None:
    figures = RecentFigures()
    figures.note_times(START_MS, 3, latency_ms=0, age_ms=0)
    figures.note_times(START_MS, 1, latency_ms=100, age_ms=0)

    assert figures.latency(START_MS).avg == 25.0


def test_a_quiet_partition_keeps_its_last_value_and_has_no_average() -> None:
    figures = RecentFigures()
    figures.count(START_MS, 100, 1_000)
    figures.note_times(START_MS, 100, latency_ms=7, age_ms=3)

    later_ms = START_MS + 2 * SAMPLE_MS
    assert figures.per_second(later_ms) == (0.0, 0.0)
    assert figures.latency(later_ms) == Spread(last=7)


def test_old_samples_are_forgotten() -> None:
    figures = RecentFigures()
    figures.note_times(START_MS, 1, latency_ms=9_000, age_ms=0)
    for number in (1, 2):
        figures.note_times(START_MS + number * SAMPLE_MS, 1, latency_ms=5, age_ms=0)

    assert figures.latency(START_MS + 2 * SAMPLE_MS).max == 5
