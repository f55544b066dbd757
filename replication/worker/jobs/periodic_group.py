"""Runs a planner, a heartbeat or the checkpoints of a slot periodically inside one long-lived job."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import structlog

from replication.domain.assignment.lease import restart_delay_ms
from replication.domain.errors import Cause, FencedError
from replication.domain.health.flow_facts import TaskState
from replication.worker.assignment.task_status import TaskReport, TaskStatus
from replication.worker.clock import Clock
from replication.worker.jobs.job_ticket import JobTicket
from replication.worker.jobs.task_group import FlowOrder

log = structlog.get_logger(__name__)


class PeriodicWork(Protocol):
    """Work bound to one order and one job thread; only `live` may be called from other threads."""

    @property
    def interval_ms(self) -> int: ...

    def run_once(self, now_ms: int) -> None:
        """Run once; may block until a cluster's time-out expires. Raises replication.domain.errors."""

    def take(self, order: Any) -> bool:
        """Continue with another order; False if that is impossible, and the work has to be opened again."""

    def live(self) -> dict[str, Any]:
        """The fields of this kind of task in the live state."""

    def report(self) -> TaskReport | None:
        """Return what the task has for others; None for most kinds."""

    def close(self) -> None: ...


Order = TypeVar("Order", bound=FlowOrder)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition:
    state: TaskState
    since_ms: int
    cause: Cause | None = None
    fenced: bool = False


class PeriodicGroup(Generic[Order]):
    """Repeats a failed run with back-off; connections stay open between runs.

    They are opened again for an order that the work cannot take over.
    """

    def __init__(
        self, kind: str, open_work: Callable[[Order], PeriodicWork], clock: Clock, *, boot: str, slot: int = 0
    ) -> None:
        self._slot = slot
        self.ticket = JobTicket(boot)
        self._kind = kind
        self._open_work = open_work
        self._clock = clock
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._wanted: Order | None = None
        self._busy = False
        self._failures = 0
        self._condition = _Condition(state="starting", since_ms=clock.wall_ms())
        self._work: PeriodicWork | None = None

    def set_orders(self, orders: Mapping[int, Order]) -> None:
        order = orders.get(self._slot)
        with self._lock:
            if order == self._wanted:
                return
            self._wanted = order
            if order is None:  # when it is ordered again later, it may run again
                self._condition = replace(self._condition, fenced=False)
        self._changed.set()

    def is_idle(self, slot: int) -> bool:
        with self._lock:
            return slot != self._slot or not self._busy

    def needs_job(self) -> bool:
        with self._lock:
            return self._wanted is not None and not self._condition.fenced

    def status(self, slot: int) -> TaskStatus:
        with self._lock:
            condition, work = self._condition, self._work
            is_stopping = self._busy and self._wanted is None
        return TaskStatus(
            state="stopping" if is_stopping else condition.state,
            since_ms=condition.since_ms,
            cause=condition.cause,
            fenced=condition.fenced,
            fields={} if work is None else work.live(),
        )

    def report(self) -> TaskReport | None:
        with self._lock:
            work = self._work
        return None if work is None else work.report()

    def run(self) -> None:
        with self._lock:
            self._busy = True
        try:
            while (order := self._next_order()) is not None:
                self._run_order(order)
        finally:
            with self._lock:
                self._busy, self._work = False, None
                self._condition = _Condition(
                    state="starting", since_ms=self._clock.wall_ms(), fenced=self._condition.fenced
                )

    def _next_order(self) -> Order | None:
        with self._lock:
            return None if self._condition.fenced else self._wanted

    def _run_order(self, order: Order) -> None:
        """Run until another order comes that the work cannot take over, or none."""
        work: PeriodicWork | None = None
        try:
            while (wanted := self._next_order()) is not None:
                if wanted != order:
                    if work is None or not work.take(wanted):
                        return
                    order = wanted
                self._changed.clear()
                try:
                    if work is None:
                        work = self._open_work(order)
                        with self._lock:
                            self._work = work
                    work.run_once(self._clock.wall_ms())
                    pause_ms = self._succeeded(work.interval_ms)
                except Exception as error:  # shown in the live state and retried
                    pause_ms = self._failed(order, error)
                if self._next_order() == order:
                    self._changed.wait(pause_ms / 1_000)
        finally:
            if work is not None:
                work.close()

    def _succeeded(self, interval_ms: int) -> int:
        with self._lock:
            self._failures = 0
            if self._condition.state != "running":
                self._condition = _Condition(state="running", since_ms=self._clock.wall_ms())
        return interval_ms

    def _failed(self, order: Order, error: Exception) -> int:
        now_ms = self._clock.wall_ms()
        with self._lock:
            self._failures += 1
            pause_ms = restart_delay_ms(self._failures)
            before = self._condition
            since_ms = before.since_ms if before.state == "failed" else now_ms
            cause = Cause.of(error, since_ms)
            is_new = before.cause is None or before.cause.text != cause.text
            fenced = isinstance(error, FencedError)
            self._condition = _Condition(state="failed", since_ms=since_ms, cause=cause, fenced=fenced)
        if is_new:
            log.error(
                "run failed, will be repeated",
                kind=self._kind,
                flow=f"{order.flow.source}->{order.target_alias}",
                error=cause.text,
            )
        return pause_ms
