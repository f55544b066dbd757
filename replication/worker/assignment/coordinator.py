"""The thread of a driver process that synchronizes with Redis once a second and survives every Redis failure."""

import threading
from collections.abc import Callable

import structlog

from replication.domain.assignment.stop_reason import StopReason
from replication.worker.assignment.exchange import Exchange
from replication.worker.assignment.namesake import NamesakeError
from replication.worker.assignment.stop_request import StopRequest
from replication.worker.exit_codes import EX_CONFIG
from replication.worker.hang_watch import HangWatch
from replication.worker.http.driver_report import DriverReport
from replication.worker.jobs.group_registry import GroupKey
from replication.worker.jobs.process_jobs import Jobs
from replication.worker.jobs.self_ping import SelfPing
from replication.worker.reporting.raw_metrics import Report
from replication.worker.state.redis_store import CoordinatorLostError

log = structlog.get_logger(__name__)
TICK_MS = 1_000
HAND_OVER_TICK_MS = 200  # while tasks stop for another driver
_SLICE_S = 0.25
_STOPPING_S = 0.1
STOP_MOST_MS = 7_000


class Coordinator:
    """`start`, then `begin_stop` (also from a signal handler), then `join`."""

    def __init__(
        self,
        exchange: Exchange,
        jobs: Jobs,
        ping: SelfPing,
        terminate: Callable[[], None],
        hang_watch: HangWatch,
        exit_process: Callable[[int], None],
        report: DriverReport,
    ) -> None:
        """`terminate` stops the process cleanly; its supervisor restarts it. `exit_process` ends it with a code."""
        self._report = report
        self._exit = exit_process
        self._returns = False
        self._hang_watch = hang_watch
        self._exchange = exchange
        self._jobs = jobs
        self._ping = ping
        self._metrics = report.raw_metrics
        self._terminate = terminate
        self._stopping = threading.Event()
        self._redis_problem = ""  # of the last round
        self._nudged = False
        self._stop = StopRequest()
        self.failures = 0
        self._thread = threading.Thread(target=self._run, name="srm-coordinator", daemon=True)

    def start(self) -> None:
        self._exchange.desired.load_from_disk()
        self._exchange.member.orders.load_from_disk()
        if self._metrics is not None:
            self._metrics.start()
        self._thread.start()

    def begin_stop(self) -> None:
        self._stopping.set()

    def begin_restart(self) -> None:
        """Stop, and let the tasks wait for the next start; for a signal handler."""
        self._returns = True
        self._stopping.set()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stopping.is_set():
            began_ms = self._exchange.clock.monotonic_ms()
            self._hang_watch.beat()
            self._guarded(self._tick)
            self._guarded(self._note_round)
            self._sleep_until(began_ms + (HAND_OVER_TICK_MS if self._exchange.is_handing_over else TICK_MS))
        self._hang_watch.stop()
        self._report.health.note_stop()
        if self._returns and not self._stop.returns_in_ms:
            self._stop = StopRequest(returns_in_ms=self._exchange.member.grace_ms())
        self._guarded(self._shut_down)
        if self._stop.exit_code:
            self._exit(self._stop.exit_code)

    @property
    def _is_away(self) -> bool:
        return bool(self._redis_problem)

    def _note_round(self) -> None:
        """Keep what the HTTP port tells, also while Redis is away."""
        self._report.health.note_round(redis_problem=self._redis_problem)
        if self._is_away:
            self._exchange.measure_live()
        self._report.replace_states(self._exchange.live.values())

    def _guarded(self, work: Callable[[], None]) -> None:
        """Run `work` and survive its failure: running tasks depend on this thread for their leases."""
        try:
            work()
        except CoordinatorLostError as error:
            self._on_redis_lost(error)
        except NamesakeError as error:
            log.critical("driver ends", error=str(error))
            self._stop = StopRequest(exit_code=EX_CONFIG)
            self._stopping.set()
        except Exception:
            self.failures += 1
            log.exception("round failed, will be repeated", failures=self.failures)

    def _tick(self) -> None:
        was_away, nudged = self._is_away, self._nudged
        self._nudged = False
        self._exchange.round(was_away=was_away, nudged=nudged)
        if self._exchange.member.stop_request is not None:
            self._stop = self._exchange.member.stop_request
            log.info("restart ordered", returns_in_ms=self._stop.returns_in_ms)
            self._stopping.set()
            self._terminate()
            return
        if was_away:
            self._redis_problem = ""
            log.info("redis is back")
        if self._stopping.is_set():  # a message that is sent now would find no consumer
            return
        self._jobs.start_parked()
        self._start_due()
        self._report_metrics()
        self._watch_consumer()

    def _on_redis_lost(self, error: CoordinatorLostError) -> None:
        """Keep tasks running; with SRM_ON_COORDINATOR_LOSS=stop, stop them before their leases can expire."""
        if not self._is_away:
            log.warning("redis is unavailable, running tasks continue", problem=error.problem, error=str(error))
        self._redis_problem = error.problem
        self._ping.reset()
        if self._exchange.keeper.stop_is_due(self._exchange.settings.on_coordinator_loss):
            self._stop_everything(StopReason("coordinator_lost"))

    def _report_metrics(self) -> None:
        exchange = self._exchange
        now_ms = exchange.clock.wall_ms()
        if self._metrics is None or not self._metrics.is_due(now_ms):
            return
        reports: list[Report] = []
        for target, task in exchange.keeper.holding():
            applied, lease = exchange.desired.get(target), exchange.keeper.value((target, task))
            if applied is not None and lease is not None and target in applied.clients:
                group, client = exchange.groups.get(GroupKey.of(target, task)), applied.clients[target]
                status, report = group.status(task.slot), group.report()
                rows = () if report is None else tuple(report.rows.drain())
                self._report.add_groups(task.source, target, rows, exchange.remote_names(target, task.source))
                reports.append(Report(target=client, task=task, generation=lease.generation, status=status, rows=rows))
        exchange.load.loop_lag_ms = exchange.loop_lag_ms()
        self._metrics.report(reports, exchange.load, now_ms)

    def _watch_consumer(self) -> None:
        if self._ping.start_if_due(self._exchange.clock.monotonic_ms()):
            self._jobs.ping()
        if self._ping.consumer_is_dead:
            log.error("celery stopped consuming jobs although redis answers, releasing tasks and terminating")
            self._stopping.set()
            self._terminate()

    def _start_due(self) -> None:
        if self._stopping.is_set():
            return
        self._guarded(lambda: self._jobs.start_due(is_away=self._is_away))

    def _sleep_until(self, until_ms: int) -> None:
        """Sleep; a nudge or a stop request ends the sleep early."""
        while not self._stopping.is_set() and not self._nudged:
            left_s = (until_ms - self._exchange.clock.monotonic_ms()) / 1_000
            if left_s <= 0:
                return
            self._start_due()
            pause_s = min(_SLICE_S, left_s)
            if self._is_away:
                self._stopping.wait(pause_s)
                continue
            try:
                self._nudged = self._exchange.store.wait_for_nudge(pause_s)
            except CoordinatorLostError:
                self._stopping.wait(pause_s)

    def _shut_down(self) -> None:
        """Stop every task cleanly, release leases as tasks end, then remove the membership."""
        exchange = self._exchange
        end_ms = exchange.clock.monotonic_ms() + STOP_MOST_MS
        self._stop_everything(StopReason("driver_stops"))
        self._guarded(exchange.resign)
        self._guarded(lambda: _ignore(exchange.member.renew(self._stop)))
        while exchange.clock.monotonic_ms() < end_ms:
            idle = [
                (target, task)
                for target, task in exchange.keeper.holding()
                if exchange.groups.get(GroupKey.of(target, task)).is_idle(task.slot)
            ]
            self._guarded(lambda: exchange.keeper.release(idle))  # noqa: B023 - called immediately
            self._guarded(lambda: self._jobs.start_due(is_away=True))  # connections are closed
            if not self._jobs.is_running and (self._is_away or not exchange.keeper.holding()):
                break
            threading.Event().wait(_STOPPING_S)
        if self._metrics is not None:
            self._metrics.stop(timeout_s=1.0)
        self._guarded(lambda: exchange.leave(self._stop))
        exchange.store.close()
        log.info("coordinator stopped", tasks_left=len(exchange.keeper.holding()))

    def _stop_everything(self, why: StopReason) -> None:
        for _, group in self._exchange.groups.items():
            group.set_orders({}, lambda _slot: why)
        self._exchange.tasks.forget_orders()


def _ignore(_: object) -> None:
    return
