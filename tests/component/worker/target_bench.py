"""One driver and a leader over a real Redis, moved step by step with a clock of our own."""

import json
import uuid
from dataclasses import dataclass, field, replace
from typing import Any

from replication.domain.assignment.lease import LeaseValue
from replication.domain.desired.desired_document import DesiredCluster, DesiredDocument, DesiredFlow
from replication.domain.identifiers import TaskId
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.worker.assignment.lease_keeper import LeaseKeeper
from replication.worker.assignment.target_tasks import TargetTasks, TargetView
from replication.worker.jobs.group_registry import GroupRegistry
from replication.worker.jobs.source_group import SourceGroup
from replication.worker.state import keys
from replication.worker.state.desired_cache import AppliedDesired
from replication.worker.state.redis_store import RedisStore
from tests.support.clock import StoppedClock
from tests.support.engine.fake_engine import FakeEngine

SLOT = TaskId("east", "source", 0)
FLOW = DesiredFlow(source="east", heartbeats=False)


@dataclass(slots=True)
class Bench:
    """One driver d1 (data role) and a leader, on a target name of the test's own."""

    store: RedisStore
    target: str = field(default_factory=lambda: f"west-{uuid.uuid4().hex[:8]}")
    clock: StoppedClock = field(default_factory=StoppedClock)
    engine: FakeEngine = field(default_factory=lambda: FakeEngine(lambda note: None))

    def tasks(self) -> TargetTasks:
        keeper = LeaseKeeper(self.store, self.clock, driver="d1", boot="b2", earlier_boots={"b1"})
        groups = GroupRegistry(lambda key: SourceGroup(self.engine, self.clock, driver="d1", boot="b2"))
        return TargetTasks("data", "d1", keeper, groups, self.clock)

    def view(
        self, *, assignment: dict[str, str], flow: DesiredFlow = FLOW, generation: int = 1, slots: int = 1
    ) -> TargetView:
        document = DesiredDocument(
            target=self.target,
            revision=1,
            published_ms=0,
            clusters={alias: DesiredCluster(bootstrap=("x:1",)) for alias in ("east", self.target)},
            flows=(flow,),
        )
        clients = {alias: ClusterClient(alias=alias, bootstrap=("x:1",)) for alias in ("east", self.target)}
        plan = PlanDocument(
            target=self.target,
            source="east",
            generation=generation,
            version=1,
            desired_revision=1,
            planned_ms=0,
            tasks_max=slots,
            topics=(),
            slots=((),) * slots,
            older_slots=2,
        )
        applied = AppliedDesired(document=document, clients=clients, rejected=())
        view = TargetView(target=self.target, applied=applied, plans={"east": plan}, assignment=assignment, leases={})
        tasks = sorted(view.lease_tasks())
        values = self.store.get([keys.lease(self.target, task) for task in tasks])
        pairs = zip(tasks, values, strict=True)
        leases = {task: None if raw is None else LeaseValue.parse(raw.decode()) for task, raw in pairs}
        return replace(view, leases=leases)

    def lease(self, task: TaskId, value: str) -> None:
        assert self.store.acquire(keys.lease(self.target, task), None, value, 60_000)

    def member(self, driver: str, role: str, life_ms: int = 10_000) -> None:
        document: dict[str, Any] = {"id": driver, "role": role, "targets": [self.target], "drain": False}
        self.store.renew_membership(f"{keys.PREFIX}driver:{driver}:{role}", json.dumps(document), life_ms, ["b"])

    def assignment(self) -> dict[str, str]:
        return self.store.assignments([self.target])[self.target]
