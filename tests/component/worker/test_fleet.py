"""Several drivers of one fleet, as real Celery workers: balance, drains, restarts, labels, capacity, ids."""

import json
import os
import signal
import time
from collections import Counter
from dataclasses import replace

import pytest

from replication.domain.assignment.lease import LEASE_MS
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow
from replication.domain.desired.desired_drivers import Drain, Restart
from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_processes import SOURCE, TARGET, Fleet, let_pass, overlaps

pytestmark = [pytest.mark.redis, pytest.mark.slow]
FLOW = DesiredFlow(source=SOURCE, tasks_max=4)
SOON_S = 40.0  # for work of a second or two, on a machine that is busy with other tests
DRAIN = Drain(reason="kernel update", by="ann", since_ms=0)


def asks(flow: DesiredFlow, **settings: str) -> DesiredFlow:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    return replace(flow, connectors=ConnectorSettings(source=named))


def shares(fleet: Fleet) -> Counter[str]:
    return Counter(fleet.holders().values())


def wait_for_shares(fleet: Fleet, **expected: int) -> None:
    assert wait_until(lambda: shares(fleet) == expected, SOON_S, 0.2), f"{fleet.holders()}\n{fleet.logs()}"


def wait_for_even_control_tasks(fleet: Fleet) -> None:
    """Plans and heartbeats count alike: which driver gets which of them depends on when it sees each target."""

    def is_even() -> bool:
        tasks = Counter(driver for kind in ("plan", "heartbeat") for driver in fleet.holders(kind).values())
        return tasks == {"d1": 4, "d2": 4}

    assert wait_until(is_even, SOON_S, 0.2), fleet.logs()


def moves(fleet: Fleet) -> int:
    return sum(event.what == "end" for event in fleet.events())


def test_four_targets_with_one_slot_each_share_two_drivers(fleet: Fleet) -> None:
    for driver in ("d1", "d2"):
        fleet.start_both(driver)
    assert wait_until(lambda: bool(fleet.member("d1") and fleet.member("d2")), SOON_S), fleet.logs()

    for target in ("north", "south", "up", "west"):
        fleet.publish(replace(FLOW, tasks_max=1), target=target)

    wait_for_shares(fleet, d1=2, d2=2)
    wait_for_even_control_tasks(fleet)


def test_four_targets_on_one_driver_are_shared_with_one_that_joins(fleet: Fleet) -> None:
    fleet.start_both("d1")
    for target in ("north", "south", "up", "west"):
        fleet.publish(replace(FLOW, tasks_max=1), target=target)
    wait_for_shares(fleet, d1=4)

    fleet.start("d2", "data")

    wait_for_shares(fleet, d1=2, d2=2)
    let_pass(3.0)
    assert moves(fleet) == 2


@pytest.mark.large  # every day: test_balance.py
def test_two_heavy_and_two_light_slots_end_with_one_heavy_slot_each(fleet: Fleet) -> None:
    rates = json.dumps(dict.fromkeys((0, 1), 100000000))
    fleet.start_both("d1", SRM_TEST_RATES=rates)
    fleet.publish(FLOW)
    fleet.wait_for_slots(0, 1, 2, 3)
    with fleet.client() as client:  # as after a history in which no rate was known
        client.hset("srm:want:" + TARGET, mapping={f"{SOURCE}/source/{slot}": "d2" for slot in (2, 3)})
    fleet.start("d2", "data", SRM_TEST_RATES=rates)

    def heavy_ones_are_apart() -> bool:
        held = fleet.holders()
        heavy = {held.get(f"{TARGET}:{SOURCE}/source/{slot}") for slot in (0, 1)}
        return heavy == {"d1", "d2"} and shares(fleet) == {"d1": 2, "d2": 2}

    assert wait_until(heavy_ones_are_apart, 60.0, 0.2), f"{fleet.holders()}\n{fleet.logs()}"
    let_pass(20.0)  # longer than loads take to settle
    assert heavy_ones_are_apart()


def test_a_second_process_with_the_same_id_elsewhere_ends_with_one_clear_line(fleet: Fleet) -> None:
    fleet.start_both("d1")
    fleet.publish(FLOW)
    fleet.wait_for_slots(0, 1, 2, 3)
    boot = fleet.member("d1")["boot"]

    ended = fleet.run_elsewhere("d1", "data", SOON_S)

    assert ended.returncode == 78, ended.stderr
    assert ended.stderr.count("the data worker of driver d1 already runs on host") == 1
    assert fleet.member("d1")["boot"] == boot
    assert moves(fleet) == 0


def test_a_process_whose_namesake_was_killed_starts_in_its_place(fleet: Fleet) -> None:
    fleet.start("d1", "control")
    killed = fleet.start("d1", "data")
    fleet.publish(FLOW)
    fleet.wait_for_slots(0, 1, 2, 3)

    fleet.kill(killed)
    again = fleet.start_elsewhere("d1", "data")

    expected = {slot: {again.pid} for slot in range(4)}
    assert wait_until(lambda: fleet.running() == expected, SOON_S, 0.2), fleet.logs()
    assert overlaps(fleet.events()) == []


def test_slots_run_only_on_drivers_with_the_labels_of_their_flow(fleet: Fleet) -> None:
    fleet.start_both("d1")
    fleet.publish(asks(FLOW, srm_driver_labels="region=eu"))

    fleet.wait_for_state(f"{SOURCE}/source/0", "unassigned", SOON_S)
    state = fleet.live(f"{SOURCE}/source/0")
    assert state is not None
    assert state["cause"]["code"] == "no_driver"
    assert "--label region=eu" in state["cause"]["text"]

    fleet.start("d2", "data", SRM_DRIVER_LABELS="region=eu,rack=a")
    wait_for_shares(fleet, d2=4)
    fleet.wait_for_state(f"{SOURCE}/source/0", "running", SOON_S)


def test_a_driver_takes_no_more_than_its_capacity_and_the_rest_names_the_remedy(fleet: Fleet) -> None:
    fleet.start("d1", "control")
    fleet.start("d1", "data", SRM_DRIVER_CAPACITY="3")
    fleet.publish(FLOW)
    wait_for_shares(fleet, d1=3)
    (left,) = {f"{SOURCE}/source/{slot}" for slot in range(4)} - {key.split(":", 1)[1] for key in fleet.holders()}

    fleet.wait_for_state(left, "unassigned", SOON_S)
    state = fleet.live(left)
    assert state is not None
    assert "raise SRM_DRIVER_CAPACITY" in state["cause"]["text"]
    fleet.start("d2", "data")
    wait_for_shares(fleet, d1=2, d2=2)


def test_a_drain_moves_every_slot_away_once_survives_a_restart_and_ends(fleet: Fleet) -> None:
    fleet.start("d1", "control")
    first = fleet.start("d1", "data")
    fleet.publish(FLOW)
    wait_for_shares(fleet, d1=4)
    fleet.start("d2", "data")
    wait_for_shares(fleet, d1=2, d2=2)
    before = moves(fleet)

    fleet.order(drains={"d2": DRAIN})
    wait_for_shares(fleet, d1=4)
    assert wait_until(lambda: (fleet.member("d2")["drain"], fleet.member("d2")["tasks"]) == (True, 0), SOON_S)
    assert moves(fleet) - before == 2

    with fleet.client() as client:
        client.delete("srm:drivers")
    fleet.terminate(first, 12.0)
    let_pass(3.0)
    assert shares(fleet) == {}
    fleet.start("d1", "data")
    wait_for_shares(fleet, d1=4)
    fleet.order()
    wait_for_shares(fleet, d1=2, d2=2)
    assert overlaps(fleet.events()) == []


def test_a_driver_whose_loop_hangs_hands_its_slots_over_and_ends(fleet: Fleet) -> None:
    silence = fleet.folder / "silence"
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    hung = fleet.start("d2", "data", SRM_TEST_SILENCE=str(silence))
    fleet.publish(FLOW)
    wait_for_shares(fleet, d1=2, d2=2)

    silence.touch()
    assert wait_until(lambda: not hung.is_alive, SOON_S, 0.1), fleet.logs()
    ended_s = time.monotonic()
    wait_for_shares(fleet, d1=4)

    assert time.monotonic() - ended_s < LEASE_MS / 1_000 / 2, "the leases were given away, they did not expire"


def test_a_driver_that_restarts_on_a_signal_gets_its_slots_back_and_no_other_slot_moves(fleet: Fleet) -> None:
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    again = fleet.start("d2", "data")
    fleet.publish(FLOW)
    wait_for_shares(fleet, d1=2, d2=2)
    held, before = fleet.holders(), moves(fleet)

    os.kill(again.pid, signal.SIGHUP)
    assert wait_until(lambda: not again.is_alive, 12.0), fleet.logs()
    let_pass(5.0)
    assert shares(fleet) == {"d1": 2}
    assert fleet.member("d2")["returning_until_ms"] > time.time_ns() // 1_000_000
    fleet.start("d2", "data")

    wait_for_shares(fleet, d1=2, d2=2)
    let_pass(4.0)  # rounds of the leader, in which it could move slots
    assert fleet.holders() == held
    assert moves(fleet) - before == 2


def test_a_driver_that_does_not_return_loses_its_slots_after_the_grace(fleet: Fleet) -> None:
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    gone = fleet.start("d2", "data")
    fleet.publish(asks(FLOW, srm_rebalance_delay_ms="4000"))
    wait_for_shares(fleet, d1=2, d2=2)

    os.kill(gone.pid, signal.SIGHUP)

    wait_for_shares(fleet, d1=4)


@pytest.mark.large  # every day: test_orders_cache.py, and a restart on a signal
def test_an_ordered_restart_ends_a_process_once(fleet: Fleet) -> None:
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    ended = fleet.start("d2", "data")
    fleet.publish(FLOW)
    wait_for_shares(fleet, d1=2, d2=2)
    held, before = fleet.holders(), moves(fleet)

    fleet.order(restarts={"d2": Restart(id="r1", until_ms=time.time_ns() // 1_000_000 + 60_000)})
    assert wait_until(lambda: not ended.is_alive, 15.0), fleet.logs()
    again = fleet.start("d2", "data")

    wait_for_shares(fleet, d1=2, d2=2)
    let_pass(4.0)  # rounds of the leader, in which it could move slots
    assert fleet.holders() == held
    assert moves(fleet) - before == 2
    assert again.is_alive


@pytest.mark.large  # every day: test_decision.py
def test_where_connect_waits_for_departed_workers_a_stopped_driver_keeps_its_slots(fleet: Fleet) -> None:
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    gone = fleet.start("d2", "data")
    fleet.publish(asks(FLOW, scheduled_rebalance_max_delay_ms="8000"))
    wait_for_shares(fleet, d1=2, d2=2)

    fleet.terminate(gone, 12.0)

    let_pass(4.0)
    assert shares(fleet) == {"d1": 2}
    wait_for_shares(fleet, d1=4)


def test_a_flow_that_used_up_its_retries_is_failed_with_their_number_and_others_continue(fleet: Fleet) -> None:
    fleet.start_both("d1")
    dead = asks(DesiredFlow(source="dead-east"), srm_driver_retry_count="2", srm_driver_retry_delay_ms="200")

    fleet.publish(FLOW, dead)

    def is_given_up() -> bool:
        state = fleet.live("dead-east/source/0") or {}
        return state.get("state") == "failed" and "retried 2 times" in state["cause"]["text"]

    assert wait_until(is_given_up, SOON_S), fleet.logs()
    fleet.wait_for_state(f"{SOURCE}/source/0", "running", SOON_S)
