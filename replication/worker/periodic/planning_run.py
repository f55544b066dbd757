"""Plans one flow once per refresh interval and reports the result in the live state."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from replication.domain.control.reset_rejection import resets_without_slot
from replication.domain.errors import Cause, ClusterUnreachableError, ReplicationError
from replication.domain.plan.plan_document import PlanDocument
from replication.worker.assignment.task_status import TaskReport
from replication.worker.jobs.task_group import FlowOrder
from replication.worker.state.plan_cache import PlanCache


class Planner(Protocol):
    """A source connector with its connections."""

    @property
    def refresh_interval_ms(self) -> int:
        """The time to wait after the last run."""

    @property
    def groups_problem(self) -> Cause | None:
        """Why consumer groups could not be listed."""

    def run_once(self, previous: PlanDocument | None, now_ms: int, others: Sequence[PlanDocument] = ()) -> PlanDocument:
        """Equal to `previous` when nothing changed; `others` are the plans of the other flows into the target."""

    def close(self) -> None: ...


OpenPlanner = Callable[[FlowOrder], Planner]


@dataclass(frozen=True, slots=True)
class _Reachability:
    """None until the cluster has been queried."""

    source: bool | None = None
    target: bool | None = None

    def after(self, error: ReplicationError, order: FlowOrder) -> "_Reachability":
        is_away = isinstance(error, ClusterUnreachableError)
        return _Reachability(
            source=False if is_away and error.cluster == order.flow.source else self.source,
            target=False if is_away and error.cluster == order.target_alias else self.target,
        )


class PlanningRun:
    """Computes the plan and stores it; the coordinator publishes it."""

    def __init__(self, order: FlowOrder, planner: Planner, plans: PlanCache) -> None:
        self._order = order
        self._planner = planner
        self._plans = plans
        self._lock = threading.Lock()
        self._reachability = _Reachability()
        self._last_run_ms: int | None = None

    @property
    def interval_ms(self) -> int:
        return self._planner.refresh_interval_ms

    def run_once(self, now_ms: int) -> None:
        target, source = self._order.target_alias, self._order.flow.source
        previous = self._plans.get(target, source)
        try:
            plan = self._planner.run_once(previous, now_ms, self._plans.others(target, source))
        except ReplicationError as error:
            with self._lock:
                self._reachability = self._reachability.after(error, self._order)
            raise
        if plan != previous:
            self._plans.store(plan)
        with self._lock:
            self._last_run_ms = now_ms
            self._reachability = _Reachability(source=True, target=True)

    def apply_order(self, order: FlowOrder) -> bool:
        return False

    def report(self) -> TaskReport | None:
        return None

    def live(self) -> dict[str, Any]:
        plan = self._plans.get(self._order.target_alias, self._order.flow.source)
        with self._lock:
            reachability, last_run_ms = self._reachability, self._last_run_ms
        return {
            "topics": None if plan is None else len(plan.topics),
            "partitions": None if plan is None else sum(len(slot) for slot in plan.slots),
            "plan_generation": None if plan is None else plan.generation,
            "plan_version": None if plan is None else plan.version,
            "tasks_max": self._order.flow.tasks_max,
            "last_run_ms": last_run_ms,
            "warnings": [] if plan is None else [asdict(warning) for warning in plan.warnings],
            "skipped": [] if plan is None else [{"topic": one.topic, "reason": one.reason} for one in plan.skipped],
            "source_reachable": reachability.source,
            "target_reachable": reachability.target,
            "groups": None if plan is None else sum(map(len, plan.groups.slots)),
            "checkpoint_tasks": None if plan is None else len(plan.groups.slots),
            "groups_problem": None if (problem := self._planner.groups_problem) is None else problem.as_reported(),
            "rejected_resets": [] if last_run_ms is None else self._rejected_resets(plan),
        }

    def _rejected_resets(self, plan: PlanDocument | None) -> list[dict[str, str]]:
        """Asked when the plan is at least as new as the orders: a partition may just have come."""
        return [] if plan is None else [asdict(each) for each in resets_without_slot(plan, self._order.flow.resets)]

    def close(self) -> None:
        self._planner.close()
