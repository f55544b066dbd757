"""Catch-up and loss are slopes; unknown is not never, and never is not soon."""

import pytest

from replication.domain.headroom import LogHistory, LogSample, Outlook, catch_up_ms, time_to_loss_ms


@pytest.mark.parametrize(
    ("first", "last", "expected", "at_risk"),
    [
        (LogSample(0, 0, 0, 1_000), LogSample(10_000, 500, 0, 1_000), Outlook(10_000, None), False),
        (LogSample(0, 0, 0, 1_000), LogSample(10_000, 500, 0, 1_500), Outlook(None, None), False),
        (LogSample(0, 500, 0, 1_000), LogSample(10_000, 500, 250, 2_000), Outlook(None, 10_000), True),
        (LogSample(0, 500, 0, 1_000), LogSample(10_000, 600, 300, 700), Outlook(2_500, 15_000), False),
        (LogSample(0, 500, 0, 1_000), LogSample(10_000, 800, 200, 1_000), Outlook(6_667, None), False),
        (LogSample(0, 500, 0, 1_000), LogSample(10_000, 1_000, 900, 1_000), Outlook(0, None), False),
        (LogSample(0, 500, 0, 1_000), LogSample(1_000, 600, 400, 1_000), Outlook(None, None), False),
        (LogSample(0, 100, 0, 1_000), LogSample(10_000, 100, 150, 1_000), Outlook(None, 0), True),
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
def test_the_outlook_follows_from_two_moments(
    first: LogSample, last: LogSample, expected: Outlook, at_risk: bool
) -> None:
    found = Outlook(catch_up_ms(first, last), time_to_loss_ms(first, last))

    assert found == expected
    assert found.is_at_risk is at_risk


def test_the_speed_of_the_last_minute_counts_for_catching_up() -> None:
    history = LogHistory()
    for second in range(0, 300, 5):  # an outage of five minutes
        history.add(LogSample(second * 1000, 0, 0, 6_000))
    for second in range(300, 365, 5):
        history.add(LogSample(second * 1000, (second - 300) * 10, 0, 6_000))

    assert history.outlook().catch_up_ms == pytest.approx(540_000, rel=0.1)


def test_a_history_stays_small_and_looks_back_ten_minutes() -> None:
    history = LogHistory()
    for second in range(0, 7_200, 5):
        history.add(LogSample(second * 1000, 100_000, second, 200_000))

    assert history.outlook().time_to_loss_ms == pytest.approx((100_000 - 7_195) * 1_000, rel=0.01)
    assert len(history._samples) <= 32


def test_a_position_that_went_back_starts_the_history_anew() -> None:
    history = LogHistory()
    history.add(LogSample(0, 900, 0, 1_000))
    history.add(LogSample(10_000, 100, 0, 1_000))

    assert history.outlook() == Outlook(None, None)
