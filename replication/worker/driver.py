"""Starts and stops one driver process: its state folder, its engine or planners, its coordinator."""

import os
import signal
import socket
import sys
import threading
from importlib.metadata import PackageNotFoundError, version

import structlog

from replication.ports.data_engine import DataEngine
from replication.worker.assignment.coordinator import Coordinator
from replication.worker.assignment.exchange import Exchange
from replication.worker.assignment.leader import Leader
from replication.worker.assignment.lease_keeper import LeaseKeeper
from replication.worker.assignment.own_membership import OwnMembership
from replication.worker.assignment.target_tasks import TargetTasks
from replication.worker.assignment.target_views import TargetViews
from replication.worker.clock import Clock, SystemClock
from replication.worker.dependencies import Dependencies
from replication.worker.exit_codes import EX_SOFTWARE
from replication.worker.gc_tuning import collect_rarely
from replication.worker.hang_watch import HangWatch
from replication.worker.http.driver_pages import open_http_port
from replication.worker.http.driver_report import DriverReport
from replication.worker.http.http_port import HttpPort
from replication.worker.http.process_health import ProcessHealth
from replication.worker.jobs.group_registry import Group, GroupKey, GroupRegistry
from replication.worker.jobs.process_jobs import Jobs, JobSender
from replication.worker.jobs.self_ping import SelfPing
from replication.worker.jobs.source_group import SourceGroup
from replication.worker.jobs.task_group import CheckpointSlotOrder
from replication.worker.periodic.checkpoint_run import CheckpointRun
from replication.worker.periodic.heartbeat_run import HeartbeatRun
from replication.worker.periodic.periodic_group import PeriodicGroup
from replication.worker.periodic.periodic_jobs import PeriodicJobs
from replication.worker.periodic.planning_run import PlanningRun
from replication.worker.questions.desk import QuestionDesk
from replication.worker.questions.question_box import QuestionBox
from replication.worker.reporting.documents import DriverProcess
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.reporting.raw_metrics import RawMetrics
from replication.worker.settings import WorkerSettings
from replication.worker.state.desired_cache import DesiredCache
from replication.worker.state.orders_cache import OrdersCache
from replication.worker.state.plan_cache import PlanCache
from replication.worker.state.redis_store import RedisStore
from replication.worker.state.state_folder import StateFolder

log = structlog.get_logger(__name__)
STOP_DEADLINE_S = 9.0
DATA_SWITCH_INTERVAL_S = 0.0005  # the longest time another thread may delay the network loop


class Driver:
    """The Celery bootstep calls `start` and `stop`; Celery's threads call `run_slots`, `run_batch` and `pong`."""

    def __init__(self, settings: WorkerSettings, dependencies: Dependencies, sender: JobSender) -> None:
        self._settings = settings
        self._dependencies = dependencies
        self._sender = sender
        self._ping = SelfPing()
        self._stopping = threading.Event()
        self._jobs: Jobs | None = None
        self._engine: DataEngine | None = None
        self._coordinator: Coordinator | None = None
        self._http: HttpPort | None = None

    def start(self) -> None:
        """Raises StateFolderError, and HttpPortError when the HTTP port is taken."""
        settings, clock = self._settings, SystemClock()
        folder = StateFolder(settings.home, settings.driver, settings.role, settings.transport_keys)
        folder.lock()
        process = _identity(settings, clock.wall_ms())
        if settings.role == "data":
            self._start_engine(folder)
        plans = PlanCache(folder)
        groups = GroupRegistry(lambda key: self._make_group(key, process, clock, plans))
        exchange = self._make_exchange(folder, process, clock, groups, plans)
        report = self._open_report(process, clock, exchange.load)
        watch = HangWatch(
            settings.hang_timeout_s, self._loop_silent_s, beat_fd=settings.beat_fd, hand_over=exchange.hand_over
        )
        self._jobs = self._make_jobs(groups, process, clock)
        self._coordinator = Coordinator(
            exchange, self._jobs, self._ping, _terminate_this_process, watch, _exit_at_once, report
        )
        threading.Thread(target=self._enforce_deadline, name="srm-stop-deadline", daemon=True).start()
        self._coordinator.start()
        if settings.role == "control":
            collect_rarely()
        log.info("driver started", driver=settings.driver, role=settings.role, boot=process.boot, pid=process.pid)

    def begin_stop(self) -> None:
        """Request a stop; safe in a signal handler, because it only sets flags."""
        self._stopping.set()
        if self._coordinator is not None:
            self._coordinator.begin_stop()

    def begin_restart(self) -> None:
        """Request a stop after which tasks wait for the next start of this process; for a signal handler."""
        if self._coordinator is not None:
            self._coordinator.begin_restart()
        _terminate_this_process()

    def stop(self) -> None:
        """Wait until tasks have committed and leases are released, at most until the deadline."""
        self.begin_stop()
        if self._coordinator is not None:
            self._coordinator.join(STOP_DEADLINE_S)
        if self._engine is not None:
            self._engine.stop(timeout_s=2.0)

    def run_slots(self, target: str, source: str, epoch: str) -> None:
        if self._jobs is not None:
            self._jobs.run_source(target, source, epoch)

    def run_batch(self, batch: str) -> None:
        if self._jobs is not None:
            self._jobs.run_batch(batch)

    def pong(self) -> None:
        self._ping.record_answer()

    def _make_exchange(
        self, folder: StateFolder, process: DriverProcess, clock: Clock, groups: GroupRegistry, plans: PlanCache
    ) -> Exchange:
        settings, store = self._settings, RedisStore(self._settings.redis_url)
        boots = folder.record_boot(process.boot)
        keeper = LeaseKeeper(store, clock, driver=settings.driver, boot=process.boot, earlier_boots=boots)
        load = ProcessLoad(None if self._engine is None else self._engine.loop_lag_ms)
        desired = DesiredCache(folder, settings.transport_keys)
        member = OwnMembership(
            settings=settings,
            process=process,
            load=load,
            clock=clock,
            store=store,
            keeper=keeper,
            desired=desired,
            orders=OrdersCache(folder, settings.transport_keys, driver=settings.driver, parent=settings.parent),
            earlier_boots=boots,
        )
        is_control = settings.role == "control"
        return Exchange(
            settings=settings,
            load=load,
            clock=clock,
            store=store,
            keeper=keeper,
            groups=groups,
            desired=desired,
            plans=plans,
            views=TargetViews(store, desired, plans),
            tasks=TargetTasks(settings.role, settings.driver, keeper, groups, clock),
            member=member,
            leader=Leader(store, clock, settings.driver, process.boot) if is_control else None,
            desk=self._desk(clock) if is_control else None,
        )

    def _make_group(self, key: GroupKey, process: DriverProcess, clock: SystemClock, plans: PlanCache) -> Group:
        open_planner, open_sender = self._dependencies.open_planner, self._dependencies.open_heartbeat_sender
        if key.kind == "source" and self._engine is not None:
            return SourceGroup(self._engine, clock, driver=process.driver, boot=process.boot)
        if key.kind == "plan":
            return PeriodicGroup("plan", lambda order: PlanningRun(order, open_planner(order), plans), clock)
        if key.kind == "heartbeat":
            return PeriodicGroup("heartbeat", lambda order: HeartbeatRun(open_sender(order)), clock)
        if key.kind == "checkpoint":
            return self._checkpoint_group(key.slot, process, clock)
        raise ValueError(f"a {process.role} worker does not run {key.kind} tasks")

    def _checkpoint_group(self, slot: int, process: DriverProcess, clock: SystemClock) -> Group:
        open_task = self._dependencies.open_checkpoints

        def open_run(order: CheckpointSlotOrder) -> CheckpointRun:
            return CheckpointRun(order, open_task(order, process.driver, process.boot))

        return PeriodicGroup("checkpoint", open_run, clock, slot=slot)

    def _make_jobs(self, groups: GroupRegistry, process: DriverProcess, clock: SystemClock) -> Jobs:
        periodic = PeriodicJobs(
            groups,
            self._sender.run,
            clock,
            driver=process.driver,
            boot=process.boot,
            capacity=self._settings.periodic_capacity,
        )
        return Jobs(groups, periodic, self._sender, clock)

    def _start_engine(self, folder: StateFolder) -> None:
        sys.setswitchinterval(DATA_SWITCH_INTERVAL_S)
        self._engine = self._dependencies.open_engine(folder.path)
        self._engine.start(_terminate_this_process)

    def _open_report(self, process: DriverProcess, clock: Clock, load: ProcessLoad) -> DriverReport:
        """Open the HTTP port if it is on. Raises HttpPortError."""
        settings, engine = self._settings, self._engine
        health = ProcessHealth(clock, self._ping, self._loop_silent_s, settings.hang_timeout_s)
        report = DriverReport(process=process, load=load, health=health, engine=engine)
        if settings.role == "control":
            report.raw_metrics = RawMetrics(process, self._dependencies.open_producer)
        self._http = open_http_port(settings.http, report)
        if self._http is not None:
            self._http.start()
        return report

    def _loop_silent_s(self) -> float:
        return self._dependencies.loop_silent_s() if self._engine is None else self._engine.silent_s()

    def _desk(self, clock: Clock) -> QuestionDesk:
        settings, box = self._settings, QuestionBox(self._settings.redis_url)
        open_ports = self._dependencies.open_flow_ports
        return QuestionDesk(box, open_ports, settings.transport_keys, clock, driver=settings.driver)

    def _enforce_deadline(self) -> None:
        """End the process when a job is stuck in a library: supervisors expect the exit within ten seconds."""
        self._stopping.wait()
        threading.Event().wait(STOP_DEADLINE_S)
        log.error("tasks did not stop in time, terminating the process", seconds=STOP_DEADLINE_S)
        os._exit(EX_SOFTWARE)


def _identity(settings: WorkerSettings, now_ms: int) -> DriverProcess:
    return DriverProcess(
        driver=settings.driver,
        role=settings.role,
        boot=settings.boot,
        host=socket.gethostname(),
        pid=os.getpid(),
        version=_version(),
        started_ms=now_ms,
        parent=settings.parent,
        capacity=settings.capacity,
        labels=settings.labels,
    )


def _version() -> str:
    try:
        return version("streams-replication-manager")
    except PackageNotFoundError:
        return "unknown"


def _exit_at_once(code: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _terminate_this_process() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
