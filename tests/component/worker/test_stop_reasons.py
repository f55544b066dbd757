"""Slots without an order are told why, over a real Redis."""

from dataclasses import replace
from typing import Any

import pytest

from replication.domain.desired.desired_document import DesiredFlow, Pause
from replication.domain.desired.desired_drivers import Drain
from replication.worker.jobs.source_group import SourceGroup
from replication.worker.state import keys
from tests.component.worker.target_bench import FLOW, SLOT, Bench

pytestmark = pytest.mark.redis
DRAIN = Drain(reason="new disks", by="ann", since_ms=0)
PAUSE = Pause(reason="upgrade", by="ann")
REPLANNED = ("replanned", "the plan was made again, and partitions may belong to other tasks")


@pytest.mark.parametrize(
    ("flow", "changed", "drain", "cause"),
    [
        (replace(FLOW, state="stop", pause=PAUSE), {}, None, ("flow_stopped", "the flow is stopped: upgrade (ann)")),
        (replace(FLOW, state="pause", pause=PAUSE), {}, None, ("flow_paused", "the flow is paused: upgrade (ann)")),
        (replace(FLOW, enabled=False), {}, None, ("flow_disabled", "the flow is disabled")),
        (replace(FLOW, source="north"), {}, None, ("flow_removed", "the flow was removed")),
        (FLOW, {"generation": 2}, None, REPLANNED),
        (FLOW, {"slots": 0}, None, REPLANNED),
        (FLOW, {"assignment": {str(SLOT): "d2"}}, None, ("rebalanced", "the task moves to another driver: d2")),
        (
            FLOW,
            {"assignment": {str(SLOT): "d2"}},
            DRAIN,
            ("drained", "the driver is drained, the task moves to another one: new disks (ann)"),
        ),
    ],
)
def test_a_slot_is_told_why_it_has_no_order_any_more(
    bench: Bench, flow: DesiredFlow, changed: dict[str, Any], drain: Drain | None, cause: tuple[str, str]
) -> None:
    tasks = bench.tasks()
    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))
    ((_, group),) = tasks.groups.items()
    assert isinstance(group, SourceGroup)
    group.reconcile()

    view = bench.view(**{"assignment": {str(SLOT): "d1"}, **changed}, flow=flow)
    tasks.tick(replace(view, drain=drain))
    group.reconcile()

    told = bench.engine.slots[0].stop_cause
    assert told is not None
    assert (told.code, told.text) == cause


def test_a_slot_whose_lease_another_driver_has_is_told_so(bench: Bench) -> None:
    tasks, view = bench.tasks(), bench.view(assignment={str(SLOT): "d1"})
    tasks.tick(view)
    ((_, group),) = tasks.groups.items()
    assert isinstance(group, SourceGroup)
    group.reconcile()

    bench.store.delete(keys.lease(bench.target, SLOT))
    bench.lease(SLOT, "d2|b|1")
    tasks.keeper.renew(everything=True)
    tasks.tick(bench.view(assignment={str(SLOT): "d1"}))
    group.reconcile()

    told = bench.engine.slots[0].stop_cause
    assert told is not None
    assert told.code == "lease_lost"
