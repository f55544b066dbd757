"""One tick of one target cluster: which tasks this process takes, runs with which orders, and gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from replication.domain.assignment import Role, role_of, tasks_of
from replication.domain.desired import DesiredFlow
from replication.domain.errors import Cause, ConfigurationError
from replication.domain.identifiers import TaskId, TaskKind
from replication.domain.lease import FENCED_PAUSE_MS, LeaseValue, another_generation_runs
from replication.domain.plan import PlanDocument
from replication.domain.slot import ClusterClient
from replication.worker.clock import Clock
from replication.worker.desired_cache import AppliedDesired
from replication.worker.group_registry import GroupKey, GroupRegistry
from replication.worker.lease_keeper import LeaseKeeper, TaskKey
from replication.worker.slot_spec import build_slot_spec
from replication.worker.task_group import FlowOrder

_UNPLANNED: tuple[TaskKind, ...] = ("plan", "heartbeat")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetView:
    """What is known about a target at the start of a tick."""

    target: str
    applied: AppliedDesired
    plans: Mapping[str, PlanDocument]  # by source
    want: Mapping[str, str]  # task -> driver
    leases: Mapping[TaskId, LeaseValue | None]

    def expected(self, now_ms: int) -> frozenset[TaskId]:
        """All tasks the target needs, whoever runs them."""
        slots = {source: len(plan.slots) for source, plan in self.plans.items()}
        return tasks_of(self.applied.document, slots, now_ms)

    def lease_tasks(self) -> frozenset[TaskId]:
        """The tasks whose leases matter: the present ones, and slots an older generation may still run."""
        sources = [flow.source for flow in self.applied.document.flows]
        tasks = {TaskId(source, kind, 0) for source in sources for kind in _UNPLANNED}
        for source, plan in self.plans.items():
            tasks.update(TaskId(source, "source", slot) for slot in range(max(len(plan.slots), plan.older_slots)))
        return frozenset(tasks)

    def generation_of(self, task: TaskId) -> int:
        """Slots belong to a plan's generation; planner and heartbeat know none."""
        return self.plans[task.source].generation if task.kind == "source" else 0


@dataclass(slots=True)
class TargetTasks:
    """Coordinator thread only. `causes` holds why a task that is ours cannot be given its orders."""

    role: Role
    driver: str
    keeper: LeaseKeeper
    groups: GroupRegistry
    clock: Clock
    causes: dict[TaskKey, Cause] = field(default_factory=dict)
    _orders: dict[TaskKey, object] = field(default_factory=dict)
    _built: dict[TaskKey, "_Inputs"] = field(default_factory=dict)
    _fenced_until_ms: dict[TaskKey, int] = field(default_factory=dict)

    def tick(self, view: TargetView) -> None:
        """Stop what is not ours any more, take what is free and ours, hand out orders. CoordinatorLostError."""
        expected = {task for task in view.expected(self.clock.wall_ms()) if role_of(task) == self.role}
        for task in sorted(expected):
            if self._may_start(view, task):
                self.keeper.take((view.target, task), view.generation_of(task), view.leases.get(task))
        staying = {task for target, task in self.keeper.holding(view.target) if self._stays(view, task, expected)}
        self._hand_out(view, staying)
        self._give_back(view.target, staying)

    def _may_start(self, view: TargetView, task: TaskId) -> bool:
        key = (view.target, task)
        is_wanted_here = view.want.get(str(task)) == self.driver
        is_held = self.keeper.value(key) is not None
        is_pausing = self.clock.monotonic_ms() < self._fenced_until_ms.get(key, 0)
        return is_wanted_here and not is_held and not is_pausing and not self._must_wait(view, task)

    def _must_wait(self, view: TargetView, task: TaskId) -> bool:
        if task.kind != "source":
            return False
        siblings = [
            lease for other, lease in view.leases.items() if (other.source, other.kind) == (task.source, "source")
        ]
        return another_generation_runs(siblings, view.generation_of(task))

    def _stays(self, view: TargetView, task: TaskId, expected: set[TaskId]) -> bool:
        """Without a word of the leader a running task goes on: Redis may have come back empty."""
        held = self.keeper.value((view.target, task))
        is_ours = view.want.get(str(task), self.driver) == self.driver
        return task in expected and is_ours and held is not None and held.generation == view.generation_of(task)

    def _hand_out(self, view: TargetView, staying: set[TaskId]) -> None:
        orders: dict[GroupKey, dict[int, Any]] = {
            key: {} for key, _ in self.groups.items() if key.target == view.target
        }
        for task in sorted(staying):
            order = self._good_order(view, task)
            if order is not None:
                orders.setdefault(GroupKey.of(view.target, task), {})[task.slot] = order
        for group_key, slots in orders.items():
            self.groups.get(group_key).want(slots)

    def _good_order(self, view: TargetView, task: TaskId) -> object | None:
        """The present order, or the last good one while the present settings cannot be used."""
        key = (view.target, task)
        inputs = _Inputs.of(view, task)
        if key in self._built and self._built[key].are(inputs):
            return self._orders.get(key)
        self._built[key] = inputs
        try:
            self._orders[key] = inputs.order(view.target, task)
            self.causes.pop(key, None)
        except ValueError as error:
            self.causes[key] = Cause.of(ConfigurationError(str(error)), self.clock.wall_ms())
        return self._orders.get(key)

    def _give_back(self, target: str, staying: set[TaskId]) -> None:
        released: list[TaskKey] = []
        for key in self.keeper.holding(target):
            task = key[1]
            group = self.groups.get(GroupKey.of(target, task))
            if group.status(task.slot).fenced:
                self._fenced_until_ms[key] = self.clock.monotonic_ms() + FENCED_PAUSE_MS
                released.append(key)
            elif task not in staying and group.is_idle(task.slot):
                released.append(key)
        self.keeper.release(released)
        for key in released:
            self.causes.pop(key, None)
            self._orders.pop(key, None)
            self._built.pop(key, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inputs:
    """What an order is made of. The caches keep these objects until they change, so identity tells quickly."""

    flow: DesiredFlow
    plan: PlanDocument | None
    source: ClusterClient
    target: ClusterClient
    revision: int

    @classmethod
    def of(cls, view: TargetView, task: TaskId) -> "_Inputs":
        flow = next(flow for flow in view.applied.document.flows if flow.source == task.source)
        plan = view.plans[task.source] if task.kind == "source" else None
        clients = view.applied.clients
        return cls(
            flow=flow,
            plan=plan,
            source=clients[task.source],
            target=clients[view.target],
            revision=view.applied.document.revision,
        )

    def are(self, other: "_Inputs") -> bool:
        same_flow = self.flow is other.flow and self.plan is other.plan
        return same_flow and self.source is other.source and self.target is other.target

    def order(self, target: str, task: TaskId) -> object:
        """ValueError when a setting cannot be used."""
        if self.plan is not None:
            return build_slot_spec(self.flow, self.plan, task.slot, self.source, self.target)
        return FlowOrder(
            flow=self.flow, target_alias=target, source=self.source, target=self.target, revision=self.revision
        )
