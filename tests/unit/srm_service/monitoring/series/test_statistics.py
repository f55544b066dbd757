"""Arithmetic on tiles."""

import json
from typing import Any

import pytest

from replication.domain.reporting.histogram import Histogram
from replication.domain.reporting.metric_defs import METRICS
from srm_service.monitoring.series.selectors import rounded_range
from srm_service.monitoring.series.statistics import points, quantile_points, statistics, steps
from srm_service.monitoring.series.tiles import COUNT_COLUMNS, TileHistogram, TileRow


def _row(time_ms: int, series_id: int = 1, width_ms: int = 10_000, **changes: Any) -> TileRow:
    latency = Histogram()
    for value_ms in changes.pop("latencies_ms", ()):
        latency.add(value_ms)
    buckets = json.dumps(latency.buckets)
    values: dict[str, Any] = {
        **dict.fromkeys(COUNT_COLUMNS, 0),
        "records": 100,
        "bytes": 1_000,
        "wire_bytes": 1_000,
        "lag_max": 9,
        "lag_last": 4,
        **changes,
    }
    histogram = TileHistogram(latency.count, latency.min_ms, latency.max_ms, latency.sum_ms, 0, buckets)
    return TileRow(series_id, time_ms, width_ms, tuple(values[name] for name in COUNT_COLUMNS), histogram)


def test_a_rate_is_weighted_by_the_width_of_its_tiles() -> None:
    rows = [_row(0, records=60_000, width_ms=60_000), _row(60_000, records=0, width_ms=10_000)]

    rate = statistics(METRICS["records_per_second"], rows)

    assert rate.avg == pytest.approx(60_000 / 70)
    assert (rate.min, rate.max, rate.sum, rate.count) == (0.0, 1_000.0, 60_000.0, 2)


def test_a_step_that_is_covered_in_part_gives_records_per_covered_second() -> None:
    rows = [_row(0, records=600), _row(30_000, records=0), _row(200_000, records=50)]  # silent from 40 s to 200 s

    found = steps(METRICS["records_per_second"], rows, from_ms=0, to_ms=240_000, step_ms=120_000)

    assert (found[0].avg, found[0].min, found[0].max) == (600 / 40, 0.0, 60.0)
    assert (found[120_000].avg, found[120_000].min) == (5.0, 5.0)


def test_silence_of_an_idle_series_is_covered_by_its_next_report_even_in_the_next_step() -> None:
    rows = [_row(0, records=600), _row(70_000, records=0)]

    (point,) = points(METRICS["records_per_second"], rows, from_ms=0, to_ms=60_000, step_ms=60_000)

    assert point is not None
    assert (point.avg, point.min, point.max, point.count) == (10.0, 0.0, 60.0, 1)


def test_a_wide_tile_that_is_known_to_be_half_covered_counts_for_that_time() -> None:
    rows = [_row(0, records=3_600, width_ms=3_600_000)]

    found = steps(
        METRICS["records_per_second"], rows, from_ms=0, to_ms=3_600_000, step_ms=3_600_000, covered=[(0, 1_800_000)]
    )

    assert found[0].avg == 2.0


def test_a_lag_is_weighted_by_its_tiles_alone() -> None:
    rows = [_row(0, lag_last=10), _row(50_000, lag_last=20)]

    lag = statistics(METRICS["lag_offsets"], rows)

    assert (lag.avg, lag.min) == (15.0, 10.0)


def test_nothing_measured_is_unknown_and_not_zero() -> None:
    for metric in ("records_per_second", "lag_offsets", "replication_latency_ms", "duplicates"):
        answer = statistics(METRICS[metric], [])
        assert (answer.avg, answer.sum, answer.count, answer.p95) == (None, None, None, None)


def test_unknown_lag_is_skipped() -> None:
    lag = statistics(METRICS["lag_offsets"], [_row(0, lag_last=None, lag_max=None), _row(10_000, lag_last=6)])

    assert (lag.avg, lag.min, lag.max, lag.count) == (6.0, 6.0, 9.0, 1)


def test_several_series_at_one_moment_are_added_up() -> None:
    rows = [_row(0, series_id=1), _row(0, series_id=2, records=300)]

    (point,) = points(METRICS["records_per_second"], rows, from_ms=0, to_ms=10_000, step_ms=10_000)

    assert point is not None
    assert (point.avg, point.count) == (40.0, 1)


def test_a_quantile_is_taken_over_all_records_not_over_averages() -> None:
    rows = [_row(0, latencies_ms=[10] * 99), _row(0, series_id=2, latencies_ms=[1_000])]

    first, second = quantile_points(rows, 0.95, from_ms=0, to_ms=20_000, step_ms=10_000)

    assert first is not None
    assert first.avg == pytest.approx(10, rel=0.1)
    assert second is None


def test_the_highest_lag_of_several_series_is_never_below_their_mean() -> None:
    rows = [_row(0, series_id=1, lag_last=100, lag_max=100), _row(0, series_id=2, lag_last=50, lag_max=100)]

    lag = statistics(METRICS["lag_offsets"], rows)

    assert (lag.avg, lag.max) == (150.0, 200.0)


@pytest.mark.parametrize(
    ("asked_ms", "step_ms"),
    [(1_000, 10_000), (15_000, 20_000), (60_000, 60_000), (90_000, 120_000), (5_400_000, 7_200_000)],
)
def test_a_step_is_made_of_whole_tiles_of_the_width_that_is_read(asked_ms: int, step_ms: int) -> None:
    at_ms = 1_790_000_000_000

    begin_ms, end_ms, found_ms = rounded_range(at_ms - 60_000, at_ms, asked_ms, at_ms)

    assert (found_ms, begin_ms % step_ms, end_ms % step_ms) == (step_ms, 0, 0)
