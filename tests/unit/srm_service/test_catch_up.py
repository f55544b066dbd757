import pytest

from srm_service.monitoring.catch_up import CatchUp, catch_up

STEP_MS = 10_000


def line(
    start: float, per_step: float, *, noise: tuple[float, ...] = (0.0,), steps: int = 12
) -> list[tuple[int, float]]:
    return [(n * STEP_MS, start + n * per_step + noise[n % len(noise)]) for n in range(steps)]


def test_a_straight_line_is_told_without_doubt() -> None:
    assert catch_up(line(12_000, -1_000)) == CatchUp(ms=10_000, low_ms=10_000, high_ms=10_000)


def test_the_range_holds_the_truth_where_the_lag_jumps() -> None:
    found = catch_up(line(100_000, -1_000, noise=(400.0, -300.0, 100.0, -200.0), steps=30))

    assert found is not None
    assert found.high_ms is not None
    assert found.low_ms < 71 * STEP_MS < found.high_ms


def test_level_is_now() -> None:
    assert catch_up([(0, 5.0), (STEP_MS, 0.0)]) == CatchUp(ms=0, low_ms=0, high_ms=0)


@pytest.mark.parametrize(
    "readings",
    [[], line(100, -10, steps=3), line(100, 10), line(100, 0), line(1_000, -1, noise=(300.0, -300.0)), [(0, 5.0)] * 6],
    ids=["nothing", "too few", "grows", "stands", "only noise", "one moment"],
)
def test_nothing_is_promised_where_nothing_is_known(readings: list[tuple[int, float]]) -> None:
    assert catch_up(readings) is None
