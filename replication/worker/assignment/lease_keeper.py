"""The leases this process holds: acquires, renews and releases them, and reports those it has lost."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import structlog

from replication.domain.assignment.assignment import TaskKey
from replication.domain.assignment.lease import (
    LEASE_MS,
    LeaseValue,
    OnCoordinatorLoss,
    may_take,
    must_stop,
    renewal_is_due,
)
from replication.domain.identifiers import TaskId
from replication.worker.assignment.task_moves import TaskMoves
from replication.worker.clock import Clock
from replication.worker.state import keys
from replication.worker.state.redis_store import RedisStore

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Held:
    value: LeaseValue
    renewed_ms: int  # monotonic


class LeaseKeeper:
    """Used by the coordinator thread only. A method that raises CoordinatorLostError has changed nothing."""

    def __init__(
        self, store: RedisStore, clock: Clock, *, driver: str, boot: str, earlier_boots: Collection[str]
    ) -> None:
        self._store = store
        self._clock = clock
        self._driver = driver
        self._boot = boot
        self._earlier_boots = earlier_boots
        self._held: dict[TaskKey, _Held] = {}
        self._of_target: defaultdict[str, dict[TaskKey, LeaseValue]] = defaultdict(dict)
        self.moves = TaskMoves(store, clock)

    def holding(self, target: str | None = None) -> list[TaskKey]:
        return list(self._held if target is None else self._of_target[target])

    def held(self) -> Iterator[tuple[str, TaskId, LeaseValue]]:
        """Yield target, task and lease of each task that is held."""
        return ((target, task, held.value) for (target, task), held in self._held.items())

    def values_of(self, target: str) -> Mapping[TaskKey, LeaseValue]:
        """Return the leases of a target that are held."""
        return self._of_target[target]

    def value(self, key: TaskKey) -> LeaseValue | None:
        held = self._held.get(key)
        return None if held is None else held.value

    def acquire(self, key: TaskKey, generation: int, current: LeaseValue | None) -> bool:
        """Try to acquire a lease last seen as `current`; returns False when another driver holds it."""
        mine = LeaseValue(driver=self._driver, boot=self._boot, generation=generation)
        if not may_take(current, mine, self._earlier_boots):
            return False
        seen = None if current is None else str(current)
        before = self.moves.last_owner(key)
        taken = self._store.acquire(keys.lease(*key), seen, str(mine), LEASE_MS)
        if taken:
            self._held[key] = _Held(mine, self._clock.monotonic_ms())
            self._of_target[key[0]][key] = mine
            self.moves.note(key, mine, before)
            log.info("lease acquired", target=key[0], task=str(key[1]), generation=generation, taken_over=seen)
        return taken

    def renew(self, *, everything: bool = False) -> list[TaskKey]:
        """Renew the leases that are due; returns those lost to another driver."""
        now_ms = self._clock.monotonic_ms()
        due = {key: held for key, held in self._held.items() if everything or renewal_is_due(held.renewed_ms, now_ms)}
        answers = self._store.renew({keys.lease(*key): str(held.value) for key, held in due.items()}, LEASE_MS)
        lost: list[TaskKey] = []
        for key, held in due.items():
            match answers[keys.lease(*key)]:
                case "lost":
                    self._forget(key)
                    lost.append(key)
                    log.warning("lease lost to another driver", target=key[0], task=str(key[1]))
                case renewal:
                    held.renewed_ms = now_ms
                    if renewal == "retaken":
                        log.info("expired lease re-acquired", target=key[0], task=str(key[1]))
        return lost

    def release(self, released: Iterable[TaskKey]) -> None:
        """Release leases and delete the live state of their tasks, so that a stopped task does not appear to run."""
        values = {key: str(self._held[key].value) for key in released if key in self._held}
        self._store.delete(*[keys.live(*key) for key in values])
        self._store.release({keys.lease(*key): value for key, value in values.items()})
        for key in values:
            self._forget(key)
            log.info("lease released", target=key[0], task=str(key[1]))

    def _forget(self, key: TaskKey) -> None:
        del self._held[key]
        del self._of_target[key[0]][key]
        self.moves.forget(key)

    def stop_is_due(self, on_loss: OnCoordinatorLoss) -> bool:
        """Return True when a lease may soon expire and `on_loss` requires that its task has stopped by then."""
        now_ms = self._clock.monotonic_ms()
        return any(must_stop(held.renewed_ms, now_ms, on_loss) for held in self._held.values())
