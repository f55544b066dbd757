"""Three drivers with two data workers each: killed, stopped, frozen, drained, restarted and without Redis.

Records flow all the time. An auditor finds nothing lost or out of order, and the positions on the target never go back.
"""

import statistics
import time
import uuid

import pytest

from replication.domain.desired.desired_drivers import Drain, Restart
from replication.domain.settings.choices import Delivery
from tests.support.drivers.copying import Copying, moves
from tests.support.engine.engine_fleet import EngineFleet
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.writer import say

pytestmark = [pytest.mark.faults, pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(600)]

DELIVERIES: list[Delivery] = ["at_least_once", "exactly_once"]
PARENTS = ("one", "two", "three")
WORKERS = tuple(f"{parent}{suffix}" for parent in PARENTS for suffix in ("", "-2"))
SLOTS = 12
RATE = 1_000
KILLS = 10
MEDIAN_S, MOST_S = 12.0, 15.0  # kill -9 until every partition flows again
STOP_S = 3.0  # the pause of a partition whose worker ends on SIGTERM
OUTAGE_S, OUTAGE_PAUSE_S = 120.0, 2.0  # without Redis
FROZEN_S = 60.0


def _wait_replaced(copying: Copying, driver: str) -> None:
    """Wait until the watch of a worker that was silent for too long has ended it, then start it as systemd does."""
    process = copying.fleet.processes[f"{driver}.data"]
    copying.fleet.wait_until(f"{driver} ends itself", lambda: not process.is_alive, 15)
    copying.start_worker(driver)


def _started(fleet: EngineFleet, clusters: TwoClusters, delivery: Delivery) -> Copying:
    copying = Copying(fleet, clusters, delivery, workers=WORKERS, slots=SLOTS, records_per_second=RATE)
    copying.start()
    return copying


@pytest.fixture(params=DELIVERIES)
def copying(request: pytest.FixtureRequest, engine_fleet: EngineFleet, two_clusters: TwoClusters) -> Copying:
    return _started(engine_fleet, two_clusters, request.param)


@pytest.fixture
def copying_twice(engine_fleet: EngineFleet, two_clusters: TwoClusters) -> Copying:
    """With duplicates allowed, for what concerns the fleet rather than the records."""
    return _started(engine_fleet, two_clusters, "at_least_once")


def test_after_ten_kills_every_partition_flows_again_within_fifteen_seconds(copying: Copying) -> None:
    took: list[float] = []
    with copying.traffic().flowing() as traffic:
        copying.wait_shared(*WORKERS)
        for number in range(KILLS):
            victim = WORKERS[number % len(WORKERS)]
            copying.fleet.kill(f"{victim}.data")
            took.append(copying.wait_flowing_again())
            copying.start_worker(victim)
            copying.wait_shared(*WORKERS)
            copying.faults += 2  # the kill, and the move of slots back
        traffic.wait_for(RATE)
    median_s = statistics.median(took)
    say(f"kill to flowing: {[round(each, 1) for each in took]} s, median {median_s:.1f} s, at most {max(took):.1f} s")
    copying.check()
    assert median_s <= MEDIAN_S
    assert max(took) <= MOST_S


def test_a_worker_that_is_asked_to_stop_hands_over_within_three_seconds(copying: Copying) -> None:
    with copying.traffic().flowing():
        copying.wait_shared(*WORKERS)
        before = copying.owners()
        with copying.pauses() as pauses:
            copying.fleet.terminate("two.data")
            copying.wait_shared(*(worker for worker in WORKERS if worker != "two"))
            longest_s = max(pauses.longest_s())
        assert moves(before, copying.owners()) == 2  # its own slots
        copying.faults += 1
    say(f"SIGTERM: the longest pause of a partition was {longest_s:.1f} s")
    copying.check()
    assert longest_s <= STOP_S


def test_joining_draining_and_restarting_move_as_few_slots_as_possible(copying_twice: Copying) -> None:
    copying = copying_twice
    fleet = copying.fleet
    with copying.traffic().flowing():
        copying.wait_shared(*WORKERS)
        before = copying.owners()
        fleet.start("four", "data", SRM_DRIVER_PARENT="four")
        copying.wait_shared(*WORKERS, "four")
        assert moves(before, copying.owners()) == SLOTS // 7  # what an even share of seven workers is

        before = copying.owners()
        now_ms = time.time_ns() // 1_000_000
        fleet.order(drains={"four": Drain(reason="maintenance", by="test", since_ms=now_ms)})
        copying.wait_shared(*WORKERS)
        assert moves(before, copying.owners()) == list(before.values()).count("four")

        before = copying.owners()
        fleet.order(
            drains={"four": Drain(reason="maintenance", by="test", since_ms=now_ms)},
            restarts={"three": Restart(id=uuid.uuid4().hex, until_ms=time.time_ns() // 1_000_000 + 60_000)},
        )
        ended = ("three.data", "three-2.data", "three.control")
        old = [fleet.processes[name] for name in ended]
        fleet.wait_until("the processes of three end", lambda: not any(process.is_alive for process in old))
        fleet.start("three", "control", SRM_DRIVER_PARENT="three")
        copying.start_worker("three")
        copying.start_worker("three-2")
        copying.wait_flowing_again()
        copying.wait_shared(*WORKERS)
        assert moves(before, copying.owners()) == 0
        copying.faults += 5
    copying.check()


def test_a_frozen_worker_is_replaced_and_fenced_when_it_wakes(copying: Copying) -> None:
    with copying.traffic().flowing() as traffic:
        copying.wait_shared(*WORKERS)
        others = [worker for worker in WORKERS if worker != "two-2"]
        with copying.fleet.frozen("two-2.data"):
            copying.wait_flowing_again()
            copying.wait_shared(*others)
            traffic.wait_to_pass(FROZEN_S)
        _wait_replaced(copying, "two-2")
        copying.wait_shared(*WORKERS)
        copying.faults += 2
    copying.check()


def test_two_minutes_without_redis_pause_no_partition(copying_twice: Copying) -> None:
    copying = copying_twice
    with copying.traffic().flowing() as traffic:
        copying.wait_shared(*WORKERS)
        before = copying.owners()
        with copying.pauses() as pauses:
            copying.fleet.redis.stop()
            traffic.wait_to_pass(OUTAGE_S)
            copying.fleet.redis = copying.fleet.redis.restart()
            copying.wait_shared(*WORKERS)
            longest_s = max(pauses.longest_s())
        assert moves(before, copying.owners()) == 0
    say(f"without Redis for {OUTAGE_S:.0f} s: the longest pause of a partition was {longest_s:.1f} s")
    copying.check()
    assert longest_s <= OUTAGE_PAUSE_S
