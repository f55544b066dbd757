"""One driver process put together: state folder, engine or planners, coordinator; started and stopped as one."""

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
from replication.worker.clock import SystemClock
from replication.worker.coordinator import Coordinator, JobSender
from replication.worker.desired_cache import DesiredCache
from replication.worker.documents import ProcessIdentity
from replication.worker.exchange import Exchange
from replication.worker.flow_works import HeartbeatWork, PlanWork
from replication.worker.group_registry import Group, GroupKey, GroupRegistry
from replication.worker.leader import Leader
from replication.worker.lease_keeper import LeaseKeeper
from replication.worker.parts import Parts
from replication.worker.periodic_group import PeriodicGroup
from replication.worker.plan_cache import PlanCache
from replication.worker.process_load import ProcessLoad
from replication.worker.raw_metrics import RawMetrics
from replication.worker.redis_store import RedisStore
from replication.worker.self_ping import SelfPing
from replication.worker.settings import WorkerSettings
from replication.worker.source_group import SourceGroup
from replication.worker.state_folder import StateFolder
from replication.worker.target_tasks import TargetTasks

log = structlog.get_logger(__name__)
STOP_DEADLINE_S = 9.0
EX_SOFTWARE = 70  # of sysexits.h
DATA_SWITCH_INTERVAL_S = 0.0005  # another thread may keep the network loop waiting no longer than this


class Driver:
    """`start` and `stop` come from the Celery bootstep, `run_group` and `pong` from jobs."""

    def __init__(self, settings: WorkerSettings, parts: Parts, sender: JobSender) -> None:
        self._settings = settings
        self._parts = parts
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
        earlier_boots = folder.begin_boot(process.boot)
        if settings.role == "data":
            sys.setswitchinterval(DATA_SWITCH_INTERVAL_S)
            self._engine = self._parts.open_engine(folder.path)
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
        )
        metrics = RawMetrics(process, self._parts.open_producer) if settings.role == "control" else None
        self._coordinator = Coordinator(exchange, self._sender, self._ping, metrics, _terminate_this_process)
        threading.Thread(target=self._enforce_deadline, name="srm-stop-deadline", daemon=True).start()
        self._coordinator.start()
        log.info("driver started", driver=settings.driver, role=settings.role, boot=process.boot, pid=process.pid)

    def begin_stop(self) -> None:
        """Called from a signal handler: sets flags, nothing else."""
        self._stopping.set()
        if self._coordinator is not None:
            self._coordinator.begin_stop()

    def stop(self) -> None:
        """Wait until tasks have committed and leases are given back, at most until the deadline."""
        self.begin_stop()
        if self._coordinator is not None:
            self._coordinator.join(STOP_DEADLINE_S)
        if self._engine is not None:
            self._engine.stop(timeout_s=2.0)

    def run_group(self, kind: TaskKind, target: str, source: str, epoch: str) -> None:
        if self._groups is not None:
            self._groups.run(GroupKey(kind, target, source), epoch)

    def pong(self) -> None:
        self._ping.answered()

    def _make_group(self, key: GroupKey, process: ProcessIdentity, clock: SystemClock, plans: PlanCache) -> Group:
        parts = self._parts
        if key.kind == "source" and self._engine is not None:
            return SourceGroup(self._engine, clock, driver=process.driver, boot=process.boot)
        if key.kind == "plan":
            return PeriodicGroup(
                "plan", lambda order: PlanWork(order, parts.open_planner(order), plans), clock, boot=process.boot
            )
        if key.kind == "heartbeat":
            return PeriodicGroup(
                "heartbeat", lambda order: HeartbeatWork(parts.open_heartbeat(order)), clock, boot=process.boot
            )
        raise ValueError(f"a {process.role} worker does not run {key.kind} tasks")

    def _enforce_deadline(self) -> None:
        """A job stuck in a library must not keep the process: whoever stops us expects us gone within ten seconds."""
        self._stopping.wait()
        threading.Event().wait(STOP_DEADLINE_S)
        log.error("tasks did not end in time, ending the process", seconds=STOP_DEADLINE_S)
        os._exit(EX_SOFTWARE)


def _identity(settings: WorkerSettings, now_ms: int) -> ProcessIdentity:
    return ProcessIdentity(
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
