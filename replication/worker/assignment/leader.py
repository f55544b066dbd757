"""Assigns the tasks of all target clusters to drivers; one control worker at a time is the leader."""

import json
from collections.abc import Mapping, Sequence

import structlog

from replication.domain.assignment.assignment import TaskKey
from replication.domain.assignment.lease import LEADER_MS
from replication.worker.assignment.decision import Decision, RulesCache
from replication.worker.assignment.roster import Roster
from replication.worker.assignment.target_tasks import TargetView
from replication.worker.clock import Clock
from replication.worker.reporting.documents import unassigned_state
from replication.worker.state import keys
from replication.worker.state.redis_store import RedisStore

log = structlog.get_logger(__name__)
OBSERVE_MS = 2_500  # long enough for every live driver to renew its membership and its expired leases
LOADS_SETTLE_MS = 15_000  # after a change of members or assignment, before tasks move because of their loads
UNASSIGNED_MS = 5_000  # life of the state of a task without a driver
REPORT_UNASSIGNED_MS = 2_000  # and its age when it is published again; at once when anything changes


class Leader:
    """Used by the coordinator thread of a control worker only. Methods raise CoordinatorLostError."""

    def __init__(self, store: RedisStore, clock: Clock, driver: str, boot: str) -> None:
        self._store = store
        self._clock = clock
        self._value = f"{driver}|{boot}"
        self.leads = False
        self._quiet_until_ms = 0
        self._renewed_ms = 0  # the leadership
        self._roster = Roster()
        self._rules = RulesCache()
        self._settled_ms = 0  # when members or assignments changed last
        self._waiting_since_ms: dict[TaskKey, int] = {}  # wall clock, of tasks without a driver
        self._problems: Mapping[TaskKey, str] = {}  # of tasks without a driver
        self._reported_ms = -UNASSIGNED_MS  # when their states were published
        self._settled: object = None  # what a decision was made from that changed nothing

    def observe_before_assigning(self) -> None:
        """Publish no assignment until live drivers have renewed their memberships after an outage of Redis."""
        self._quiet_until_ms = self._clock.monotonic_ms() + OBSERVE_MS
        self._reported_ms = -UNASSIGNED_MS

    def tick(self, views: Sequence[TargetView]) -> None:
        """Become the leader if there is none, and publish the assignments that have to change."""
        if not self._hold_leadership() or not views or self._clock.monotonic_ms() < self._quiet_until_ms:
            return
        self._update_roster()
        now_ms, wall_ms = self._clock.monotonic_ms(), self._clock.wall_ms()
        balances_loads = now_ms - self._settled_ms >= LOADS_SETTLE_MS
        facts = self._facts(views, wall_ms, balances_loads=balances_loads)
        if facts == self._settled:
            self._publish_unassigned(views, self._problems)
            return
        decision = Decision(
            views, self._roster, self._rules, now_ms=now_ms, wall_ms=wall_ms, balances_loads=balances_loads
        )
        wanted = [decision.assignment(view) for view in views]
        for view, assignment in zip(views, wanted, strict=True):
            self._publish(view, assignment)
        self._problems, self._reported_ms = decision.problems, -UNASSIGNED_MS
        self._publish_unassigned(views, self._problems)
        is_settled = not decision.waits and all(map(_is_assigned, views, wanted))
        self._settled = facts if is_settled else None

    def _facts(self, views: Sequence[TargetView], wall_ms: int, *, balances_loads: bool) -> object:
        """Return all that a decision depends on if no task waits for its driver; comparing costs less than deciding."""
        loads = dict(self._roster.loads) if balances_loads else {}
        return ([(view, view.expected(wall_ms)) for view in views], self._roster.members, loads, balances_loads)

    def resign(self) -> None:
        self._store.release({keys.LEADER: self._value})
        self.leads = False

    def _hold_leadership(self) -> bool:
        """A leadership that ends before its time was lost with Redis, and the memberships with it.

        One that expires during a slow round is taken again without a pause, or slow rounds would assign nothing.
        """
        now_ms = self._clock.monotonic_ms()
        renewal = self._store.renew({keys.LEADER: self._value}, LEADER_MS)[keys.LEADER]
        ended_early = renewal == "retaken" and now_ms - self._renewed_ms < LEADER_MS
        had_led, self.leads = self.leads, renewal != "lost"
        self._renewed_ms = now_ms
        if self.leads and (ended_early or not had_led):
            self.observe_before_assigning()
            self._settled_ms = self._clock.monotonic_ms()
            log.info("leading the assignment", was_lost=had_led)
        return self.leads

    def _update_roster(self) -> None:
        before = self._roster.members
        self._roster.update(self._store.members(), self._clock.monotonic_ms())
        if self._roster.members != before:
            self._settled_ms = self._clock.monotonic_ms()

    def _publish(self, view: TargetView, wanted: Mapping[str, str]) -> None:
        if _is_assigned(view, wanted):
            return
        if self._store.replace_assignment(view.target, self._value, wanted):
            self._settled_ms = self._clock.monotonic_ms()
            self._store.nudge(f"{view.target} tasks")
            moved = sum(view.assignment.get(task, driver) != driver for task, driver in wanted.items())
            log.info("assignment published", target=view.target, tasks=len(wanted), moved=moved)

    def _publish_unassigned(self, views: Sequence[TargetView], problems: Mapping[TaskKey, str]) -> None:
        """Publish the state of tasks that no driver has, so that their flow names the cause."""
        monotonic_ms, now_ms = self._clock.monotonic_ms(), self._clock.wall_ms()
        if monotonic_ms - self._reported_ms < REPORT_UNASSIGNED_MS:
            return
        self._reported_ms = monotonic_ms
        self._waiting_since_ms = {key: self._waiting_since_ms.get(key, now_ms) for key in problems}
        found = {view.target: view for view in views}
        states = {
            key: unassigned_state(key, found[key[0]].applied, text, self._waiting_since_ms[key], now_ms)
            for key, text in problems.items()
            if found[key[0]].leases.get(key[1]) is None
        }
        if states:
            self._store.publish((keys.live(*key), json.dumps(state), UNASSIGNED_MS) for key, state in states.items())


def _is_assigned(view: TargetView, wanted: Mapping[str, str]) -> bool:
    return wanted == dict(view.assignment)
