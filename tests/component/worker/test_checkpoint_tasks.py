"""Checkpoint tasks in real Celery workers over a real Redis: one job per slot, live changes, take-over."""

from dataclasses import replace
from typing import Any

import pytest

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.group_summary import GroupsSummary, summary_from_bytes
from replication.domain.identifiers import TaskId
from replication.worker.state import keys
from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_processes import SOURCE, TARGET, Fleet

pytestmark = [pytest.mark.redis, pytest.mark.slow]
FLOW = DesiredFlow(source=SOURCE, tasks_max=2, groups=NamePatterns(allow=("app-1", "app-2", "app-3")))


def task(slot: int) -> str:
    return f"{SOURCE}/checkpoint/{slot}"


def summary(fleet: Fleet, slot: int) -> GroupsSummary | None:
    with fleet.client() as client:
        raw = client.get(keys.groups(TARGET, TaskId(SOURCE, "checkpoint", slot)))
    return summary_from_bytes(raw) if isinstance(raw, bytes) else None


def groups(fleet: Fleet, *slots: int) -> dict[str, str]:
    """Readiness by group."""
    found = [each for slot in slots for each in getattr(summary(fleet, slot), "groups", ())]
    return {each.group: each.readiness for each in found}


def slot_changes(fleet: Fleet) -> list[str]:
    """Starts, stops and updates of source slots."""
    return [event.what for event in fleet.events() if event.what != "beat"]


def live(fleet: Fleet, name: str) -> dict[str, Any]:
    return fleet.live(name) or {}


def test_each_slot_of_groups_is_a_task_with_its_own_job_and_summary(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")

    assert wait_until(lambda: len(groups(fleet, 0, 1)) == 3, 30.0), fleet.logs()

    assert set(groups(fleet, 0, 1).values()) == {"blocked"}  # group offset sync is off
    fleet.wait_for_state(task(0), "running", 30.0)
    fleet.wait_for_state(task(1), "running", 30.0)
    state = live(fleet, task(0))
    assert state["groups"] == {"total": 2, "ready": 0, "approximate": 0, "blocked": 2}
    assert (state["checkpoints_total"], state["group_lag"], state["interval_ms"]) == (2, 14, 60_000)
    assert state["sync"]["enabled"] is False


def test_other_groups_and_intervals_restart_neither_checkpoint_tasks_nor_slots(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    fleet.start("d1", "data")
    fleet.wait_for_slots(0, 1)
    assert wait_until(lambda: len(groups(fleet, 0, 1)) == 3, 30.0), fleet.logs()
    before = {name: live(fleet, name)["since_ms"] for name in (task(0), task(1), f"{SOURCE}/source/0")}
    changes = slot_changes(fleet)

    more = NamePatterns(allow=(*FLOW.groups.allow, "app-4"))
    faster = ConnectorSettings(checkpoint={"emit.checkpoints.interval.seconds": "5"})
    fleet.publish(replace(FLOW, groups=more, connectors=faster))

    assert wait_until(lambda: len(groups(fleet, 0, 1)) == 4, 15.0), fleet.logs()
    assert wait_until(lambda: live(fleet, task(0))["interval_ms"] == 5_000, 5.0)
    assert {name: live(fleet, name)["since_ms"] for name in before} == before
    assert slot_changes(fleet) == changes
    assert live(fleet, f"{SOURCE}/source/0")["generation"] == 1


def test_a_slot_that_no_longer_exists_ends_and_its_summary_is_gone(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    fleet.start("d1", "control")
    assert wait_until(lambda: len(groups(fleet, 0, 1)) == 3, 30.0), fleet.logs()

    fleet.publish(replace(FLOW, groups=NamePatterns(allow=("app-1",))))

    assert wait_until(lambda: summary(fleet, 1) is None, 15.0), fleet.logs()
    assert fleet.lease(task(1)) is None
    assert wait_until(lambda: set(groups(fleet, 0)) == {"app-1"}, 5.0)


def test_a_task_whose_source_does_not_answer_is_failed_with_the_cause(fleet: Fleet) -> None:
    dead = replace(FLOW, source="dead-east")
    fleet.publish(dead)
    fleet.start("d1", "control")

    fleet.wait_for_state("dead-east/checkpoint/0", "failed", 30.0)

    state = live(fleet, "dead-east/checkpoint/0")
    assert state["cause"]["code"] == "cluster_unreachable"


@pytest.mark.large  # every day: a killed driver
def test_a_killed_control_worker_is_replaced(fleet: Fleet) -> None:
    fleet.publish(FLOW)
    controls = {driver: fleet.start(driver, "control") for driver in ("d1", "d2")}
    fleet.wait_for_state(task(0), "running", 30.0)
    owner = live(fleet, task(0))["driver"]

    fleet.kill(controls[owner])

    assert wait_until(lambda: live(fleet, task(0)).get("driver") not in (None, owner), 20.0), fleet.logs()
    fleet.wait_for_state(task(0), "running", 30.0)
