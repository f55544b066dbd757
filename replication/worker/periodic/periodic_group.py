"""A planner, a heartbeat or the checkpoints of a slot: when its next run is due, and the run itself."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

import structlog

from replication.domain.assignment.retries import RetryPolicy
from replication.domain.assignment.stop_reason import StopReason
from replication.domain.errors import Cause, FencedError
from replication.domain.health.flow_facts import TaskState
from replication.domain.identifiers import TaskKind
from replication.worker.assignment.task_status import TaskReport, TaskStatus
from replication.worker.clock import Clock
from replication.worker.jobs.task_group import FlowOrder
from replication.worker.periodic.current_run import CurrentRun
from replication.worker.periodic.periodic_work import PeriodicWork, PreparedWork

log = structlog.get_logger(__name__)
Order = TypeVar("Order", bound=FlowOrder)


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRun:
    """`end` closes the connections of work that is no longer ordered; it needs no cluster."""

    what: Literal["run", "end"]
    since_ms: int  # monotonic
    clusters: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition:
    state: TaskState
    since_ms: int
    cause: Cause | None = None
    fenced: bool = False


class PeriodicGroup(Generic[Order]):
    """Repeats a failed run with back-off; connections stay open between runs.

    They are opened again for an order that the work cannot take over. The caller of `run` sees to it that there is one
    run at a time.
    """

    def __init__(
        self, kind: TaskKind, open_work: Callable[[Order], PeriodicWork], clock: Clock, *, slot: int = 0
    ) -> None:
        self._slot = slot
        self._kind = kind
        self._open_work = open_work
        self._clock = clock
        self._lock = threading.Lock()
        self._wanted: Order | None = None
        self._due_ms: int | None = 0  # monotonic; None: no retry is left
        self._failures = 0
        self._condition = _Condition(state="starting", since_ms=clock.wall_ms())
        self._work: PeriodicWork | None = None
        self._prepared: PreparedWork | None = None  # the work, if it is one
        self._order: Order | None = None  # of the work
        self._run: CurrentRun | None = None
        self._waits: Cause | None = None
        self._unprepared: Exception | None = None  # why the preparation failed; the run raises it

    def set_orders(self, orders: Mapping[int, Order], why_stopped: Callable[[int], StopReason] | None = None) -> None:
        order = orders.get(self._slot)
        with self._lock:
            if order == self._wanted:
                return
            self._wanted = order
            if self._due_ms is None:
                self._failures = 0
            self._due_ms = self._clock.monotonic_ms()
            if order is None:  # when it is ordered again later, it may run again
                self._condition = replace(self._condition, fenced=False)

    def is_idle(self, slot: int) -> bool:
        with self._lock:
            return slot != self._slot or (self._run is None and self._work is None)

    def is_fenced(self, slot: int) -> bool:
        return self._condition.fenced

    @property
    def is_running(self) -> bool:
        with self._lock:
            return self._run is not None

    def due(self, now_ms: int) -> DueRun | None:
        """Return the run that is due at this monotonic time; None while one is in progress."""
        with self._lock:
            if self._run is not None or self._due_ms is None or now_ms < self._due_ms:
                return None
            if self._wanted is None or self._condition.fenced:
                is_open = self._work is not None
                return DueRun(what="end", since_ms=self._due_ms, clusters=frozenset()) if is_open else None
            return DueRun(what="run", since_ms=self._due_ms, clusters=self._clusters(self._wanted))

    def _clusters(self, order: Order) -> frozenset[str]:
        """Heartbeats need their target only."""
        both = frozenset({order.flow.source, order.target_alias})
        return frozenset({order.target_alias}) if self._kind == "heartbeat" else both

    def wait_for_room(self, text: str | None) -> None:
        """Show why a due run has not started; None when it starts."""
        with self._lock:
            if text is None:
                self._waits = None
            elif self._waits is None or self._waits.text != text:
                since_ms = self._clock.wall_ms() if self._waits is None else self._waits.since_ms
                self._waits = Cause(code="no_room", text=text, topic=None, partition=None, since_ms=since_ms)

    def status(self, slot: int) -> TaskStatus:
        with self._lock:
            condition, work, run = self._condition, self._work, self._run
            is_stopping = self._wanted is None and (run is not None or work is not None)
            late = self._waits or (None if run is None else run.cause(self._clock.monotonic_ms()))
        return TaskStatus(
            state="stopping" if is_stopping else condition.state,
            since_ms=condition.since_ms,
            cause=condition.cause or late,
            fenced=condition.fenced,
            fields={} if work is None else work.live(),
        )

    def report(self) -> TaskReport | None:
        with self._lock:
            work = self._work
        return None if work is None else work.report()

    def prepare(self) -> bool:
        """Begin a run that `run` completes, so that several share requests; False if it fails, as `run` says then."""
        with self._lock:
            order = None if self._condition.fenced or self._run is not None else self._wanted
        if order is None:
            return True
        try:
            self._work_of(order)
            if self._prepared is not None:
                self._prepared.prepare(self._clock.wall_ms())
        except Exception as error:  # shown in the live state and retried
            self._unprepared = error
            return False
        return True

    def run(self) -> Exception | None:
        """Do what is due; returns the error of a run that failed."""
        began_ms = self._clock.monotonic_ms()
        with self._lock:
            if self._run is not None:
                return None
            order = None if self._condition.fenced else self._wanted
            self._run, self._waits = CurrentRun.here(began_ms, self._clock.wall_ms()), None
        try:
            if order is not None:
                return self._run_order(order, began_ms)
            self._end()
            return None
        finally:
            with self._lock:
                self._run = None

    def _run_order(self, order: Order, began_ms: int) -> Exception | None:
        unprepared, self._unprepared = self._unprepared, None
        if unprepared is not None:
            self.fail(unprepared)
            return unprepared
        try:
            work = self._work_of(order)
            work.run_once(self._clock.wall_ms())
        except Exception as error:  # shown in the live state and retried
            self.fail(error)
            return error
        self._succeeded(order, began_ms + work.interval_ms)
        return None

    def _work_of(self, order: Order) -> PeriodicWork:
        work = self._work
        if work is not None and order != self._order and not work.apply_order(order):
            self._close()
            work = None
        if work is None:
            work = self._open_work(order)
            self._prepared = work if isinstance(work, PreparedWork) else None  # the check takes long
        with self._lock:
            self._work, self._order = work, order
        return work

    def _end(self) -> None:
        self._close()
        with self._lock:
            if not self._condition.fenced:
                self._condition = _Condition(state="starting", since_ms=self._clock.wall_ms())

    def _close(self) -> None:
        with self._lock:
            work, self._work, self._order = self._work, None, None
        if work is not None:
            work.close()

    def _succeeded(self, order: Order, due_ms: int) -> None:
        with self._lock:
            self._failures = 0
            if order == self._wanted:  # another order runs at once
                self._due_ms = due_ms
            if self._condition.state != "running":
                self._condition = _Condition(state="running", since_ms=self._clock.wall_ms())

    def fail(self, error: Exception) -> None:
        """Note a failed run, or the failure of another run over the same clusters; the next one backs off."""
        with self._lock:
            if (order := self._wanted) is None:
                return
            self._failures += 1
            before, retries = self._condition, RetryPolicy.of(order.flow.connectors.source)
            delay_ms = retries.delay_ms_after(self._failures)
            fenced = isinstance(error, FencedError)
            now_ms = self._clock.monotonic_ms()
            if fenced:  # its connections are closed at once
                self._due_ms = now_ms
            else:
                self._due_ms = None if delay_ms is None else now_ms + delay_ms
            since_ms = before.since_ms if before.state == "failed" else self._clock.wall_ms()
            cause = Cause.of(error, since_ms)
            if delay_ms is None:
                cause = replace(cause, text=retries.used_up(cause.text))
            self._condition = _Condition(state="failed", since_ms=since_ms, cause=cause, fenced=fenced)
        if before.cause is None or before.cause.text != cause.text:
            log.error(
                "run failed, will be repeated" if delay_ms is not None else "run failed, no retry is left",
                kind=self._kind,
                flow=f"{order.flow.source}->{order.target_alias}",
                error=cause.text,
            )
