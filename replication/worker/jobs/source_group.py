"""Runs the source slots of one flow on the data engine and waits until they end."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import structlog

from replication.domain.assignment.stop_reason import StopReason
from replication.domain.errors import Cause, FatalError, FencedError
from replication.domain.health.flow_facts import TaskState
from replication.domain.plan.slot import SlotSpec
from replication.ports.data_engine import DataEngine, SlotHandle
from replication.worker.assignment.task_status import TaskReport, TaskStatus
from replication.worker.clock import Clock
from replication.worker.engine.slot_spec import is_live_change, restart_reason
from replication.worker.jobs.job_ticket import JobTicket

log = structlog.get_logger(__name__)
_PARK_S = 0.5
_STOPPING_S = 0.05
_HEALTHY_MS = 60_000


@dataclass(slots=True)
class _Slot:
    """A slot of this process, from its first start until it is stopped or fenced."""

    spec: SlotSpec
    since_ms: int
    handle: SlotHandle | None = None
    stopping: bool = False
    failures: int = 0
    retry_ms: int | None = 0  # monotonic; None: no retry is left
    started_ms: int = 0  # monotonic
    cause: Cause | None = None

    @property
    def state(self) -> TaskState:
        if self.stopping:
            return "stopping"
        if self.handle is None:
            return "failed" if self.cause else "starting"
        return "running"


class SourceGroup:
    """Restarts a failed slot with back-off; a fenced slot is not restarted."""

    def __init__(self, engine: DataEngine, clock: Clock, *, driver: str, boot: str) -> None:
        self.ticket = JobTicket(boot)
        self._engine = engine
        self._clock = clock
        self._driver = driver
        self._boot = boot
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._wanted: dict[int, SlotSpec] = {}
        self._slots: dict[int, _Slot] = {}
        self._fenced: dict[int, TaskStatus] = {}
        self._unwanted: dict[int, StopReason] = {}

    def set_orders(
        self, orders: Mapping[int, SlotSpec], why_stopped: Callable[[int], StopReason] | None = None
    ) -> None:
        with self._lock:
            if orders == self._wanted:
                return
            if why_stopped is not None:
                self._unwanted |= {slot: why_stopped(slot) for slot in self._wanted.keys() - orders.keys()}
            self._unwanted = {slot: reason for slot, reason in self._unwanted.items() if slot not in orders}
            self._wanted = dict(orders)
            self._fenced = {slot: status for slot, status in self._fenced.items() if slot in orders}
        self._changed.set()

    def is_idle(self, slot: int) -> bool:
        with self._lock:
            return slot not in self._slots

    def is_fenced(self, slot: int) -> bool:
        with self._lock:
            return slot in self._fenced and slot not in self._slots

    def needs_job(self) -> bool:
        with self._lock:
            return bool(self._slots or self._wanted.keys() - self._fenced.keys())

    def status(self, slot: int) -> TaskStatus:
        with self._lock:
            known = self._slots.get(slot)
            if known is None:
                return self._fenced.get(slot) or TaskStatus(state="starting", since_ms=self._clock.wall_ms())
            fields = {} if known.handle is None else dict(known.handle.live())
            fields |= {"slot": slot, "plan_version": known.spec.plan_version}
            state: TaskState = "starting" if fields.get("state") == "starting" else known.state
            return TaskStatus(state=state, since_ms=known.since_ms, cause=known.cause, fields=fields)

    def report(self) -> TaskReport | None:
        return None

    def run(self) -> None:
        while self.needs_job():
            self._changed.clear()
            self.reconcile()
            with self._lock:
                is_stopping = any(slot.stopping for slot in self._slots.values())
            self._changed.wait(_STOPPING_S if is_stopping else _PARK_S)

    def reconcile(self) -> None:
        """Bring running slots one step closer to their orders; never blocks."""
        with self._lock:
            for number in sorted(self._slots.keys() | self._wanted.keys()):
                self._reconcile_slot(number, self._wanted.get(number))

    def _reconcile_slot(self, number: int, spec: SlotSpec | None) -> None:
        slot = self._slots.get(number)
        if slot is not None and slot.handle is not None:
            self._watch(number, slot, slot.handle, spec)
        elif spec is None:
            self._slots.pop(number, None)
        elif number not in self._fenced:
            self._start_when_due(number, slot, spec)

    def _watch(self, number: int, slot: _Slot, handle: SlotHandle, spec: SlotSpec | None) -> None:
        if handle.wait(0):
            self._ended(number, slot, handle)
        elif spec is None or not is_live_change(slot.spec, spec):
            if not slot.stopping:
                slot.stopping, slot.since_ms = True, self._clock.wall_ms()
                handle.stop(self._stop_cause(number, slot, spec))
        elif spec != slot.spec and not slot.stopping:
            slot.spec = spec
            handle.update(spec)

    def _stop_cause(self, number: int, slot: _Slot, spec: SlotSpec | None) -> Cause | None:
        reason = self._unwanted.get(number) if spec is None else restart_reason(slot.spec, spec)
        return None if reason is None else reason.cause(slot.since_ms)

    def _start_when_due(self, number: int, slot: _Slot | None, spec: SlotSpec) -> None:
        now_ms = self._clock.monotonic_ms()
        if slot is None:
            slot = self._slots[number] = _Slot(spec=spec, since_ms=self._clock.wall_ms())
        if slot.retry_ms is None and spec != slot.spec:
            slot.failures, slot.retry_ms = 0, now_ms
        if slot.retry_ms is None or now_ms < slot.retry_ms:
            return
        slot.spec = spec
        try:
            slot.handle = self._engine.start_slot(spec, driver=self._driver, boot=self._boot)
        except Exception as error:  # shown in the live state and retried
            self._failed(slot, error)
            return
        slot.since_ms, slot.started_ms, slot.cause = self._clock.wall_ms(), now_ms, None
        log.info("slot started", task=str(spec.task_id), target=spec.flow.target, generation=spec.generation)

    def _ended(self, number: int, slot: _Slot, handle: SlotHandle) -> None:
        error, slot.handle = handle.error(), None
        was_asked, slot.stopping = slot.stopping, False
        slot.since_ms = self._clock.wall_ms()
        if isinstance(error, FencedError):
            self._slots.pop(number)
            cause = Cause.of(error, slot.since_ms)
            self._fenced[number] = TaskStatus(state="failed", since_ms=slot.since_ms, cause=cause, fenced=True)
            log.warning("slot taken over by another owner", task=str(slot.spec.task_id), target=slot.spec.flow.target)
        elif was_asked:
            self._slots.pop(number)
            log.info("slot stopped", task=str(slot.spec.task_id), target=slot.spec.flow.target, error=_text(error))
        else:
            self._failed(slot, error or FatalError("the slot ended unexpectedly and without an error"))

    def _failed(self, slot: _Slot, error: BaseException) -> None:
        now_ms = self._clock.monotonic_ms()
        was_healthy = slot.started_ms and now_ms - slot.started_ms >= _HEALTHY_MS
        slot.failures = 1 if was_healthy else slot.failures + 1
        delay_ms = slot.spec.retries.delay_ms_after(slot.failures)
        slot.retry_ms = None if delay_ms is None else now_ms + delay_ms
        slot.since_ms = self._clock.wall_ms()
        slot.cause = Cause.of(error, slot.since_ms)
        if delay_ms is None:
            slot.cause = replace(slot.cause, text=slot.spec.retries.used_up(slot.cause.text))
        log.error(
            "slot failed, will be restarted" if delay_ms is not None else "slot failed, no retry is left",
            task=str(slot.spec.task_id),
            target=slot.spec.flow.target,
            error=slot.cause.text,
            retry_in_ms=delay_ms,
        )


def _text(error: BaseException | None) -> str | None:
    return None if error is None else str(error)
