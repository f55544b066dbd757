"""Starts and stops one driver process: its state folder, its engine or planners, its coordinator."""

import os
import signal
import socket
import sys
import threading
import uuid
from importlib.metadata import PackageNotFoundError, version

import structlog

from replication.domain.identifiers import TaskKind
from replication.ports.data_engine import DataEngine
from replication.worker.assignment.coordinator import Coordinator, JobSender
from replication.worker.assignment.exchange import Exchange
from replication.worker.assignment.leader import Leader
from replication.worker.assignment.lease_keeper import LeaseKeeper
from replication.worker.assignment.target_tasks import TargetTasks
from replication.worker.clock import SystemClock
from replication.worker.dependencies import Dependencies
from replication.worker.gc_tuning import collect_rarely
from replication.worker.hang_watch import EX_SOFTWARE, HangWatch
from replication.worker.jobs.checkpoint_run import CheckpointRun
from replication.worker.jobs.group_registry import Group, GroupKey, GroupRegistry
from replication.worker.jobs.heartbeat_run import HeartbeatRun
from replication.worker.jobs.periodic_group import PeriodicGroup
from replication.worker.jobs.planning_run import PlanningRun
from replication.worker.jobs.self_ping import SelfPing
from replication.worker.jobs.source_group import SourceGroup
from replication.worker.jobs.task_group import CheckpointSlotOrder
from replication.worker.questions.desk import QuestionDesk
from replication.worker.questions.question_box import QuestionBox
from replication.worker.reporting.documents import DriverProcess
from replication.worker.reporting.process_load import ProcessLoad
from replication.worker.reporting.raw_metrics import RawMetrics
from replication.worker.settings import WorkerSettings
from replication.worker.state.desired_cache import DesiredCache
from replication.worker.state.plan_cache import PlanCache
from replication.worker.state.redis_store import RedisStore
from replication.worker.state.state_folder import StateFolder

log = structlog.get_logger(__name__)
STOP_DEADLINE_S = 9.0
DATA_SWITCH_INTERVAL_S = 0.0005  # the longest time another thread may delay the network loop


class Driver:
    """The Celery bootstep calls `start` and `stop`; jobs call `run_group` and `pong`."""

    def __init__(self, settings: WorkerSettings, dependencies: Dependencies, sender: JobSender) -> None:
        self._settings = settings
        self._dependencies = dependencies
        self._sender = sender
        self._ping = SelfPing()
        self._stopping = threading.Event()
        self._groups: GroupRegistry | None = None
        self._engine: DataEngine | None = None
        self._coordinator: Coordinator | None = None

    def start(self) -> None:
        """Raises StateFolderError."""
        settings, clock = self._settings, SystemClock()
        folder = StateFolder(settings.home, settings.driver, settings.role, settings.transport_keys)
        folder.lock()
        process = _identity(settings, clock.wall_ms())
        earlier_boots = folder.record_boot(process.boot)
        if settings.role == "data":
            sys.setswitchinterval(DATA_SWITCH_INTERVAL_S)
            self._engine = self._dependencies.open_engine(folder.path)
            self._engine.start(_terminate_this_process)
        plans = PlanCache(folder)
        groups = self._groups = GroupRegistry(lambda key: self._make_group(key, process, clock, plans))
        store = RedisStore(settings.redis_url)
        keeper = LeaseKeeper(store, clock, driver=settings.driver, boot=process.boot, earlier_boots=earlier_boots)
        exchange = Exchange(
            settings=settings,
            process=process,
            load=ProcessLoad(),
            clock=clock,
            store=store,
            keeper=keeper,
            groups=groups,
            desired=DesiredCache(folder, settings.transport_keys),
            plans=plans,
            tasks=TargetTasks(settings.role, settings.driver, keeper, groups, clock),
            leader=Leader(store, clock, settings.driver) if settings.role == "control" else None,
            desk=self._desk(clock) if settings.role == "control" else None,
        )
        metrics = RawMetrics(process, self._dependencies.open_producer) if settings.role == "control" else None
        watch = HangWatch(settings.hang_timeout_s, None if self._engine is None else self._engine.silent_s)
        self._coordinator = Coordinator(exchange, self._sender, self._ping, metrics, _terminate_this_process, watch)
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

    def stop(self) -> None:
        """Wait until tasks have committed and leases are released, at most until the deadline."""
        self.begin_stop()
        if self._coordinator is not None:
            self._coordinator.join(STOP_DEADLINE_S)
        if self._engine is not None:
            self._engine.stop(timeout_s=2.0)

    def run_group(self, kind: TaskKind, target: str, source: str, epoch: str, slot: int = 0) -> None:
        if self._groups is not None:
            self._groups.run(GroupKey(kind, target, source, slot), epoch)

    def pong(self) -> None:
        self._ping.record_answer()

    def _make_group(self, key: GroupKey, process: DriverProcess, clock: SystemClock, plans: PlanCache) -> Group:
        open_planner, open_sender = self._dependencies.open_planner, self._dependencies.open_heartbeat_sender
        if key.kind == "source" and self._engine is not None:
            return SourceGroup(self._engine, clock, driver=process.driver, boot=process.boot)
        if key.kind == "plan":
            return PeriodicGroup(
                "plan", lambda order: PlanningRun(order, open_planner(order), plans), clock, boot=process.boot
            )
        if key.kind == "heartbeat":
            return PeriodicGroup("heartbeat", lambda order: HeartbeatRun(open_sender(order)), clock, boot=process.boot)
        if key.kind == "checkpoint":
            return self._checkpoint_group(key.slot, process, clock)
        raise ValueError(f"a {process.role} worker does not run {key.kind} tasks")

    def _checkpoint_group(self, slot: int, process: DriverProcess, clock: SystemClock) -> Group:
        open_task = self._dependencies.open_checkpoints

        def open_run(order: CheckpointSlotOrder) -> CheckpointRun:
            return CheckpointRun(order, open_task(order, process.driver, process.boot))

        return PeriodicGroup("checkpoint", open_run, clock, boot=process.boot, slot=slot)

    def _desk(self, clock: SystemClock) -> QuestionDesk:
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
        boot=uuid.uuid4().hex,
        host=socket.gethostname(),
        pid=os.getpid(),
        version=_version(),
        started_ms=now_ms,
    )


def _version() -> str:
    try:
        return version("streams-replication-manager")
    except PackageNotFoundError:
        return "unknown"


def _terminate_this_process() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
