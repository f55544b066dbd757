"""One control worker with hundreds of pairs: all run, and keep running, and a hung cluster delays no other."""

import time

import pytest

from replication.domain.desired.desired_document import DesiredFlow
from replication.worker.state import keys
from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_processes import Fleet, let_pass

pytestmark = [pytest.mark.redis, pytest.mark.slow]
PAIRS, ENABLED = 400, 100
START_S = 30.0  # of all of them, in a process that has started
PROCESS_S = 30.0
FRESH_MS = 10_000


def pairs(count: int, enabled: int) -> list[DesiredFlow]:
    return [DesiredFlow(source=f"s{number:03}", enabled=number < enabled) for number in range(count)]


def tasks(count: int, enabled: int) -> list[str]:
    beats = [f"s{number:03}/heartbeat/0" for number in range(count)]
    return beats + [f"s{number:03}/plan/0" for number in range(enabled)]


def not_running(fleet: Fleet, names: list[str]) -> list[str]:
    states = fleet.live_of(names)
    return [name for name in names if (states[name] or {}).get("state") != "running"]


def silent(fleet: Fleet, names: list[str]) -> list[str]:
    """The tasks whose last run is older than it may be."""
    now_ms, states = time.time_ns() // 1_000_000, fleet.live_of(names)

    def age_ms(name: str) -> int:
        state = states[name] or {}
        return now_ms - int(state.get("last_sent_ms") or state.get("last_run_ms") or 0)

    return [name for name in names if age_ms(name) > FRESH_MS]


def all_run(fleet: Fleet, names: list[str], seconds: float) -> None:
    assert wait_until(lambda: not not_running(fleet, names), seconds, 0.5), (
        f"{len(not_running(fleet, names))} of {len(names)} tasks do not run: {not_running(fleet, names)[:5]}\n"
        f"{fleet.logs()}"
    )


def test_four_hundred_heartbeats_and_a_hundred_plans_start_within_thirty_seconds(fleet: Fleet) -> None:
    fleet.start("d1", "control")
    assert wait_until(lambda: fleet.has_key(keys.member("d1", "control")), PROCESS_S), fleet.logs()

    fleet.publish(*pairs(PAIRS, ENABLED))

    all_run(fleet, tasks(PAIRS, ENABLED), START_S)
    assert wait_until(lambda: not silent(fleet, tasks(PAIRS, ENABLED)), START_S), silent(fleet, tasks(PAIRS, ENABLED))


@pytest.mark.large  # every day: test_periodic_jobs.py
def test_runs_that_hang_say_so_and_delay_no_other_cluster(fleet: Fleet) -> None:
    hung = [DesiredFlow(source=f"hung{number:02}", heartbeats=False) for number in range(60)]
    fleet.publish(*pairs(100, 40))
    fleet.start("d1", "control")
    all_run(fleet, tasks(100, 40), PROCESS_S + START_S)

    fleet.publish(*pairs(120, 40), *hung)

    waiting = [f"{flow.source}/plan/0" for flow in hung]

    def texts() -> set[str]:
        causes = [(state or {}).get("cause") or {} for state in fleet.live_of(waiting).values()]
        return {str(cause.get("text")) for cause in causes if cause.get("code") == "no_room"}

    assert wait_until(lambda: len(texts()) > 20, 20.0, 0.5), fleet.logs()
    assert all(text.startswith("Waits until other runs over cluster hung") for text in texts())
    all_run(fleet, tasks(120, 40), START_S)
    assert silent(fleet, tasks(120, 40)) == []


@pytest.mark.large
def test_four_hundred_heartbeats_and_a_hundred_plans_still_run_after_five_minutes(fleet: Fleet) -> None:
    fleet.publish(*pairs(PAIRS, ENABLED))
    process = fleet.start("d1", "control")
    all_run(fleet, tasks(PAIRS, ENABLED), PROCESS_S + START_S)

    let_pass(300.0)

    assert process.is_alive, fleet.logs()
    assert wait_until(lambda: fleet.waiting_messages("d1", "control") == 0, 5.0)  # self-pings among them
    assert not_running(fleet, tasks(PAIRS, ENABLED)) == []
    assert silent(fleet, tasks(PAIRS, ENABLED)) == []
