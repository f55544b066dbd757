"""The Celery side of a driver process: settings, the jobs that run task groups, the bootstep that owns the driver."""

import signal
import warnings
from typing import Any

import structlog
from celery import Celery, bootsteps
from celery.signals import worker_shutting_down

from replication.domain.identifiers import TaskKind
from replication.worker.assignment.coordinator import JobSender
from replication.worker.dependencies import Dependencies
from replication.worker.driver import Driver
from replication.worker.exit_codes import EX_CONFIG
from replication.worker.jobs.group_registry import GroupKey
from replication.worker.settings import WorkerSettings
from replication.worker.state import keys
from replication.worker.state.state_folder import StateFolderError

log = structlog.get_logger(__name__)
START_EXPIRES_S = 30
PING = "srm.driver.ping"
JOBS: dict[TaskKind, str] = {
    "source": "srm.driver.run_flow_slots",
    "plan": "srm.driver.run_plan",
    "heartbeat": "srm.driver.run_heartbeat",
    "checkpoint": "srm.driver.run_checkpoints",
}


def build_app(settings: WorkerSettings, dependencies: Dependencies) -> Celery:
    """Return a Celery app whose worker is this driver process."""
    app = Celery("srm-driver", set_as_current=False, fixups=[])  # a driver never loads Django
    app.conf.update(celery_settings(settings))
    driver = Driver(settings, dependencies, _sender(app, settings.queue))
    _register_jobs(app, driver)
    app.steps["worker"].add(_driver_step(driver))
    worker_shutting_down.connect(lambda **_: driver.begin_stop(), weak=False)
    return app


def celery_settings(settings: WorkerSettings) -> dict[str, Any]:
    """Messages only start jobs: acknowledged early and never redelivered, because leases detect failures."""
    return {
        "broker_url": settings.redis_url,
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": {
            "visibility_timeout": 3_600,
            "socket_timeout": 30,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "health_check_interval": 10,
            "global_keyprefix": keys.CELERY_PREFIX,
        },
        "task_default_queue": settings.queue,
        "task_ignore_result": True,
        "task_acks_late": False,
        "worker_prefetch_multiplier": 1,
        "worker_disable_prefetch": True,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_pool": "threads",
        "worker_consumer": "replication.worker.jobs.retrying_consumer:RetryingConsumer",
        "worker_concurrency": 256,  # most jobs wait, one thread each; idle threads are not created
        "worker_soft_shutdown_timeout": 5,
        "worker_send_task_events": False,
        "task_serializer": "json",
        "accept_content": ["json"],
    }


def _sender(app: Celery, queue: str) -> JobSender:
    def start(key: GroupKey, epoch: str) -> None:
        arguments = [key.target, key.source, epoch, key.slot] if key.slot else [key.target, key.source, epoch]
        app.send_task(JOBS[key.kind], arguments, queue=queue, expires=START_EXPIRES_S, retry=False)

    def ping() -> None:
        app.send_task(PING, queue=queue, expires=START_EXPIRES_S, retry=False)

    return JobSender(start=start, ping=ping)


def _register_jobs(app: Celery, driver: Driver) -> None:
    @app.task(name=JOBS["source"])
    def run_flow_slots(target: str, source: str, epoch: str) -> None:
        driver.run_group("source", target, source, epoch)

    @app.task(name=JOBS["plan"])
    def run_plan(target: str, source: str, epoch: str) -> None:
        driver.run_group("plan", target, source, epoch)

    @app.task(name=JOBS["heartbeat"])
    def run_heartbeat(target: str, source: str, epoch: str) -> None:
        driver.run_group("heartbeat", target, source, epoch)

    @app.task(name=JOBS["checkpoint"])
    def run_checkpoints(target: str, source: str, epoch: str, slot: int = 0) -> None:
        driver.run_group("checkpoint", target, source, epoch, slot)

    @app.task(name=PING)
    def ping() -> None:
        driver.pong()


def _driver_step(driver: Driver) -> type[bootsteps.StartStopStep]:
    class DriverStep(bootsteps.StartStopStep):
        """Depends on the pool, not on the consumer, which blocks and is missing while Redis is unavailable."""

        requires = ("celery.worker.components:Pool",)

        def start(self, parent: Any) -> None:
            # repeated at each loss of Redis, about a setting chosen on purpose
            warnings.filterwarnings("ignore", message=r"\s*In Celery 5\.1 we introduced")
            try:
                driver.start()
            except StateFolderError as error:
                log.critical("driver not started", error=str(error))
                raise SystemExit(EX_CONFIG) from error
            signal.signal(signal.SIGHUP, lambda *_: driver.begin_restart())  # Celery would exec itself

        def stop(self, parent: Any) -> None:
            driver.stop()

        def terminate(self, parent: Any) -> None:
            driver.stop()

    return DriverStep
