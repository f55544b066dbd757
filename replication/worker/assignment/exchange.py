"""One round with Redis: renew the membership, read documents, acquire and release tasks, publish state."""

import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from replication.domain.assignment.assignment import TaskKey
from replication.domain.assignment.lease import LeaseValue
from replication.domain.groups.group_summary import SUMMARY_LIFE_MS, SUMMARY_REFRESH_MS
from replication.domain.identifiers import TaskId
from replication.domain.json_documents import read_json
from replication.worker.assignment.leader import Leader
from replication.worker.assignment.lease_keeper import LeaseKeeper
from replication.worker.assignment.own_membership import OwnMembership
from replication.worker.assignment.stop_request import StopRequest
from replication.worker.assignment.target_tasks import TargetTasks, TargetView
from replication.worker.assignment.target_views import TargetViews
from replication.worker.clock import Clock
from replication.worker.jobs.group_registry import GroupKey, GroupRegistry
from replication.worker.questions.desk import QuestionDesk
from replication.worker.questions.flow_answers import Present
from replication.worker.reporting.documents import live_state
from replication.worker.reporting.due_states import DueStates
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.settings import WorkerSettings
from replication.worker.state import keys
from replication.worker.state.desired_cache import DesiredCache
from replication.worker.state.plan_cache import PlanCache
from replication.worker.state.redis_store import RedisStore

LIVE_MS = 15_000
DISCOVER_EVERY_MS = 5_000


@dataclass(slots=True, kw_only=True)
class Exchange:
    """Used by the coordinator thread only; control workers have a leader and a desk.

    Methods raise CoordinatorLostError.
    """

    settings: WorkerSettings
    load: ProcessLoad
    clock: Clock
    store: RedisStore
    keeper: LeaseKeeper
    groups: GroupRegistry
    desired: DesiredCache
    plans: PlanCache
    views: TargetViews
    tasks: TargetTasks
    member: OwnMembership
    leader: Leader | None = None
    desk: QuestionDesk | None = None
    live: dict[TaskKey, dict[str, Any]] = field(default_factory=dict)  # of the last measurement
    is_handing_over: bool = False  # tasks are stopping, so rounds follow faster
    _due_states: DueStates = field(default_factory=DueStates)
    _published: dict[TaskKey, tuple[bytes, int]] = field(default_factory=dict)  # summaries of groups, and when
    _targets: frozenset[str] = frozenset()  # that this process serves
    _other_targets: frozenset[str] = frozenset()
    _discovered_ms: int | None = None
    _has_joined: bool = False  # the membership has been ours once

    def round(self, *, was_away: bool, nudged: bool) -> None:
        """`was_away`: the previous round failed; `nudged`: a document was published. Raises NamesakeError."""
        self.load.measure()
        if not self._has_joined:  # a present driver without targets would lose the tasks that wait for it
            self._discover(nudged)
        state = self.member.renew()
        if state == "taken":
            return
        had_expired = state == "new"
        if (had_expired or was_away) and self.leader is not None:
            self.leader.observe_before_assigning()
        if had_expired or was_away:
            self._due_states.forget()
        self.keeper.renew(everything=had_expired or was_away)
        if not self._has_joined:
            self.member.delete_earlier_queues()
            self._has_joined = True
        self._discover(nudged)
        self.member.read_orders()
        views = self._views(self._targets)
        results = [self.tasks.tick(view) for view in views]
        self.is_handing_over = any(result.stopping for result in results)
        if any(result.released for result in results):
            self.store.nudge("tasks released")
        self._publish_assignments(views)
        self._publish_plans()
        self.publish_live()
        self._take_questions(views)

    def measure_live(self) -> None:
        """Make the live state of each task that this process holds again; needs no Redis."""
        now_ms = self.clock.wall_ms()
        self.live = {
            (target, task): self._live_state(target, task, lease, now_ms) for target, task, lease in self.keeper.held()
        }

    def loop_lag_ms(self) -> int | None:
        """Return the largest lag that the data workers of this driver report; None while there is none."""
        lags = [_loop_lag_ms(member.document, self.settings.parent) for member in self.store.members()]
        return max((lag for lag in lags if lag is not None), default=None)

    def remote_names(self, target: str, source: str) -> Mapping[str, str]:
        """Return the remote topic of each upstream topic in the flow's plan."""
        plan = self.plans.get(target, source)
        return {} if plan is None else {topic.upstream: topic.remote for topic in plan.topics}

    def publish_live(self) -> None:
        self.measure_live()
        self.member.meter.measure(_rates(self.live), self.load.cpu_ratio)
        checkpoints = self._held_checkpoints()
        due = self._due_states.take(self.live, self.clock.monotonic_ms())
        published = [(keys.live(*key), _json(state), LIVE_MS) for key, state in due]
        self.store.publish([*published, *self._summaries(checkpoints)])
        self._forget_summaries(checkpoints)

    def _summaries(self, checkpoints: Iterable[TaskKey]) -> Iterable[tuple[str, bytes, int]]:
        """The summaries of groups that are new, or that were published a while ago."""
        now_ms = self.clock.monotonic_ms()
        for key in checkpoints:
            report = self.groups.get(GroupKey.of(*key)).report()
            if report is None:
                continue
            known, at_ms = self._published.get(key, (b"", 0))
            if report.summary is not known or now_ms - at_ms >= SUMMARY_REFRESH_MS:
                self._published[key] = (report.summary, now_ms)
                yield keys.groups(*key), report.summary, SUMMARY_LIFE_MS

    def _forget_summaries(self, checkpoints: Set[TaskKey]) -> None:
        """Delete those of slots that no longer exist; the others are published by the next owner of the slot."""
        left = self._published.keys() - checkpoints
        for key in left:
            del self._published[key]
        ended = [key for key in left if not self._is_planned(*key)]
        self.store.delete(*(keys.groups(*key) for key in ended))

    def _held_checkpoints(self) -> set[TaskKey]:
        return {(target, task) for target, task, _ in self.keeper.held() if task.kind == "checkpoint"}

    def _is_planned(self, target: str, task: TaskId) -> bool:
        plan = self.plans.get(target, task.source)
        return plan is not None and task.slot < len(plan.groups.slots)

    def resign(self) -> None:
        """Give up the leadership if this process has it, so that another control worker leads at once."""
        if self.leader is not None:
            self.leader.resign()

    def leave(self, stop: StopRequest) -> None:
        """Leave the fleet, so that other drivers take over at once unless this process returns."""
        self.member.leave(stop)

    def hand_over(self) -> None:
        """Give all tasks to other processes although they have not stopped: this process ends at once.

        Raises CoordinatorLostError.
        """
        self.keeper.release(self.keeper.holding())
        self.resign()
        self.leave(StopRequest())

    def _discover(self, nudged: bool) -> None:
        """Refresh the targets: those in Redis and those whose document is only on this driver's disk."""
        now_ms = self.clock.monotonic_ms()
        is_due = self._discovered_ms is None or now_ms - self._discovered_ms >= DISCOVER_EVERY_MS
        if is_due or nudged:
            known = self.store.targets() | self.desired.known_targets()
            self._targets = frozenset(target for target in known if self.settings.serves(target))
            self._other_targets = known - self._targets
            self.member.targets = tuple(sorted(self._targets))
            self._discovered_ms = now_ms

    def _views(self, targets: Iterable[str]) -> list[TargetView]:
        """Return the targets that have a document."""
        return self.views.read(targets, self._targets, self.member.drain())

    def _publish_assignments(self, views: list[TargetView]) -> None:
        """The leader assigns the tasks of all targets, also of those that other drivers serve."""
        if self.leader is None or not (views or self._other_targets):
            return
        others = self._views(self._other_targets) if self.leader.leads else []
        self.leader.tick([*views, *others])

    def _publish_plans(self) -> None:
        """Publish plans whose lease this process holds, and republish those that Redis has lost."""
        for target, task, lease in self.keeper.held():
            if task.kind != "plan":
                continue
            text = self.plans.unpublished(target, task.source, self.views.plan_text(target, task.source))
            if text is not None:
                self.store.set_while_held(keys.lease(target, task), str(lease), keys.plan(target, task.source), text)

    def _take_questions(self, views: list[TargetView]) -> None:
        """Take questions about the targets that this process serves; each is accepted by one process."""
        desk, known = self.desk, {view.target: view for view in views}
        if desk is None:
            return

        def present_of(target: str) -> Present:
            view = known.get(target)
            if view is None:
                return Present(applied=None, plans={})
            return Present(applied=view.applied, plans=view.plans, reverse=view.reverse)

        desk.accept_waiting(self.settings.serves, present_of)

    def _live_state(self, target: str, task: TaskId, lease: LeaseValue, now_ms: int) -> dict[str, Any]:
        status = self.groups.get(GroupKey.of(target, task)).status(task.slot)
        applied = self.desired.get(target)
        problem = self.tasks.causes.get((target, task))
        move = self.keeper.moves.of((target, task))
        state = live_state(target, task, lease, status, applied, now_ms=now_ms, order_problem=problem, move=move)
        last = self.live.get((target, task), {}).get("last_error")
        return {**state, "last_error": state["cause"] or last}


def _loop_lag_ms(document: bytes, parent: str) -> int | None:
    """Return the lag in a membership of this driver; None in one of another driver or without a loop."""
    try:
        found = read_json(document)
        lag = found.get("loop_lag_ms") if found.get("parent") == parent else None
    except (ValueError, AttributeError):
        return None
    return lag if isinstance(lag, int) else None


def _rates(states: Mapping[TaskKey, Mapping[str, Any]]) -> dict[TaskKey, float]:
    """The bytes per second of the source tasks."""
    rates = {key: state.get("bytes_per_second") for key, state in states.items() if key[1].kind == "source"}
    return {key: float(rate) for key, rate in rates.items() if isinstance(rate, int | float)}


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":"))
