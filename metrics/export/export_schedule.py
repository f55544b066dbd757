"""Exports each hour of this process's targets when it is closed, by jobs that the process requests of itself."""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from threading import Event

import structlog

from metrics.export.export_spec import ExportSpec
from metrics.loops import RepeatedLoop
from metrics.store.connection import SharedConnection
from metrics.store.job_table import JobTable
from metrics.store.rollup import rolled_hours_to

log = structlog.get_logger()

_EVERY_S = 5.0
_FIRST_PAUSE_MS, _LONGEST_PAUSE_MS = 60_000, 1_800_000


@dataclass(slots=True)
class TargetSchedule:
    """When a target's next export begins: once for every end of the closed hours, and again after a failure."""

    exported_to_ms: int = -1
    failures: int = 0
    not_before_ms: int = 0
    asked_to_ms: int = field(default=-1)

    def is_due(self, closed_to_ms: int, now_ms: int) -> bool:
        return closed_to_ms > self.exported_to_ms and now_ms >= self.not_before_ms

    def asked(self, closed_to_ms: int) -> None:
        self.asked_to_ms = closed_to_ms

    def ended(self, now_ms: int, *, failed: bool) -> None:
        """Take note of the end of the job. A cancelled one is not tried again before the next hour."""
        if failed:
            pause_ms = min(_LONGEST_PAUSE_MS, _FIRST_PAUSE_MS << min(self.failures, 10))
            self.failures += 1
            self.not_before_ms = now_ms + pause_ms
        else:
            self.exported_to_ms, self.failures, self.not_before_ms = self.asked_to_ms, 0, 0


class ExportSchedule(RepeatedLoop):
    """A round is a few small queries per target. The jobs find out by themselves which hours are due."""

    def __init__(
        self,
        spec: ExportSpec,
        targets: Callable[[], Collection[str]],
        open_store: Callable[[], SharedConnection],
        stop: Event,
        now_ms: Callable[[], int],
    ) -> None:
        super().__init__("export schedule", stop, every_s=_EVERY_S)
        self._spec = spec
        self._targets = targets
        self._open_store = open_store
        self._now_ms = now_ms
        self._schedules: dict[str, TargetSchedule] = {}
        self._jobs: dict[str, int] = {}  # by target
        self._store: SharedConnection | None = None

    def run_once(self) -> None:
        """Look after the jobs that were asked for, and ask for those that are due."""
        if self._store is None:
            self._store = self._open_store()
        for target in self._targets():
            schedule = self._schedules.setdefault(target, TargetSchedule())
            if target in self._jobs:
                self._look_after(self._store, target, schedule)
            if target not in self._jobs:
                self._ask(self._store, target, schedule)

    def _look_after(self, store: SharedConnection, target: str, schedule: TargetSchedule) -> None:
        state, _, error = JobTable(store, "").state(self._jobs[target])
        if state not in ("done", "failed", "cancelled"):
            return
        del self._jobs[target]
        schedule.ended(self._now_ms(), failed=state == "failed")
        if state == "failed":
            pause_s = (schedule.not_before_ms - self._now_ms()) // 1_000
            log.warning("scheduled export failed, trying again", target=target, error=error, pause_s=pause_s)

    def _ask(self, store: SharedConnection, target: str, schedule: TargetSchedule) -> None:
        with store.reading() as connection:
            closed_to_ms = rolled_hours_to(connection, target)
        if not closed_to_ms or not schedule.is_due(closed_to_ms, self._now_ms()):
            return
        schedule.asked(closed_to_ms)
        self._jobs[target] = self._open_job(store, target) or JobTable(store, "").request(
            "export", target, self._spec.to_json()
        )

    def _open_job(self, store: SharedConnection, target: str) -> int | None:
        """A job that an earlier process asked for, and that waits or runs."""
        with store.reading() as connection:
            specs = connection.rows(
                "SELECT id, spec FROM job_request WHERE kind = 'export' AND target = ? AND state = 'requested'",
                (target,),
            )
        wanted = self._spec.to_json()
        return next((int(job_id) for job_id, spec in specs if json.loads(spec) == wanted), None)

    def _forget(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None
