"""The times at which a process that died is restarted."""

import pytest

from srm_cli.supervisor.restart_policy import next_start


@pytest.mark.parametrize(("deaths", "delay"), [([100.0], 1.0), ([99.0, 100.0], 2.0), ([95.0, 97.0, 99.0, 100.0], 8.0)])
def test_delays_double_with_each_recent_death(deaths: list[float], delay: float) -> None:
    assert next_start(deaths, 100.0, lived_seconds=1.0, was_slow=False).delay_seconds == delay


def test_five_deaths_within_a_minute_leave_one_attempt_per_minute() -> None:
    upcoming = next_start([60.0, 61.0, 63.0, 67.0, 75.0], 75.0, lived_seconds=0.1, was_slow=False)
    assert (upcoming.mode, upcoming.delay_seconds) == ("slow", 60.0)


def test_a_rare_attempt_that_dies_early_stays_rare() -> None:
    assert next_start([10.0, 100.0], 100.0, lived_seconds=0.1, was_slow=True).mode == "slow"


def test_a_rare_attempt_that_lived_a_minute_counts_as_healthy_again() -> None:
    assert next_start([10.0, 200.0], 200.0, lived_seconds=61.0, was_slow=True).mode == "quick"


def test_deaths_a_quarter_of_a_minute_apart_never_slow_the_restart_down() -> None:
    deaths = [float(at) for at in range(0, 200, 20)]
    assert next_start(deaths, deaths[-1], lived_seconds=19.0, was_slow=False).mode == "quick"
