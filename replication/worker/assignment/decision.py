"""One decision of the leader about the tasks of all targets."""

from collections.abc import Sequence

from replication.domain.assignment.assignment import TaskKey
from replication.domain.assignment.balance import assign
from replication.domain.assignment.flow_rules import FlowRules
from replication.domain.assignment.members import AssignableTask
from replication.domain.assignment.unplaced import why_unplaced
from replication.domain.identifiers import TaskId
from replication.worker.assignment.roster import Roster
from replication.worker.assignment.target_tasks import TargetView

NO_ONE = ""  # the driver of a task that must not run


class RulesCache:
    """The rules of flows, read once per definition of a flow."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[object, FlowRules]] = {}

    def of(self, view: TargetView, source: str) -> FlowRules:
        flow = view.applied.document.flow(source)
        known, rules = self._known.get((view.target, source), (None, FlowRules()))
        if flow is not None and known is not flow:
            rules = FlowRules.of(flow.connectors.source)
            self._known[(view.target, source)] = (flow, rules)
        return rules


class Decision:
    """Decides on creation; `assignment` is the result. `problems` says why tasks have no driver."""

    def __init__(
        self,
        views: Sequence[TargetView],
        roster: Roster,
        rules: RulesCache,
        *,
        now_ms: int,
        wall_ms: int,
        balances_loads: bool,
    ) -> None:
        """`now_ms` is monotonic."""
        self._roster = roster
        self._rules = rules
        self._now_ms = now_ms
        self._reserved: dict[TaskKey, str] = {}
        self.problems: dict[TaskKey, str] = {}
        self._tasks = {view.target: sorted(view.expected(wall_ms)) for view in views}
        self._works = {
            work.key: work for view in views for task in self._tasks[view.target] for work in self._work(view, task)
        }
        self._assigned = assign(self._works.values(), roster.members, balances_loads=balances_loads)
        roster.forget_absences({work.driver or "" for work in self._works.values()} | set(self._reserved.values()))

    @property
    def waits(self) -> bool:
        """Return True if a task waits for its driver to return, so that time alone changes the decision."""
        return bool(self._reserved)

    def assignment(self, view: TargetView) -> dict[str, str]:
        """Return the driver of each task of a target.

        A task that no present process serves stays assigned to its last one, which continues it after a restart.
        """
        wanted: dict[str, str] = {}
        for task in self._tasks[view.target]:
            key = (view.target, task)
            driver = self._assigned.get(key) or self._reserved.get(key)
            if driver is None:
                work, members = self._works[key], self._roster.members
                self.problems[key] = why_unplaced(work, members)
                is_served = any(member.serves(work) for member in members)
                driver = NO_ONE if is_served else view.assignment.get(str(task))
            if driver is not None:
                wanted[str(task)] = driver
        return wanted

    def _work(self, view: TargetView, task: TaskId) -> list[AssignableTask]:
        """Return the task as it is; nothing for one that waits for its driver to return."""
        rules = self._rules.of(view, task.source)
        lease = view.leases.get(task)
        driver = view.assignment.get(str(task)) or (None if lease is None else lease.driver)
        key = (view.target, task)
        if driver is not None and self._waits(rules, driver, task):
            self._reserved[key] = driver
            self.problems[key] = f"driver {driver} has stopped and is expected to return, the task waits for it"
            return []
        work = AssignableTask(
            target=view.target,
            task=task,
            driver=driver,
            labels=rules.labels if task.kind == "source" else {},
            load=self._roster.loads.get(key, 0.0),
            moving=driver is not None and (lease is None or lease.driver != driver),
        )
        return [work]

    def _waits(self, rules: FlowRules, driver: str, task: TaskId) -> bool:
        absence = self._roster.absence(driver, task, self._now_ms)
        if absence is None:
            return False
        return absence.ms < (rules.announced_ms if absence.announced else rules.departed_ms)
