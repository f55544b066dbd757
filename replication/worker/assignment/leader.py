"""Assigns the tasks of a target cluster to drivers; one control worker at a time is the leader."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from replication.domain.assignment.assignment import ROLES, Member, assign
from replication.domain.assignment.lease import LEADER_MS
from replication.domain.identifiers import TaskId
from replication.worker.assignment.target_tasks import TargetView
from replication.worker.clock import Clock
from replication.worker.state import keys
from replication.worker.state.redis_store import MemberRecord, RedisStore

log = structlog.get_logger(__name__)
OBSERVE_MS = 2_500  # long enough for every live driver to renew its membership and its expired leases
SILENT_BELOW_MS = 4_000  # of a membership's 10 s: a driver silent for six seconds gets no new tasks
LOADS_EVERY_MS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberView:
    """A member with the target clusters it serves."""

    member: Member
    targets: frozenset[str]


class Leader:
    """Used by the coordinator thread of a control worker only. Methods raise CoordinatorLostError."""

    def __init__(self, store: RedisStore, clock: Clock, driver: str) -> None:
        self._store = store
        self._clock = clock
        self._driver = driver
        self._leads: set[str] = set()
        self._quiet_until_ms = 0
        self._loads: dict[str, dict[TaskId, float]] = {}
        self._loads_read_ms: dict[str, int] = {}

    def observe_before_assigning(self) -> None:
        """Publish no assignment until live drivers have renewed their memberships after an outage of Redis."""
        self._quiet_until_ms = self._clock.monotonic_ms() + OBSERVE_MS

    def tick(self, view: TargetView, members: Sequence[MemberView]) -> None:
        """Become the leader of the target if it has none, and publish its assignment when it has to change."""
        if not self._hold_leadership(view.target) or self._clock.monotonic_ms() < self._quiet_until_ms:
            return
        tasks = view.expected(self._clock.wall_ms())
        present = [one.member for one in members if view.target in one.targets]
        wanted = assign(tasks, _current(view, tasks), present, self._measured_loads(view.target, tasks))
        # a task that fits on no driver stays assigned to its last one, which continues it right after a restart
        previous = {str(task): view.assignment[str(task)] for task in tasks if str(task) in view.assignment}
        published = previous | {str(task): driver for task, driver in sorted(wanted.items())}
        if published != dict(view.assignment) and self._store.replace_assignment(view.target, self._driver, published):
            log.info("assignment published", target=view.target, tasks=len(tasks), assigned=len(published))

    def members(self) -> list[MemberView]:
        return [view for view in map(_member_view, self._store.members()) if view is not None]

    def leads(self, target: str) -> bool:
        return target in self._leads

    def resign(self) -> None:
        self._store.release({keys.leader(target): self._driver for target in self._leads})
        self._leads.clear()

    def _hold_leadership(self, target: str) -> bool:
        key = keys.leader(target)
        leads = self._store.renew({key: self._driver}, LEADER_MS)[key] != "lost"
        if leads and target not in self._leads:
            self._leads.add(target)
            self.observe_before_assigning()
            log.info("leading the assignment", target=target)
        elif not leads:
            self._leads.discard(target)
        return leads

    def _measured_loads(self, target: str, tasks: frozenset[TaskId]) -> dict[TaskId, float]:
        """Bytes per second of the running slots, re-read every ten seconds."""
        now_ms = self._clock.monotonic_ms()
        if target not in self._loads or now_ms - self._loads_read_ms[target] >= LOADS_EVERY_MS:
            sources = sorted(task for task in tasks if task.kind == "source")
            states = self._store.get([keys.live(target, task) for task in sources])
            pairs = zip(sources, states, strict=True)
            self._loads[target] = {task: _load(state) for task, state in pairs if state is not None}
            self._loads_read_ms[target] = now_ms
        return self._loads[target]


def _current(view: TargetView, tasks: frozenset[TaskId]) -> dict[TaskId, str]:
    """The driver of each task, or the one it is moving to; a move in progress is not redirected."""
    holders = {task: lease.driver for task, lease in view.leases.items() if lease is not None}
    return {task: driver for task in tasks if (driver := view.assignment.get(str(task)) or holders.get(task))}


def _load(state: bytes) -> float:
    try:
        document: Mapping[str, object] = json.loads(state)
    except ValueError:
        return 0.0
    rate = document.get("bytes_per_second")
    return float(rate) if isinstance(rate, int | float) else 0.0


def _member_view(record: MemberRecord) -> MemberView | None:
    """None when the membership document cannot be parsed."""
    try:
        document = json.loads(record.document)
        role = next(known for known in ROLES if known == document["role"])
        is_silent = 0 <= record.remaining_ms < SILENT_BELOW_MS
        member = Member(
            driver=str(document["id"]),
            role=role,
            capacity=document.get("capacity"),
            drain=bool(document.get("drain")) or is_silent,
        )
        return MemberView(member=member, targets=frozenset(document["targets"]))
    except (ValueError, KeyError, TypeError, StopIteration):
        log.warning("membership document ignored: it cannot be parsed")
        return None
