"""Alive: only a restart would help otherwise. Ready: a new task could start."""

import pytest

from replication.worker.http.process_health import HANGS_AFTER_S, SLOW_ROUND_MS, ProcessHealth
from replication.worker.jobs.self_ping import PING_EVERY_MS, SelfPing
from tests.support.clock import StoppedClock


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


def test_a_process_is_ready_after_its_first_round(clock: StoppedClock) -> None:
    health = ProcessHealth(clock, SelfPing(), None)
    assert health.not_ready() == ("coordinator: its first round has not ended",)
    assert health.not_alive() == ()

    health.note_round(redis_problem="")

    assert health.not_ready() == ()


def test_without_redis_it_is_alive_and_not_ready(clock: StoppedClock) -> None:
    health = ProcessHealth(clock, SelfPing(), None)

    health.note_round(redis_problem="Redis does not answer")

    assert health.not_alive() == ()
    assert health.not_ready() == ("redis: Redis does not answer; running tasks continue, no task starts",)


def test_a_coordinator_that_hangs_is_named(clock: StoppedClock) -> None:
    health = ProcessHealth(clock, SelfPing(), None)
    health.note_round(redis_problem="")

    clock.move(SLOW_ROUND_MS + 1)
    assert health.not_ready() == ("coordinator: its last round ended 10 s ago",)
    assert health.not_alive() == ()
    clock.move(int(HANGS_AFTER_S * 1000))
    assert health.not_alive() == ("coordinator: its last round ended 70 s ago",)


@pytest.mark.parametrize(("silent_s", "ready", "alive"), [(5, True, True), (30, False, True), (70, False, False)])
def test_a_network_loop_that_hangs_is_named(clock: StoppedClock, silent_s: int, ready: bool, alive: bool) -> None:
    health = ProcessHealth(clock, SelfPing(), lambda: silent_s)
    health.note_round(redis_problem="")

    text = f"network loop: it has not run for {silent_s} s"
    assert health.not_ready() == (() if ready else (text,))
    assert health.not_alive() == (() if alive else (text,))


def test_a_consumer_that_misses_pings_is_named(clock: StoppedClock) -> None:
    ping = SelfPing()
    health = ProcessHealth(clock, ping, None)
    health.note_round(redis_problem="")
    for number in range(2):
        ping.start_if_due(number * PING_EVERY_MS)

    assert health.not_ready() == ("celery: 1 self-pings are not answered",)


def test_a_process_that_stops_is_not_ready(clock: StoppedClock) -> None:
    health = ProcessHealth(clock, SelfPing(), None)
    health.note_round(redis_problem="")

    health.note_stop()

    assert health.not_ready() == ("stopping: the process hands its tasks over and ends",)
