"""Long steps of the loop are counted by their time, and the longest one is known."""

import time

from replication.domain.reporting.step_times import LONG_S, StepTimes
from replication.wire.network.loop import EngineLoop
from tests.support.eventually import eventually


def test_steps_are_counted_by_their_time_until_they_are_taken() -> None:
    times = StepTimes()
    for elapsed_s in (0.010, 0.025, 0.026, 0.3, 0.7):
        times.note(elapsed_s)

    assert times.drain() == {
        "to_25_ms": 2,
        "to_50_ms": 1,
        "to_100_ms": 0,
        "to_250_ms": 0,
        "to_500_ms": 1,
        "longer": 1,
        "longest_ms": 700,
    }
    assert times.drain() is None


def test_the_loop_counts_its_long_steps() -> None:
    loop = EngineLoop("unit")
    loop.start()
    try:
        found: list[dict[str, int]] = []
        loop.call_threadsafe(lambda: time.sleep(3 * LONG_S))
        eventually(lambda: _taken(loop, found), 10, "the step is counted")
        assert found[0]["longest_ms"] >= 3 * LONG_S * 1000
    finally:
        loop.stop(5.0)


def _taken(loop: EngineLoop, found: list[dict[str, int]]) -> bool:
    times = loop.net.step_times.drain()
    if times is not None:
        found.append(times)
    return bool(found)
