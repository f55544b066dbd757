"""Slots of a flow in one process: started, changed, stopped, started again after a failure, given up when fenced."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from replication.domain.assignment.retries import RetryPolicy
from replication.domain.assignment.stop_reason import StopReason
from replication.domain.control.orders import RestartOrder
from replication.domain.errors import ClusterUnreachableError, FencedError
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.plan.slot import ClusterClient, PlannedPartition, SlotSpec
from replication.worker.jobs.source_group import SourceGroup
from srm_cli.machine.processes import wait_until
from tests.support.clock import StoppedClock
from tests.support.engine.fake_engine import FakeEngine

PARTITION = PlannedPartition(upstream=TopicPartition("orders", 0), remote_topic="east.orders", topic_id=bytes(16))
SPEC = SlotSpec(
    flow=FlowId("east", "west"),
    slot=0,
    generation=1,
    plan_version=1,
    source=ClusterClient(alias="east", bootstrap=("e:1",)),
    target=ClusterClient(alias="west", bootstrap=("w:1",)),
    partitions=(PARTITION,),
    offset_syncs_topic="mm2-offset-syncs.west.internal",
)


class Bench:
    """A group over a fake engine, moved step by step."""

    def __init__(self) -> None:
        self.notes: list[dict[str, Any]] = []
        self.engine = FakeEngine(self.notes.append)
        self.clock = StoppedClock()
        self.group = SourceGroup(self.engine, self.clock, driver="d1", boot="b1")

    def reconcile_until(self, condition: Callable[[], bool]) -> None:
        def step() -> bool:
            self.group.reconcile()
            return condition()

        assert wait_until(step, 5.0)

    def running(self) -> SlotSpec:
        self.group.set_orders({0: SPEC})
        self.group.reconcile()
        return self.engine.slots[0].spec

    def fail(self, error: BaseException) -> None:
        self.engine.slots[-1].fail(error)
        assert self.engine.slots[-1].wait(5.0)
        self.group.reconcile()


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_wanted_slot_is_started(bench: Bench) -> None:
    assert bench.running() == SPEC
    assert bench.group.status(0).state == "running"
    assert not bench.group.is_idle(0)


def test_new_partitions_reach_a_running_slot_without_a_restart(bench: Bench) -> None:
    bench.running()
    wider = replace(SPEC, plan_version=2, partitions=(PARTITION, PARTITION))

    bench.group.set_orders({0: wider})
    bench.group.reconcile()

    assert bench.engine.slots[0].spec == wider
    assert len(bench.engine.slots) == 1


def test_another_cluster_address_restarts_the_slot(bench: Bench) -> None:
    bench.running()
    moved = replace(SPEC, source=ClusterClient(alias="east", bootstrap=("other:1",)))

    bench.group.set_orders({0: moved})
    bench.reconcile_until(lambda: len(bench.engine.slots) == 2)

    assert bench.engine.slots[0].wait(0)
    assert bench.engine.slots[1].spec == moved


def test_another_login_reaches_a_running_slot_which_keeps_its_start_time(bench: Bench) -> None:
    source = replace(SPEC.source, client={"sasl.jaas.config": "former"})
    bench.group.set_orders({0: replace(SPEC, source=source)})
    bench.group.reconcile()
    began = bench.group.status(0).since_ms
    bench.clock.move(60_000)

    changed = replace(SPEC, source=replace(source, client={"sasl.jaas.config": "other"}))
    bench.group.set_orders({0: changed})
    bench.group.reconcile()

    assert [slot.spec for slot in bench.engine.slots] == [changed]
    assert bench.group.status(0).since_ms == began


def test_an_order_to_restart_the_task_starts_it_again_once(bench: Bench) -> None:
    bench.running()
    ordered = replace(SPEC, restarts=(RestartOrder(id="r-1"),))

    bench.group.set_orders({0: ordered})
    bench.reconcile_until(lambda: len(bench.engine.slots) == 2)
    assert bench.engine.slots[1].spec == ordered
    assert not bench.group.is_idle(0), "its lease stays"

    bench.group.set_orders({0: SPEC})  # the order is a day old
    bench.group.reconcile()
    bench.group.set_orders({0: replace(SPEC, restarts=(RestartOrder(id="r-2", topic="orders"),))})
    bench.group.reconcile()
    assert len(bench.engine.slots) == 2
    assert bench.group.status(0).state == "running"


def test_an_unwanted_slot_stops_and_is_idle_only_when_it_has_ended(bench: Bench) -> None:
    bench.running()

    bench.group.set_orders({})
    bench.group.reconcile()
    assert bench.group.status(0).state == "stopping"
    assert bench.group.needs_job()

    bench.reconcile_until(lambda: bench.group.is_idle(0))
    assert not bench.group.needs_job()


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"restarts": (RestartOrder(id="r-1"),)}, ("restart_ordered", "a restart of the task was ordered")),
        (
            {"generation": 2, "gap_policy": "stop"},
            ("replanned", "the plan was made again, and partitions may belong to other tasks"),
        ),
        (
            {"gap_policy": "stop", "source": ClusterClient(alias="east", bootstrap=("other:1",))},
            ("settings_changed", "the task restarts with changed settings: connection of cluster east, srm.gap.policy"),
        ),
    ],
    ids=["an order", "another plan", "another setting"],
)
def test_a_slot_that_restarts_is_told_why(bench: Bench, changed: dict[str, Any], cause: tuple[str, str]) -> None:
    bench.running()

    bench.group.set_orders({0: replace(SPEC, **changed)})
    bench.reconcile_until(lambda: len(bench.engine.slots) == 2)

    told = bench.engine.slots[0].stop_cause
    assert told is not None
    assert (told.code, told.text, told.since_ms) == (*cause, bench.clock.wall_ms())


def test_a_slot_without_an_order_is_told_the_first_reason(bench: Bench) -> None:
    bench.group.set_orders({0: SPEC, 1: replace(SPEC, slot=1)})
    bench.group.reconcile()

    bench.group.set_orders({1: replace(SPEC, slot=1)}, lambda slot: StopReason("drained", f"slot {slot}"))
    bench.group.set_orders({}, lambda slot: StopReason("driver_stops"))
    bench.group.reconcile()

    causes = [slot.stop_cause for slot in bench.engine.slots]
    assert [cause and cause.code for cause in causes] == ["drained", "driver_stops"]
    assert causes[0] is not None
    assert causes[0].text == "the driver is drained, the task moves to another one: slot 0"


def test_a_slot_that_failed_shows_its_cause_and_starts_again_after_a_pause(bench: Bench) -> None:
    bench.running()

    bench.fail(ClusterUnreachableError("cluster east does not answer", cluster="east"))

    status = bench.group.status(0)
    assert status.state == "failed"
    assert status.cause is not None
    assert status.cause.code == "cluster_unreachable"
    bench.clock.move(999)
    bench.group.reconcile()
    assert len(bench.engine.slots) == 1
    bench.clock.move(1)
    bench.group.reconcile()
    assert len(bench.engine.slots) == 2


def test_the_pause_doubles_until_the_slot_was_well_for_a_minute(bench: Bench) -> None:
    bench.running()
    for pause_ms in (1_000, 2_000, 4_000):
        bench.fail(RuntimeError("boom"))
        bench.clock.move(pause_ms - 1)
        bench.group.reconcile()
        assert bench.group.status(0).state == "failed"
        bench.clock.move(1)
        bench.group.reconcile()
        assert bench.group.status(0).state == "running"

    bench.clock.move(60_000)
    bench.fail(RuntimeError("boom"))
    bench.clock.move(1_000)
    bench.group.reconcile()

    assert bench.group.status(0).state == "running"


def test_a_slot_that_ends_without_reason_counts_as_failed(bench: Bench) -> None:
    bench.running()

    bench.engine.slots[0].stop()
    assert bench.engine.slots[0].wait(5.0)
    bench.group.reconcile()

    cause = bench.group.status(0).cause
    assert cause is not None
    assert cause.code == "fatal"


def test_a_fenced_slot_is_given_up_until_it_is_wanted_again(bench: Bench) -> None:
    bench.running()

    bench.fail(FencedError("another producer took the slot"))
    bench.clock.move(60_000)
    bench.group.reconcile()

    assert bench.group.status(0).fenced
    assert bench.group.is_idle(0)
    assert len(bench.engine.slots) == 1
    bench.group.set_orders({})
    bench.group.set_orders({0: SPEC})
    bench.group.reconcile()
    assert len(bench.engine.slots) == 2


def test_a_start_the_engine_refuses_is_shown_and_tried_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(spec: SlotSpec, *, driver: str, boot: str) -> None:
        raise ValueError("not possible")

    monkeypatch.setattr(bench.engine, "start_slot", refuse)
    bench.group.set_orders({0: SPEC})
    bench.group.reconcile()
    cause = bench.group.status(0).cause
    assert cause is not None
    assert "not possible" in cause.text

    monkeypatch.undo()
    bench.clock.move(1_000)
    bench.group.reconcile()

    assert bench.group.status(0).state == "running"


def test_the_live_state_of_the_engine_is_not_changed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.running()
    shared: dict[str, Any] = {"state": "running"}
    monkeypatch.setattr(bench.engine.slots[0], "live", lambda: shared)

    fields = bench.group.status(0).fields

    assert fields["slot"] == 0
    assert shared == {"state": "running"}


def test_the_job_parks_until_everything_has_ended(bench: Bench) -> None:
    bench.running()
    bench.group.set_orders({})

    bench.group.run()

    assert bench.engine.slots[0].wait(0)
    assert bench.group.is_idle(0)


def test_a_slot_that_used_up_its_retries_stays_failed_with_their_number_until_its_order_changes(bench: Bench) -> None:
    bench.group.set_orders({0: replace(SPEC, retries=RetryPolicy(count=1, delay_ms=500))})
    bench.group.reconcile()
    bench.fail(ClusterUnreachableError("east does not answer"))
    bench.clock.move(500)
    bench.group.reconcile()
    assert bench.group.status(0).state == "running"

    bench.fail(ClusterUnreachableError("east does not answer"))
    bench.clock.move(3_600_000)
    bench.group.reconcile()

    status = bench.group.status(0)
    assert status.state == "failed"
    assert status.cause is not None
    assert "retried 1 time," in status.cause.text
    bench.group.set_orders({0: replace(SPEC, retries=RetryPolicy(count=2, delay_ms=500))})
    bench.group.reconcile()
    assert bench.group.status(0).state == "running"
