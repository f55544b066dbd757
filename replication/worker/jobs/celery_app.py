"""The Celery side of a driver process: settings, the jobs that run task groups, the bootstep that owns the driver."""

import signal
import warnings
from typing import Any

import structlog
from celery import Celery, bootsteps
from celery.signals import worker_shutting_down

from replication.config.redis_access import broker_settings
from replication.domain.identifiers import TaskKind
from replication.worker.dependencies import Dependencies
from replication.worker.driver import Driver
from replication.worker.exit_codes import EX_CONFIG
from replication.worker.http.http_port import HttpPortError
from replication.worker.jobs.at_most_once import AtMostOnceTask, at_most_once_queue
from replication.worker.jobs.group_registry import GroupKey
from replication.worker.jobs.message_sender import MessageSender
from replication.worker.jobs.process_jobs import JobSender
from replication.worker.settings import WorkerSettings
from replication.worker.state import keys
from replication.worker.state.state_folder import StateFolderError

log = structlog.get_logger(__name__)
PARKED_JOBS = 1_024  # of a data worker, one for each flow; idle threads are not created
SPARE_THREADS = 4  # of a control worker, for self-pings
PING = "srm.driver.ping"
JOBS: dict[TaskKind, str] = {
    "source": "srm.driver.run_flow_slots",
    "plan": "srm.driver.run_plans",
    "heartbeat": "srm.driver.run_heartbeats",
    "checkpoint": "srm.driver.run_checkpoints",
}
PERIODIC: tuple[TaskKind, ...] = ("plan", "heartbeat", "checkpoint")


def build_app(settings: WorkerSettings, dependencies: Dependencies) -> Celery:
    """Return a Celery app whose worker is this driver process."""
    # a driver never loads Django
    app: Celery = Celery("srm-driver", set_as_current=False, fixups=[], task_cls=AtMostOnceTask)
    app.conf.update(celery_settings(settings))
    driver = Driver(settings, dependencies, _sender(app, settings.queue))
    _register_jobs(app, driver)
    app.steps["worker"].add(_driver_step(driver))
    worker_shutting_down.connect(lambda **_: driver.begin_stop(), weak=False)
    return app


def celery_settings(settings: WorkerSettings) -> dict[str, Any]:
    """Messages only start jobs: taken once and never redelivered, because leases detect failures."""
    broker = broker_settings(settings.redis_url)
    return {
        **broker,
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": {
            "socket_timeout": 30,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "health_check_interval": 10,
            "global_keyprefix": keys.CELERY_PREFIX,
            **broker["broker_transport_options"],
        },
        "task_default_queue": settings.queue,
        "task_queues": [at_most_once_queue(settings.queue)],
        "task_ignore_result": True,
        "worker_prefetch_multiplier": 1,
        "worker_disable_prefetch": True,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_pool": "threads",
        "worker_consumer": "replication.worker.jobs.retrying_consumer:RetryingConsumer",
        "worker_concurrency": _threads(settings),
        "worker_soft_shutdown_timeout": 5,
        "worker_send_task_events": False,
        "task_serializer": "json",
        "accept_content": ["json"],
    }


def _threads(settings: WorkerSettings) -> int:
    """Admission bounds the runs of a control worker, so that a self-ping always finds a thread."""
    return PARKED_JOBS if settings.role == "data" else settings.periodic_capacity + SPARE_THREADS


def _sender(app: Celery, queue: str) -> JobSender:
    messages = MessageSender(app, queue)

    def start(key: GroupKey, epoch: str) -> None:
        messages.send(JOBS[key.kind], key.target, key.source, epoch)

    def run(kind: TaskKind, target: str, sources: list[str], batch: str) -> None:
        messages.send(JOBS[kind], target, sources, batch)

    return JobSender(start=start, run=run, ping=lambda: messages.send(PING))


def _register_jobs(app: Celery, driver: Driver) -> None:
    @app.task(name=JOBS["source"])
    def run_flow_slots(target: str, source: str, epoch: str) -> None:
        driver.run_slots(target, source, epoch)

    def run_batch(target: str, sources: list[str], batch: str) -> None:
        """Target and sources are for people who read messages; the batch is kept in the process."""
        driver.run_batch(batch)

    for kind in PERIODIC:
        app.task(name=JOBS[kind])(run_batch)

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
            except (StateFolderError, HttpPortError) as error:
                log.critical("driver not started", error=str(error))
                raise SystemExit(EX_CONFIG) from error
            signal.signal(signal.SIGHUP, lambda *_: driver.begin_restart())  # Celery would exec itself

        def stop(self, parent: Any) -> None:
            driver.stop()

        def terminate(self, parent: Any) -> None:
            driver.stop()

    return DriverStep
