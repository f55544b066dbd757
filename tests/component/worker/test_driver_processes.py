"""Real Celery workers over a real Redis: who runs what, and what an outage does to it."""

import os
import signal
import time
from dataclasses import replace

import pytest

from replication.domain.desired.desired_document import DesiredFlow, Pause
from replication.worker.state import keys
from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_processes import SOURCE, TARGET, Fleet, let_pass, longest_pause_s, overlaps

pytestmark = [pytest.mark.redis, pytest.mark.slow]
FLOW = DesiredFlow(source=SOURCE, tasks_max=2)
OUTAGE_S = 4.0


def test_a_published_flow_runs_its_slots_plan_and_heartbeat(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    fleet.start("d1", "data")

    fleet.wait_for_slots(0, 1)

    for task in ("plan/0", "heartbeat/0", "source/0", "source/1"):
        fleet.wait_for_state(f"{SOURCE}/{task}", "running")
    state = fleet.live(f"{SOURCE}/source/1")
    assert state is not None
    assert (state["driver"], state["applied_revision"], state["generation"], state["partitions"]) == ("d1", 1, 1, 6)


def test_a_pause_stops_the_slots_within_two_seconds_and_leaves_the_heartbeat(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1)

    asked_s = time.monotonic()
    fleet.publish(replace(FLOW, state="pause", pause=Pause(reason="migration", by="ann")))

    assert wait_until(lambda: sum(event.what == "end" for event in fleet.events()) == 2, 5.0)
    assert max(event.at_s for event in fleet.events() if event.what == "end") - asked_s < 2.0
    assert wait_until(lambda: fleet.lease(f"{SOURCE}/source/0") is None, 5.0)
    assert fleet.lease(f"{SOURCE}/heartbeat/0") is not None


def test_another_tasks_max_starts_slots_and_stops_slots_while_the_others_run_on(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1)

    fleet.publish(replace(FLOW, tasks_max=3))

    fleet.wait_for_slots(0, 1, 2)
    assert [event for event in fleet.events() if event.what == "end"] == []
    assert wait_until(lambda: (fleet.live(f"{SOURCE}/source/0") or {}).get("partitions") == 4, 5.0)

    fleet.publish(replace(FLOW, tasks_max=1))

    fleet.wait_for_slots(0)
    assert {event.slot for event in fleet.events() if event.what == "end"} == {1, 2}
    assert {event.generation for event in fleet.events()} == {1}


def test_a_killed_driver_is_taken_over_within_twelve_seconds(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    controls = [fleet.start(driver, "control") for driver in ("d1", "d2")]
    data = {driver: fleet.start(driver, "data") for driver in ("d1", "d2")}
    fleet.wait_for_slots(0, 1)
    lost = next(slot for slot, pids in fleet.running().items() if pids == {data["d1"].pid})

    killed_s = time.monotonic()
    fleet.kill(controls[0])
    fleet.kill(data["d1"])

    assert wait_until(lambda: fleet.running().get(lost) == {data["d2"].pid}, 15.0), fleet.logs()
    assert time.monotonic() - killed_s <= 12.0
    assert overlaps(fleet.events()) == []


def test_a_data_worker_restarted_with_the_same_id_takes_its_slots_back_at_once(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    for driver in ("d1", "d2"):
        fleet.start(driver, "data")
    fleet.wait_for_slots(0, 1)
    (killed,) = [process for process in fleet.processes if {process.pid} in fleet.running().values()][:1]
    driver = str(fleet.lease_of_pid(killed.pid)).split("|")[0]

    fleet.kill(killed)
    again = fleet.start(driver, "data")

    assert wait_until(lambda: {again.pid} in fleet.running().values(), 9.0), fleet.logs()
    assert overlaps(fleet.events()) == []


def test_a_joining_driver_gets_an_even_share_without_any_overlap(fleet: Fleet) -> None:
    fleet.publish(replace(FLOW, tasks_max=4))
    fleet.start("d1", "control")
    first = fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1, 2, 3)

    second = fleet.start("d2", "data")

    def is_even() -> bool:
        pids = [pid for running in fleet.running().values() for pid in running]
        return (pids.count(first.pid), pids.count(second.pid)) == (2, 2)

    assert wait_until(is_even, 20.0, 0.1), fleet.logs()
    assert sum(event.what == "end" for event in fleet.events()) == 2
    assert overlaps(fleet.events()) == []


@pytest.mark.parametrize(
    "is_empty", [pytest.param(False, id="with its data", marks=pytest.mark.large), pytest.param(True, id="empty")]
)
def test_slots_run_on_while_redis_is_killed_and_comes_back(fleet: Fleet, is_empty: bool) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1)
    assert wait_until(lambda: fleet.state(f"{SOURCE}/source/1") == "running", 5.0)
    began_s = time.monotonic()

    fleet.kill(fleet.redis.process)
    let_pass(OUTAGE_S)
    if is_empty:
        fleet.forget_redis_data()
    fleet.redis = fleet.redis.restart()

    assert wait_until(lambda: fleet.state(f"{SOURCE}/source/1") == "running", 10.0), fleet.logs()
    assert wait_until(lambda: fleet.want().get(f"{SOURCE}/source/0") == "d1", 10.0), fleet.logs()
    assert wait_until(lambda: fleet.has_key(keys.plan(TARGET, SOURCE)), 5.0)
    let_pass(3.0)
    assert [event for event in fleet.events() if event.what == "end"] == []
    assert max(longest_pause_s(fleet.events(), slot, began_s) for slot in (0, 1)) < 2.0
    fleet.publish(replace(FLOW, tasks_max=3))
    fleet.wait_for_slots(0, 1, 2)


@pytest.mark.faults
def test_a_driver_started_while_redis_is_away_starts_work_when_it_is_back(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.redis.stop()
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    let_pass(5.0)

    fleet.redis = fleet.redis.restart()

    fleet.wait_for_slots(0, 1)


@pytest.mark.faults
@pytest.mark.large  # every day: test_lease.py, test_coordinator.py
def test_a_driver_told_to_stop_with_redis_stops_before_others_may_take_over(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    fleet.start("d1", "data", SRM_ON_COORDINATOR_LOSS="stop")
    fleet.wait_for_slots(0, 1)

    lost_s = time.monotonic()
    fleet.kill(fleet.redis.process)
    assert wait_until(lambda: sum(event.what == "end" for event in fleet.events()) == 2, 12.0), fleet.logs()
    assert max(event.at_s for event in fleet.events() if event.what == "end") - lost_s < 10.0
    fleet.redis = fleet.redis.restart()

    fleet.wait_for_slots(0, 1)


@pytest.mark.faults
@pytest.mark.large  # every day: a Redis that is killed
def test_a_frozen_redis_does_not_disturb_the_slots(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1)
    began_s = time.monotonic()

    os.kill(fleet.redis.process.pid, signal.SIGSTOP)
    let_pass(OUTAGE_S)
    os.kill(fleet.redis.process.pid, signal.SIGCONT)

    assert wait_until(lambda: fleet.state(f"{SOURCE}/source/1") == "running", 15.0), fleet.logs()
    assert [event for event in fleet.events() if event.what == "end"] == []
    assert longest_pause_s(fleet.events(), 0, began_s) < 2.0


def test_sigterm_ends_the_slots_gives_the_leases_back_and_exits_in_time(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    data = fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1)

    seconds = fleet.terminate(data, 10.0)

    assert seconds < 5.0
    assert sum(event.what == "end" for event in fleet.events()) == 2
    assert fleet.lease(f"{SOURCE}/source/0") is None
    assert not fleet.has_key(keys.member("d1", "data"))


def test_sigterm_while_redis_is_away_ends_the_process_in_time(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    data = fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1)
    fleet.redis.stop()
    let_pass(2.0)

    fleet.terminate(data, 10.0)

    assert sum(event.what == "end" for event in fleet.events()) == 2


@pytest.mark.faults
@pytest.mark.large  # every day: both ends on SIGTERM
def test_a_job_that_hangs_does_not_keep_the_process_from_ending(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    control = fleet.start("d1", "control", SRM_TEST_STUCK="1")
    assert wait_until(lambda: fleet.state(f"{SOURCE}/plan/0") == "running", 30.0), fleet.logs()
    assert wait_until(lambda: fleet.lease(f"{SOURCE}/heartbeat/0") is not None, 5.0)
    let_pass(2.0)

    fleet.terminate(control, 10.0)


def test_a_second_process_with_the_same_id_and_state_folder_refuses_to_start(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1)

    namesake = fleet.start("d1", "data")

    assert wait_until(lambda: not namesake.is_alive, 20.0)
    assert "the data worker of driver d1 already runs" in fleet.logs()
    assert set(fleet.running()) == {0, 1}
