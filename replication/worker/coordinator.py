"""The thread of a driver process that keeps house with Redis once a second, and outlives every failure of it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from replication.worker.exchange import Exchange
from replication.worker.group_registry import GroupKey
from replication.worker.raw_metrics import RawMetrics, Report
from replication.worker.redis_store import CoordinatorLostError
from replication.worker.self_ping import SelfPing

log = structlog.get_logger(__name__)
TICK_MS = 1_000
_SLICE_S = 0.25
_STOPPING_S = 0.1
STOP_MOST_MS = 7_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSender:
    """Sends Celery messages to the process's own queue; both may raise anything the broker throws."""

    start: Callable[[GroupKey, str], None]  # group, epoch
    ping: Callable[[], None]


class Coordinator:
    """`start`, then `begin_stop` (also from a signal handler), then `join`."""

    def __init__(
        self,
        exchange: Exchange,
        sender: JobSender,
        ping: SelfPing,
        metrics: RawMetrics | None,
        give_up: Callable[[], None],
    ) -> None:
        """`give_up` ends the process cleanly; a supervisor starts it again."""
        self._exchange = exchange
        self._sender = sender
        self._ping = ping
        self._metrics = metrics
        self._give_up = give_up
        self._stopping = threading.Event()
        self._is_away = False
        self._nudged = False
        self.failures = 0
        self._thread = threading.Thread(target=self._run, name="srm-coordinator", daemon=True)

    def start(self) -> None:
        self._exchange.desired.load_from_disk()
        if self._metrics is not None:
            self._metrics.start()
        self._thread.start()

    def begin_stop(self) -> None:
        self._stopping.set()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stopping.is_set():
            began_ms = self._exchange.clock.monotonic_ms()
            self._guarded(self._tick)
            self._sleep_until(began_ms + TICK_MS)
        self._guarded(self._wind_up)

    def _guarded(self, work: Callable[[], None]) -> None:
        """Nothing ends this thread: what runs must not lose its keeper."""
        try:
            work()
        except CoordinatorLostError as error:
            self._away(error)
        except Exception:
            self.failures += 1
            log.exception("round failed, going on", failures=self.failures)

    def _tick(self) -> None:
        was_away, nudged = self._is_away, self._nudged
        self._nudged = False
        self._exchange.round(was_away=was_away, nudged=nudged)
        if was_away:
            self._is_away = False
            log.info("redis is back")
        self._start_jobs()
        self._report_metrics()
        self._watch_consumer()

    def _away(self, error: CoordinatorLostError) -> None:
        """What runs goes on; only a process told so by its setting stops by its own clock."""
        if not self._is_away:
            log.warning("redis does not answer, running tasks go on", error=str(error))
        self._is_away = True
        self._ping.excuse()
        if self._exchange.keeper.stop_is_due(self._exchange.settings.on_coordinator_loss):
            self._stop_everything()

    def _start_jobs(self) -> None:
        now_ms = self._exchange.clock.monotonic_ms()
        for key, group in self._exchange.groups.items():
            epoch = group.ticket.issue(now_ms) if group.needs_job() else None
            if epoch is not None:
                self._sender.start(key, epoch)

    def _report_metrics(self) -> None:
        exchange = self._exchange
        now_ms = exchange.clock.wall_ms()
        if self._metrics is None or not self._metrics.is_due(now_ms):
            return
        reports: list[Report] = []
        for target, task in exchange.keeper.holding():
            applied, lease = exchange.desired.get(target), exchange.keeper.value((target, task))
            if applied is not None and lease is not None and target in applied.clients:
                status = exchange.groups.get(GroupKey.of(target, task)).status(task.slot)
                client = applied.clients[target]
                reports.append(Report(target=client, task=task, generation=lease.generation, status=status))
        self._metrics.report(reports, exchange.load, now_ms)

    def _watch_consumer(self) -> None:
        if self._ping.due(self._exchange.clock.monotonic_ms()):
            self._sender.ping()
        if self._ping.consumer_is_dead:
            log.error("celery stopped taking jobs though redis answers, handing over and ending this process")
            self._stopping.set()
            self._give_up()

    def _sleep_until(self, until_ms: int) -> None:
        """Wake early for a nudge or a stop."""
        while not self._stopping.is_set() and not self._nudged:
            left_s = (until_ms - self._exchange.clock.monotonic_ms()) / 1_000
            if left_s <= 0:
                return
            pause_s = min(_SLICE_S, left_s)
            if self._is_away:
                self._stopping.wait(pause_s)
                continue
            try:
                self._nudged = self._exchange.store.wait_for_nudge(pause_s)
            except CoordinatorLostError:
                self._stopping.wait(pause_s)

    def _wind_up(self) -> None:
        """Stop every task cleanly, give leases back as tasks end, leave."""
        exchange = self._exchange
        end_ms = exchange.clock.monotonic_ms() + STOP_MOST_MS
        self._stop_everything()
        self._guarded(lambda: _ignore(exchange.show_up(drain=True)))
        while exchange.clock.monotonic_ms() < end_ms:
            idle = [
                (target, task)
                for target, task in exchange.keeper.holding()
                if exchange.groups.get(GroupKey.of(target, task)).is_idle(task.slot)
            ]
            self._guarded(lambda: exchange.keeper.release(idle))  # noqa: B023 - called at once
            still_running = any(group.ticket.running for _, group in exchange.groups.items())
            if not still_running and (self._is_away or not exchange.keeper.holding()):
                break
            threading.Event().wait(_STOPPING_S)
        if self._metrics is not None:
            self._metrics.stop(timeout_s=1.0)
        self._guarded(exchange.leave)
        exchange.store.close()
        log.info("left", tasks_left=len(exchange.keeper.holding()))

    def _stop_everything(self) -> None:
        for _, group in self._exchange.groups.items():
            group.want({})


def _ignore(_: object) -> None:
    return
