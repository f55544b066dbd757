"""Leader and owner over a real Redis, moved step by step with a clock of our own."""

from dataclasses import replace

import pytest

from replication.domain.assignment.lease import LEADER_MS
from replication.domain.control.orders import Stop
from replication.domain.errors import FencedError
from replication.domain.identifiers import TaskId
from replication.domain.plan.plan_document import PlanTopic
from replication.worker.assignment.leader import OBSERVE_MS, Leader
from replication.worker.jobs.group_registry import GroupKey
from replication.worker.jobs.source_group import SourceGroup
from replication.worker.state import keys
from srm_cli.machine.processes import wait_until
from tests.component.worker.target_bench import FLOW, SLOT, Bench

pytestmark = pytest.mark.redis


def test_a_leader_watches_before_it_decides(bench: Bench) -> None:
    leader = Leader(bench.store, bench.clock, "d1", "b2")
    bench.member("d1", "data")
    view = bench.view(assignment={})

    leader.tick([view])
    assert bench.assignment() == {}
    bench.clock.move(OBSERVE_MS)
    leader.tick([view])

    assert bench.assignment() == {str(SLOT): "d1"}


def test_of_two_leaders_one_leads(bench: Bench) -> None:
    first, second = (Leader(bench.store, bench.clock, name, "b") for name in ("d1", "d2"))
    bench.member("d1", "data")
    view = bench.view(assignment={})
    for leader in (first, second):
        leader.tick([view])
    bench.clock.move(OBSERVE_MS)

    second.tick([view])

    assert bench.assignment() == {}


def test_a_leader_whose_leadership_was_lost_with_redis_watches_again(bench: Bench) -> None:
    leader = Leader(bench.store, bench.clock, "d1", "b2")
    bench.member("d1", "data")
    view = bench.view(assignment={})
    leader.tick([view])
    bench.clock.move(OBSERVE_MS)
    bench.store.delete(keys.LEADER)

    leader.tick([view])
    assert leader.leads
    assert bench.assignment() == {}
    bench.clock.move(OBSERVE_MS)
    leader.tick([view])

    assert bench.assignment() == {str(SLOT): "d1"}


def test_a_leader_whose_rounds_take_longer_than_its_leadership_assigns(bench: Bench) -> None:
    leader = Leader(bench.store, bench.clock, "d1", "b2")
    bench.member("d1", "data")
    view = bench.view(assignment={})
    leader.tick([view])
    bench.clock.move(LEADER_MS)
    bench.store.delete(keys.LEADER)

    leader.tick([view])

    assert bench.assignment() == {str(SLOT): "d1"}


def test_a_control_worker_whose_own_targets_have_no_document_leads(bench: Bench) -> None:
    leader = Leader(bench.store, bench.clock, "d1", "b2")

    leader.tick([])

    assert leader.leads


def test_after_redis_lost_everything_tasks_stay_with_the_owners_of_their_leases(bench: Bench) -> None:
    leader = Leader(bench.store, bench.clock, "d1", "b2")
    for driver in ("d1", "d2"):
        bench.member(driver, "data")
    bench.lease(SLOT, "d2|b1|1")
    view = bench.view(assignment={})
    leader.tick([view])
    bench.clock.move(OBSERVE_MS)

    leader.tick([view])

    assert bench.assignment() == {str(SLOT): "d2"}


def test_a_silent_driver_gets_nothing_new(bench: Bench) -> None:
    leader = Leader(bench.store, bench.clock, "d1", "b2")
    bench.member("d1", "data", life_ms=3_000)
    bench.member("d2", "data")
    view = bench.view(assignment={})
    leader.tick([view])
    bench.clock.move(OBSERVE_MS)

    leader.tick([view])

    assert bench.assignment() == {str(SLOT): "d2"}


def test_a_task_that_no_driver_can_take_stays_promised(bench: Bench) -> None:
    leader = Leader(bench.store, bench.clock, "d1", "b2")
    bench.store.renew({keys.LEADER: "d1|b2"}, 60_000)
    bench.store.replace_assignment(bench.target, "d1|b2", {str(SLOT): "d2"})
    view = bench.view(assignment={str(SLOT): "d2"})
    leader.tick([view])
    bench.clock.move(OBSERVE_MS)

    leader.tick([view])

    assert bench.assignment() == {str(SLOT): "d2"}


def test_a_wanted_task_is_taken_and_given_its_order(bench: Bench) -> None:
    tasks = bench.tasks()

    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))

    assert tasks.keeper.holding() == [(bench.target, SLOT)]
    assert all(isinstance(group, SourceGroup) and group.needs_job() for _, group in tasks.groups.items())


def test_a_task_wanted_elsewhere_is_left_alone(bench: Bench) -> None:
    tasks = bench.tasks()

    tasks.tick(bench.view(assignment={str(SLOT): "d2"}))

    assert tasks.keeper.holding() == []


def test_a_lease_of_our_own_earlier_start_is_taken_over_at_once(bench: Bench) -> None:
    bench.lease(SLOT, "d1|b1|1")
    tasks = bench.tasks()

    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))

    assert tasks.keeper.holding() == [(bench.target, SLOT)]


def test_a_slot_waits_until_every_slot_of_the_older_generation_gave_its_lease_back(bench: Bench) -> None:
    older = TaskId("east", "source", 1)
    bench.lease(older, "d2|b1|1")
    tasks = bench.tasks()

    tasks.tick(bench.view(assignment={str(SLOT): "d1"}, generation=2))
    assert tasks.keeper.holding() == []
    bench.store.release({keys.lease(bench.target, older): "d2|b1|1"})
    tasks.tick(bench.view(assignment={str(SLOT): "d1"}, generation=2))

    assert tasks.keeper.holding() == [(bench.target, SLOT)]


def test_a_running_task_continues_while_the_leader_says_nothing(bench: Bench) -> None:
    tasks = bench.tasks()
    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))
    ((_, group),) = tasks.groups.items()
    assert isinstance(group, SourceGroup)
    group.reconcile()

    tasks.tick(bench.view(assignment={}))

    assert group.status(0).state == "running"
    assert tasks.keeper.holding() == [(bench.target, SLOT)]


def test_a_task_wanted_elsewhere_keeps_its_lease_until_it_has_ended(bench: Bench) -> None:
    tasks = bench.tasks()
    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))
    ((_, group),) = tasks.groups.items()
    assert isinstance(group, SourceGroup)
    group.reconcile()

    moved = bench.view(assignment={str(SLOT): "d2"})
    tasks.tick(moved)
    assert tasks.keeper.holding() == [(bench.target, SLOT)]
    assert wait_until(lambda: group.reconcile() is None and group.is_idle(0), 5.0)  # type: ignore[func-returns-value]  # a step, then a look
    tasks.tick(moved)

    assert tasks.keeper.holding() == []


def test_a_fenced_task_is_given_back_and_not_taken_again_for_ten_seconds(bench: Bench) -> None:
    tasks = bench.tasks()
    view = bench.view(assignment={str(SLOT): "d1"})
    tasks.tick(view)
    ((_, group),) = tasks.groups.items()
    assert isinstance(group, SourceGroup)
    group.reconcile()
    bench.engine.slots[0].fail(FencedError("taken over"))
    assert bench.engine.slots[0].wait(5.0)
    group.reconcile()

    tasks.tick(view)
    assert tasks.keeper.holding() == []
    bench.clock.move(9_999)
    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))
    assert tasks.keeper.holding() == []
    bench.clock.move(1)
    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))
    assert tasks.keeper.holding() == [(bench.target, SLOT)]


def test_a_setting_that_cannot_be_used_is_told_and_the_last_good_order_stays(bench: Bench) -> None:
    tasks = bench.tasks()
    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))
    ((_, group),) = tasks.groups.items()
    assert isinstance(group, SourceGroup)
    group.reconcile()
    connectors = replace(FLOW.connectors, source={"offset.lag.max": "many"})

    tasks.tick(bench.view(assignment={str(SLOT): "d1"}, flow=replace(FLOW, connectors=connectors)))

    assert "offset.lag.max" in tasks.causes[(bench.target, SLOT)].text
    assert group.status(0).state == "running"


def test_tasks_that_an_outage_stopped_get_their_orders_again(bench: Bench) -> None:
    tasks, view = bench.tasks(), bench.view(assignment={str(SLOT): "d1"})
    tasks.tick(view)
    tasks.tick(view)
    ((_, group),) = tasks.groups.items()
    assert isinstance(group, SourceGroup)

    group.set_orders({})
    tasks.forget_orders()
    assert not group.needs_job()
    tasks.tick(view)

    assert group.needs_job()


def test_a_leader_that_has_settled_decides_again_when_a_driver_leaves(bench: Bench) -> None:
    leader = Leader(bench.store, bench.clock, "d1", "b2")
    for driver in ("d1", "d2"):
        bench.member(driver, "data")
    leader.tick([bench.view(assignment={})])
    bench.clock.move(OBSERVE_MS)
    leader.tick([bench.view(assignment={})])
    owner = bench.assignment()[str(SLOT)]
    bench.lease(SLOT, f"{owner}|b|1")
    for _ in range(2):
        leader.tick([bench.view(assignment=bench.assignment())])

    bench.store.delete(f"{keys.PREFIX}driver:{owner}:data", keys.lease(bench.target, SLOT))
    leader.tick([bench.view(assignment=bench.assignment())])

    assert bench.assignment() == {str(SLOT): ({"d1", "d2"} - {owner}).pop()}


def test_a_stopped_flow_stops_its_slots_and_gives_the_leases_back(bench: Bench) -> None:
    tasks = bench.tasks()
    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))

    tasks.tick(bench.view(assignment={str(SLOT): "d1"}, flow=replace(FLOW, state="stop")))

    assert tasks.keeper.holding() == []
    assert bench.store.get([keys.lease(bench.target, SLOT)]) == [None]


def test_a_stop_of_a_topic_ends_at_its_time_without_a_new_document(bench: Bench) -> None:
    until_ms = bench.clock.wall_ms() + 1_000
    flow = replace(FLOW, stops=(Stop(topic="orders", until_ms=until_ms),))
    view = bench.view(assignment={str(SLOT): "d1"}, flow=flow)
    topic = PlanTopic(
        upstream="orders",
        remote="east.orders",
        topic_id=bytes(16),
        partitions=1,
        max_message_bytes=9,
        timestamp_type="CreateTime",
    )
    view = replace(view, plans={"east": replace(view.plans["east"], topics=(topic,), slots=(((0, 0),),))})
    tasks = bench.tasks()

    def partitions() -> int:
        tasks.tick(view)
        group = tasks.groups.get(GroupKey.of(bench.target, SLOT))
        assert isinstance(group, SourceGroup)
        group.reconcile()
        return len(bench.engine.slots[0].spec.partitions)

    assert partitions() == 0
    bench.clock.move(1_000)
    assert partitions() == 1
    assert len(bench.engine.slots) == 1


def test_the_state_of_a_task_without_a_driver_is_renewed_while_nothing_changes(bench: Bench) -> None:
    leader, state = Leader(bench.store, bench.clock, "d1", "b2"), keys.live(bench.target, SLOT)
    view = bench.view(assignment={})
    leader.tick([view])
    bench.clock.move(OBSERVE_MS)

    for _ in range(2):
        leader.tick([view])
        assert bench.store.get([state]) != [None]
        bench.store.delete(state)
        bench.clock.move(1_000)
        leader.tick([view])
        assert bench.store.get([state]) == [None]
        bench.clock.move(1_000)
