"""The judgement over a calm soak."""

from tests.support.soaking.calm import Observations, judge


def _steady() -> Observations:
    seen = Observations(looks=100)
    seen.lags["a->b"] = [500.0] * 30
    seen.rss_bytes["driver-data"] = [150 * 2**20] * 30
    seen.restarts["driver-data"] = 0
    return seen


def test_a_steady_run_is_well() -> None:
    assert judge(_steady()) == []


def test_a_restart_is_named() -> None:
    seen = _steady()
    seen.restarts["driver-data"] = 2
    assert judge(seen) == ["driver-data was restarted 2 time(s)"]


def test_growing_memory_is_named() -> None:
    seen = _steady()
    seen.rss_bytes["driver-data"] = [mb * 2**20 * 10 for mb in range(30)]
    assert judge(seen)[0].startswith("memory of driver-data grew")


def test_growing_lag_is_named() -> None:
    seen = _steady()
    seen.lags["a->b"] = [1000.0 * look * look for look in range(30)]
    assert judge(seen)[0].startswith("lag of a->b grew")


def test_one_unhealthy_look_in_a_hundred_is_forgiven_and_ten_are_not() -> None:
    seen = _steady()
    seen.unhealthy = ["a->b starting: just started"]
    assert judge(seen) == []
    seen.unhealthy *= 10
    assert judge(seen) == ["10 of 100 looks were not healthy, first a->b starting: just started"]
