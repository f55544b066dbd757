"""The report of a planner's task about orders for partitions that its plan does not contain."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet

from replication.domain.control.orders import Reset
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.errors import Cause
from replication.domain.plan.plan_document import PlanDocument, PlanTopic
from replication.domain.plan.slot import ClusterClient
from replication.worker.jobs.task_group import FlowOrder
from replication.worker.periodic.planning_run import PlanningRun
from replication.worker.state.plan_cache import PlanCache
from replication.worker.state.state_folder import StateFolder

ORDERS = PlanTopic(
    upstream="orders",
    remote="east.orders",
    topic_id=bytes(16),
    partitions=2,
    max_message_bytes=1,
    timestamp_type="CreateTime",
)
PLAN = PlanDocument(
    target="west",
    source="east",
    generation=1,
    version=1,
    desired_revision=1,
    planned_ms=100,
    tasks_max=1,
    topics=(ORDERS,),
    slots=(((0, 0), (0, 1)),),
)


class Planner:
    refresh_interval_ms = 1_000
    groups_problem: Cause | None = None

    def run_once(self, previous: PlanDocument | None, now_ms: int, others: Sequence[PlanDocument] = ()) -> PlanDocument:
        return PLAN

    def close(self) -> None: ...


def rejected(work: PlanningRun) -> Any:
    return work.live()["rejected_resets"]


def test_resets_of_partitions_that_no_slot_has_are_reported_once_the_plan_knows_of_them(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path, "d1", "control", [Fernet.generate_key().decode()])
    folder.lock()
    plans = PlanCache(folder)
    plans.store(PLAN)
    resets = tuple(Reset(id=f"r{number}", topic="orders", partition=number, to="earliest") for number in (1, 2))
    client = ClusterClient(alias="x", bootstrap=())
    flow = DesiredFlow(source="east", resets=resets)
    work = PlanningRun(FlowOrder(flow=flow, target_alias="west", source=client, target=client), Planner(), plans)
    assert rejected(work) == []

    work.run_once(1)

    assert [each["id"] for each in rejected(work)] == ["r2"]
    assert "no partition 2 of orders" in rejected(work)[0]["error"]
