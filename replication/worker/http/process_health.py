"""Liveness and readiness of this process: the coordinator notes, probes ask."""

from collections.abc import Callable

from replication.worker.clock import Clock
from replication.worker.jobs.self_ping import SelfPing

SLOW_ROUND_MS = 10_000
SILENT_LOOP_S = 10.0
HANGS_AFTER_S = 60.0


class ProcessHealth:
    """Notes come from the coordinator thread, questions from any. `hangs_after_s` 0 is the default."""

    def __init__(
        self, clock: Clock, ping: SelfPing, loop_silent_s: Callable[[], float] | None, hangs_after_s: float = 0
    ) -> None:
        self._clock = clock
        self._ping = ping
        self._loop_silent_s = loop_silent_s
        self._hangs_after_s = hangs_after_s or HANGS_AFTER_S
        self._round_ms = clock.monotonic_ms()
        self._redis_problem: str | None = None  # None before the first round
        self._stops = False

    def note_round(self, *, redis_problem: str) -> None:
        """The coordinator has ended a round; `redis_problem` is empty if Redis took part."""
        self._round_ms = self._clock.monotonic_ms()
        self._redis_problem = redis_problem

    def note_stop(self) -> None:
        """The process stops and takes no more tasks."""
        self._stops = True

    @property
    def has_redis(self) -> bool:
        return self._redis_problem == ""

    def not_alive(self) -> tuple[str, ...]:
        """Return what hangs; only a restart helps."""
        return tuple(self._silent(self._hangs_after_s * 1000, self._hangs_after_s))

    def not_ready(self) -> tuple[str, ...]:
        """Return the parts that are missing for new tasks; running tasks may continue all the same."""
        missing = self._silent(SLOW_ROUND_MS, SILENT_LOOP_S)
        if self._stops:
            missing.append("stopping: the process hands its tasks over and ends")
        if self._redis_problem is None:
            missing.append("coordinator: its first round has not ended")
        elif self._redis_problem:
            missing.append(f"redis: {self._redis_problem}; running tasks continue, no task starts")
        if self._ping.missed:
            missing.append(f"celery: {self._ping.missed} self-pings are not answered")
        return tuple(missing)

    def _silent(self, round_ms: float, loop_s: float) -> list[str]:
        found: list[str] = []
        since_ms = self._clock.monotonic_ms() - self._round_ms
        if since_ms > round_ms and not self._stops:
            found.append(f"coordinator: its last round ended {since_ms // 1000} s ago")
        silent_s = 0.0 if self._loop_silent_s is None else self._loop_silent_s()
        if silent_s > loop_s:
            found.append(f"network loop: it has not run for {silent_s:.0f} s")
        return found
