"""Catch-up and loss are slopes; unknown is not never, and never is not soon."""

import pytest

from replication.domain.health.catch_up import (
    CatchUp,
    CatchUpEstimate,
    LogHistory,
    LogSample,
    catch_up,
    catch_up_ms,
    time_to_loss_ms,
)

STEP_MS = 10_000


@pytest.mark.parametrize(
    ("first", "last", "expected", "at_risk"),
    [
        (LogSample(0, 0, 0, 1_000), LogSample(10_000, 500, 0, 1_000), CatchUpEstimate(10_000, None), False),
        (LogSample(0, 0, 0, 1_000), LogSample(10_000, 500, 0, 1_500), CatchUpEstimate(None, None), False),
        (LogSample(0, 500, 0, 1_000), LogSample(10_000, 500, 250, 2_000), CatchUpEstimate(None, 10_000), True),
        (LogSample(0, 500, 0, 1_000), LogSample(10_000, 600, 300, 700), CatchUpEstimate(2_500, 15_000), False),
        (LogSample(0, 500, 0, 1_000), LogSample(10_000, 800, 200, 1_000), CatchUpEstimate(6_667, None), False),
        (LogSample(0, 500, 0, 1_000), LogSample(10_000, 1_000, 900, 1_000), CatchUpEstimate(0, None), False),
        (LogSample(0, 500, 0, 1_000), LogSample(1_000, 600, 400, 1_000), CatchUpEstimate(None, None), False),
        (LogSample(0, 100, 0, 1_000), LogSample(10_000, 100, 150, 1_000), CatchUpEstimate(None, 0), True),
    ],
    ids=[
        "catches up",
        "as fast as the writers",
        "stands still while retention eats",
        "level before retention comes",
        "faster than retention",
        "level",
        "too short a look",
        "overtaken already",
    ],
)
def test_the_estimate_follows_from_two_samples(
    first: LogSample, last: LogSample, expected: CatchUpEstimate, at_risk: bool
) -> None:
    found = CatchUpEstimate(catch_up_ms(first, last), time_to_loss_ms(first, last))

    assert found == expected
    assert found.is_at_risk is at_risk


def test_the_speed_of_the_last_minute_counts_for_catching_up() -> None:
    history = LogHistory()
    for second in range(0, 300, 5):  # an outage of five minutes
        history.add(LogSample(second * 1000, 0, 0, 6_000))
    for second in range(300, 365, 5):
        history.add(LogSample(second * 1000, (second - 300) * 10, 0, 6_000))

    assert history.estimate().catch_up_ms == pytest.approx(540_000, rel=0.1)


def test_a_history_stays_small_and_looks_back_ten_minutes() -> None:
    history = LogHistory()
    for second in range(0, 7_200, 5):
        history.add(LogSample(second * 1000, 100_000, second, 200_000))

    assert history.estimate().time_to_loss_ms == pytest.approx((100_000 - 7_195) * 1_000, rel=0.01)
    assert len(history._samples) <= 32


def test_a_position_that_went_back_restarts_the_history() -> None:
    history = LogHistory()
    history.add(LogSample(0, 900, 0, 1_000))
    history.add(LogSample(10_000, 100, 0, 1_000))

    assert history.estimate() == CatchUpEstimate(None, None)


def line(
    start: float, per_step: float, *, noise: tuple[float, ...] = (0.0,), steps: int = 12
) -> list[tuple[int, float]]:
    return [(n * STEP_MS, start + n * per_step + noise[n % len(noise)]) for n in range(steps)]


def test_a_straight_line_gives_a_range_without_width() -> None:
    assert catch_up(line(12_000, -1_000)) == CatchUp(ms=10_000, low_ms=10_000, high_ms=10_000)


def test_the_range_holds_the_real_time_when_the_lag_jumps() -> None:
    found = catch_up(line(100_000, -1_000, noise=(400.0, -300.0, 100.0, -200.0), steps=30))

    assert found is not None
    assert found.high_ms is not None
    assert found.low_ms < 71 * STEP_MS < found.high_ms


def test_a_flow_that_is_level_needs_no_time() -> None:
    assert catch_up([(0, 5.0), (STEP_MS, 0.0)]) == CatchUp(ms=0, low_ms=0, high_ms=0)


@pytest.mark.parametrize(
    "readings",
    [[], line(100, -10, steps=3), line(100, 10), line(100, 0), line(1_000, -1, noise=(300.0, -300.0)), [(0, 5.0)] * 6],
    ids=["nothing", "too few", "grows", "constant", "only noise", "one moment"],
)
def test_there_is_no_estimate_without_a_shrinking_lag(readings: list[tuple[int, float]]) -> None:
    assert catch_up(readings) is None
