"""One tick of one target cluster: acquires tasks, gives them their orders and releases them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from replication.domain.assignment.assignment import (
    DriverRole,
    PlannedSlots,
    TaskKey,
    next_change_ms,
    role_of,
    tasks_of,
)
from replication.domain.assignment.lease import FENCED_PAUSE_MS, LeaseValue, another_generation_runs
from replication.domain.assignment.stop_reason import StopCode, StopReason
from replication.domain.control.orders import Stop
from replication.domain.desired.desired_document import DesiredFlow, Pause
from replication.domain.desired.desired_drivers import Drain
from replication.domain.errors import Cause, ConfigurationError
from replication.domain.identifiers import TaskId, TaskKind
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.worker.assignment.lease_keeper import LeaseKeeper
from replication.worker.clock import Clock
from replication.worker.engine.slot_spec import build_slot_spec, without_stopped
from replication.worker.jobs.group_registry import GroupKey, GroupRegistry
from replication.worker.jobs.task_group import CheckpointSlotOrder, FlowOrder
from replication.worker.state.desired_cache import AppliedDesired

_UNPLANNED: tuple[TaskKind, ...] = ("plan", "heartbeat")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expected:
    tasks: frozenset[TaskId]
    from_ms: int
    until_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetView:
    """The state of a target at the start of a tick."""

    target: str
    applied: AppliedDesired
    plans: Mapping[str, PlanDocument]  # by source
    assignment: Mapping[str, str]  # task -> driver
    leases: Mapping[TaskId, LeaseValue | None]
    reverse: Mapping[str, DesiredFlow] = field(default_factory=dict)  # flows the other way, by our source
    drain: Drain | None = None  # of this process
    _expected: list["_Expected"] = field(default_factory=list, init=False, repr=False, compare=False)

    def expected(self, now_ms: int) -> frozenset[TaskId]:
        """All tasks of the target, on every driver; the same object while they are the same."""
        if not self._expected or not self._expected[0].from_ms <= now_ms < self._expected[0].until_ms:
            until_ms = next_change_ms(self.applied.document, now_ms)
            self._expected[:] = [_Expected(tasks=self._tasks_at(now_ms), from_ms=now_ms, until_ms=until_ms)]
        return self._expected[0].tasks

    def _tasks_at(self, now_ms: int) -> frozenset[TaskId]:
        slots = {source: PlannedSlots(len(plan.slots), len(plan.groups.slots)) for source, plan in self.plans.items()}
        return tasks_of(self.applied.document, slots, now_ms)

    def lease_tasks(self) -> frozenset[TaskId]:
        """The tasks whose leases are read: the present ones, and slots that an older generation may still run."""
        sources = [flow.source for flow in self.applied.document.flows]
        tasks = {TaskId(source, kind, 0) for source in sources for kind in _UNPLANNED}
        for source, plan in self.plans.items():
            tasks.update(TaskId(source, "source", slot) for slot in range(max(len(plan.slots), plan.older_slots)))
            tasks.update(TaskId(source, "checkpoint", slot) for slot in range(len(plan.groups.slots)))
        return frozenset(tasks)

    def generation_of(self, task: TaskId) -> int:
        """The generation of a source slot's plan; 0 for all other tasks."""
        return self.plans[task.source].generation if task.kind == "source" else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TickResult:
    """`released`: leases became free. `stopping`: tasks are stopping, and their leases become free soon."""

    released: bool
    stopping: bool


@dataclass(slots=True)
class TargetTasks:
    """Used by the coordinator thread only. `causes` explains why a held task cannot get its orders."""

    role: DriverRole
    driver: str
    keeper: LeaseKeeper
    groups: GroupRegistry
    clock: Clock
    causes: dict[TaskKey, Cause] = field(default_factory=dict)
    _orders: dict[TaskKey, object] = field(default_factory=dict)
    _built: dict[TaskKey, "_Inputs"] = field(default_factory=dict)
    _fenced_until_ms: dict[TaskKey, int] = field(default_factory=dict)
    _distributed: dict[str, "_MadeFrom"] = field(default_factory=dict)  # the orders, by target
    _settled: dict[str, "_Settled"] = field(default_factory=dict)  # of targets of which nothing is to do

    def forget_orders(self) -> None:
        """Groups were stopped by others: the next tick gives them their orders again."""
        self._distributed.clear()
        self._settled.clear()

    def tick(self, view: TargetView) -> TickResult:
        """Acquire assigned tasks, distribute orders, stop and release the rest. Raises CoordinatorLostError."""
        self.keeper.moves.see(view.target, view.leases)
        expected = view.expected(self.clock.wall_ms())
        settled = self._settled.get(view.target)
        if settled is not None and settled.is_so(view, expected, self.keeper.values_of(view.target)):
            released = self._release_finished(view.target, settled.tasks)
            return TickResult(released=bool(released), stopping=False)
        return self._change(view, expected)

    def _change(self, view: TargetView, expected: frozenset[TaskId]) -> TickResult:
        ours = {task for task in expected if role_of(task) == self.role}
        held = {task for _, task in self.keeper.holding(view.target)}
        for task in sorted(ours - held):
            if self._may_start(view, task):
                self.keeper.acquire((view.target, task), view.generation_of(task), view.leases.get(task))
        staying = {task for target, task in self.keeper.holding(view.target) if self._stays(view, task, ours)}
        if not self._has_orders(view, staying):
            self._distribute_orders(view, staying)
        released = self._release_finished(view.target, staying)
        left = {task for _, task in self.keeper.holding(view.target)}
        self._note_settled(view, expected, (ours, staying, left))
        return TickResult(released=bool(released), stopping=bool(left - staying))

    def _note_settled(
        self, view: TargetView, expected: frozenset[TaskId], sets: tuple[set[TaskId], set[TaskId], set[TaskId]]
    ) -> None:
        """Remember that nothing is to do until something changes: no task is to start or to stop, at no time."""
        ours, staying, left = sets
        is_waiting = any(view.assignment.get(str(task)) == self.driver for task in ours - left)
        has_stops = any(flow.stops for flow in view.applied.document.flows)
        if is_waiting or has_stops or staying != left:
            self._settled.pop(view.target, None)
        else:
            leases = dict(self.keeper.values_of(view.target))
            self._settled[view.target] = _Settled(view=view, expected=expected, leases=leases, tasks=staying)

    def _may_start(self, view: TargetView, task: TaskId) -> bool:
        is_wanted_here = view.assignment.get(str(task)) == self.driver
        is_pausing = self.clock.monotonic_ms() < self._fenced_until_ms.get((view.target, task), 0)
        return is_wanted_here and not is_pausing and not self._must_wait(view, task)

    def _must_wait(self, view: TargetView, task: TaskId) -> bool:
        if task.kind != "source":
            return False
        siblings = [
            lease for other, lease in view.leases.items() if (other.source, other.kind) == (task.source, "source")
        ]
        return another_generation_runs(siblings, view.generation_of(task))

    def _stays(self, view: TargetView, task: TaskId, expected: set[TaskId]) -> bool:
        """A task without an assignment keeps running: Redis may have restarted empty."""
        held = self.keeper.value((view.target, task))
        is_ours = view.assignment.get(str(task), self.driver) == self.driver
        return task in expected and is_ours and held is not None and held.generation == view.generation_of(task)

    def _has_orders(self, view: TargetView, staying: set[TaskId]) -> bool:
        """Return True if nothing has changed since the orders were made; orders that end at a time may change any time.

        The caches keep documents and plans until they change, so comparing identity suffices.
        """
        flows = view.applied.document.flows
        made_from = _MadeFrom(view.applied, view.plans, view.reverse, staying)
        before, self._distributed[view.target] = self._distributed.get(view.target), made_from
        return before is not None and before.same_as(made_from) and not any(flow.stops for flow in flows)

    def _distribute_orders(self, view: TargetView, staying: set[TaskId]) -> None:
        orders: dict[GroupKey, dict[int, Any]] = {
            key: {} for key, _ in self.groups.items() if key.target == view.target
        }
        for task in sorted(staying):
            order = self._last_valid_order(view, task)
            if order is not None:
                orders.setdefault(GroupKey.of(view.target, task), {})[task.slot] = order
        for group_key, slots in orders.items():
            self.groups.get(group_key).set_orders(slots, partial(self._why_stopped, view, group_key))

    def _why_stopped(self, view: TargetView, group: GroupKey, slot: int) -> StopReason:
        """Return why a task of this process gets no order any more."""
        task, now_ms = TaskId(group.source, group.kind, slot), self.clock.wall_ms()
        flow, held = view.applied.document.flow(task.source), self.keeper.value((view.target, task))
        if flow is None or not flow.copies(now_ms):
            return _why_not_copied(flow, now_ms)
        if held is None:
            return StopReason("lease_lost")
        if task not in view.expected(now_ms) or held.generation != view.generation_of(task):
            return StopReason("replanned")
        if view.drain is not None:
            return StopReason("drained", _by(view.drain))
        return StopReason("rebalanced", view.assignment.get(str(task), ""))

    def _last_valid_order(self, view: TargetView, task: TaskId) -> object | None:
        """The current order, or the last valid one while the current settings are invalid."""
        key = (view.target, task)
        inputs = _Inputs.of(view, task, self.clock.wall_ms())
        known = self._built.get(key)
        self._built[key] = inputs  # next time these objects are compared, which is quick
        if known is not None and known.same_as(inputs):
            return self._orders.get(key)
        try:
            self._orders[key] = inputs.order(view.target, task)
            self.causes.pop(key, None)
        except ValueError as error:
            self.causes[key] = Cause.of(ConfigurationError(str(error)), self.clock.wall_ms())
        return self._orders.get(key)

    def _release_finished(self, target: str, staying: set[TaskId]) -> list[TaskKey]:
        released: list[TaskKey] = []
        for key in self.keeper.holding(target):
            task = key[1]
            group = self.groups.get(GroupKey.of(target, task))
            if group.is_fenced(task.slot):
                self._fenced_until_ms[key] = self.clock.monotonic_ms() + FENCED_PAUSE_MS
                released.append(key)
            elif task not in staying and group.is_idle(task.slot):
                released.append(key)
        self.keeper.release(released)
        for key in released:
            self.causes.pop(key, None)
            self._orders.pop(key, None)
            self._built.pop(key, None)
        return released


def _why_not_copied(flow: DesiredFlow | None, now_ms: int) -> StopReason:
    if flow is None:
        return StopReason("flow_removed")
    if not flow.enabled:
        return StopReason("flow_disabled")
    code: StopCode = "flow_stopped" if flow.state_at(now_ms) == "stop" else "flow_paused"
    return StopReason(code, "" if flow.pause is None else _by(flow.pause))


def _by(order: Pause | Drain) -> str:
    return f"{order.reason} ({order.by})" if order.by and order.reason else order.reason or order.by


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settled:
    """The state in which nothing is to do. Views and expected tasks are the same objects until they change."""

    view: TargetView
    expected: frozenset[TaskId]
    leases: Mapping[TaskKey, LeaseValue]  # that are held
    tasks: set[TaskId]

    def is_so(self, view: TargetView, expected: frozenset[TaskId], leases: Mapping[TaskKey, LeaseValue]) -> bool:
        return view is self.view and expected is self.expected and leases == self.leases


@dataclass(frozen=True, slots=True)
class _MadeFrom:
    """All that the orders of a target are made from."""

    applied: AppliedDesired
    plans: Mapping[str, PlanDocument]
    reverse: Mapping[str, DesiredFlow]
    staying: set[TaskId]

    def same_as(self, other: "_MadeFrom") -> bool:
        same_documents = self.applied is other.applied and _same_objects(self.plans, other.plans)
        return same_documents and _same_objects(self.reverse, other.reverse) and self.staying == other.staying


def _same_objects(some: Mapping[str, object], others: Mapping[str, object]) -> bool:
    return some.keys() == others.keys() and all(value is others[name] for name, value in some.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inputs:
    """The inputs of an order. The caches keep these objects until they change, so comparing identity suffices."""

    kind: TaskKind
    flow: DesiredFlow
    plan: PlanDocument | None
    source: ClusterClient
    target: ClusterClient
    revision: int
    stops: tuple[Stop, ...] = ()  # that are in force now
    reverse: DesiredFlow | None = None  # of a checkpoint slot

    @classmethod
    def of(cls, view: TargetView, task: TaskId, now_ms: int) -> "_Inputs":
        flow = next(flow for flow in view.applied.document.flows if flow.source == task.source)
        plan = view.plans[task.source] if task.kind in ("source", "checkpoint") else None
        clients = view.applied.clients
        return cls(
            flow=flow,
            kind=task.kind,
            plan=plan,
            source=clients[task.source],
            target=clients[view.target],
            revision=view.applied.document.revision,
            stops=flow.stops_at(now_ms) if task.kind == "source" else (),
            reverse=view.reverse.get(task.source) if task.kind == "checkpoint" else None,
        )

    def same_as(self, other: "_Inputs") -> bool:
        same_flows = self.flow is other.flow and self.reverse is other.reverse and self._has_plan_of(other)
        same_clusters = self.source is other.source and self.target is other.target
        return same_flows and same_clusters and self.stops == other.stops

    def _has_plan_of(self, other: "_Inputs") -> bool:
        """Compare what the task takes from its plan: groups do not concern source slots."""
        if self.plan is other.plan or self.plan is None or other.plan is None:
            return self.plan is other.plan
        if self.kind == "source":
            return self.plan.version == other.plan.version and self.plan.same_work(other.plan)
        return self.plan.groups == other.plan.groups and self.plan.topics == other.plan.topics

    def order(self, target: str, task: TaskId) -> object:
        """Build the order. Raises ValueError when a setting is invalid."""
        if self.plan is not None and self.kind == "source":
            spec = build_slot_spec(self.flow, self.plan, task.slot, self.source, self.target)
            return without_stopped(spec, self.stops)
        if self.plan is not None:
            order = CheckpointSlotOrder(
                flow=self.flow,
                target_alias=target,
                source=self.source,
                target=self.target,
                revision=self.revision,
                slot=task.slot,
                plan=self.plan,
                reverse=self.reverse,
            )
            order.check()
            return order
        return FlowOrder(
            flow=self.flow, target_alias=target, source=self.source, target=self.target, revision=self.revision
        )
