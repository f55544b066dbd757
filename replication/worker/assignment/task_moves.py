"""Remembers who held each task, so that a move can be explained by its new owner."""

from collections.abc import Mapping

from replication.domain.assignment.assignment import TaskKey, role_of
from replication.domain.assignment.lease import LeaseValue
from replication.domain.assignment.move import LastOwner, Move, move_to
from replication.domain.identifiers import TaskId
from replication.domain.json_documents import read_object
from replication.worker.clock import Clock
from replication.worker.state import keys
from replication.worker.state.redis_store import RedisStore


class TaskMoves:
    """Used by the coordinator thread only."""

    def __init__(self, store: RedisStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._owners: dict[TaskKey, LeaseValue] = {}
        self._moves: dict[TaskKey, Move] = {}
        self._seen: dict[str, Mapping[TaskId, LeaseValue | None]] = {}

    def see(self, target: str, leases: Mapping[TaskId, LeaseValue | None]) -> None:
        """Remember the holders of leases; the same mapping as before holds nothing new."""
        if leases is self._seen.get(target):
            return
        self._seen[target] = leases
        for task, lease in leases.items():
            if lease is not None:
                self._owners[(target, task)] = lease
        for key in [key for key in self._owners if key[0] == target and key[1] not in leases]:
            del self._owners[key]

    def last_owner(self, key: TaskKey) -> LastOwner | None:
        """Return the last holder that was seen. Raises CoordinatorLostError."""
        lease = self._owners.get(key)
        if lease is None:
            return None
        (raw,) = self._store.get([keys.member(lease.driver, role_of(key[1]))])
        member = read_object(raw)
        is_present = member.get("boot") == lease.boot and not member.get("leaving")
        return LastOwner(lease=lease, is_present=is_present, is_drained=bool(member.get("drain")))

    def note(self, key: TaskKey, mine: LeaseValue, before: LastOwner | None) -> None:
        """The task has moved here."""
        self._owners[key] = mine
        self._moves[key] = move_to(mine, before, self._clock.wall_ms())

    def of(self, key: TaskKey) -> Move | None:
        """Return the last move of a task that is held here."""
        return self._moves.get(key)

    def forget(self, key: TaskKey) -> None:
        """The task is no longer held here."""
        self._moves.pop(key, None)
