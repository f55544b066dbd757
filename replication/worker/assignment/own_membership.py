"""The membership of this process: its presence, the orders for it, and its end."""

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from replication.domain.assignment.flow_rules import DEFAULT_DELAY_MS, FlowRules
from replication.domain.assignment.lease import MEMBER_MS
from replication.domain.desired.desired_drivers import Drain
from replication.worker.assignment.lease_keeper import LeaseKeeper
from replication.worker.assignment.load_meter import LoadMeter
from replication.worker.assignment.namesake import Namesake
from replication.worker.assignment.stop_request import StopRequest
from replication.worker.clock import Clock
from replication.worker.reporting.documents import DriverProcess, Presence, membership
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.settings import WorkerSettings
from replication.worker.state import keys
from replication.worker.state.desired_cache import DesiredCache
from replication.worker.state.orders_cache import OrdersCache
from replication.worker.state.redis_store import RedisStore


@dataclass(slots=True, kw_only=True)
class OwnMembership:
    """Used by the coordinator thread only. Methods raise CoordinatorLostError.

    `stop_request` is a restart that was ordered. `targets` are those that this process serves.
    """

    settings: WorkerSettings
    process: DriverProcess
    load: ProcessLoad
    clock: Clock
    store: RedisStore
    keeper: LeaseKeeper
    desired: DesiredCache
    orders: OrdersCache
    earlier_boots: Collection[str]
    targets: tuple[str, ...] = ()
    stop_request: StopRequest | None = None
    meter: LoadMeter = field(default_factory=LoadMeter)
    _namesake: Namesake = field(default_factory=Namesake)
    _told_drain: bool = False

    def renew(self, stop: StopRequest | None = None) -> Literal["held", "new", "taken"]:
        """Renew the membership; "new" if it had expired, "taken" while another start of this id may be alive.

        `stop` says that this process ends, and whether it returns. Raises NamesakeError if the other one is alive.
        """
        now_ms = self.clock.wall_ms()
        self._told_drain = self.drain() is not None
        presence = Presence(
            targets=self.targets,
            tasks=len(self.keeper.holding()),
            drain=self._told_drain,
            leaving=stop is not None,
            returning_until_ms=None if stop is None or not stop.returns_in_ms else now_ms + stop.returns_in_ms,
            loads=self.meter.loads(),
        )
        document = json.dumps(membership(self.process, self.load, presence, now_ms=now_ms), separators=(",", ":"))
        life_ms = MEMBER_MS if stop is None else max(MEMBER_MS, stop.returns_in_ms)
        boots = [self.process.boot, *self.earlier_boots]
        found = self.store.renew_membership(self._key, document, life_ms, boots)
        if found.state != "taken":
            self._namesake.forget()
        elif stop is None:
            self._namesake.check(self.process, found.document)
        if stop is not None:
            self.store.nudge("driver leaves")
        return found.state

    def leave(self, stop: StopRequest) -> None:
        """Delete the membership, or leave it behind if this process returns; delete the Celery queue."""
        if stop.returns_in_ms:
            self.renew(stop)
        else:
            self.store.delete_membership(self._key, self.process.boot)
        self.store.delete(*keys.celery_queue(self.settings.queue))
        self.store.nudge("driver left")

    def grace_ms(self) -> int:
        """Return how long the tasks of this process wait for it after an announced restart."""
        flows = [
            flow
            for target, task in self.keeper.holding()
            if (applied := self.desired.get(target)) is not None
            and (flow := applied.document.flow(task.source)) is not None
        ]
        return max((FlowRules.of(flow.connectors.source).announced_ms for flow in flows), default=DEFAULT_DELAY_MS)

    def read_orders(self) -> None:
        """Read drains and restarts. A drain that begins or ends is told at once, or it would cost two rounds."""
        (raw,) = self.store.get([keys.DRIVER_ORDERS])
        self.orders.update(raw)
        if (self.drain() is not None) != self._told_drain:
            self.renew()
            self.store.nudge("drain")
        restart = self.orders.take_restart()
        if restart is not None:
            left_ms = restart.until_ms - self.clock.wall_ms()
            self.stop_request = StopRequest(returns_in_ms=left_ms if left_ms > 0 else self.grace_ms())

    def drain(self) -> Drain | None:
        """Return the drain of this process that is in force."""
        return self.orders.drain(self.clock.wall_ms())

    def delete_earlier_queues(self) -> None:
        """Delete the Celery queues of earlier starts of this process."""
        names = [self.settings.queue_of(boot) for boot in self.earlier_boots]
        self.store.delete(*(key for name in names for key in keys.celery_queue(name)))

    @property
    def _key(self) -> str:
        return keys.member(self.settings.driver, self.settings.role)
