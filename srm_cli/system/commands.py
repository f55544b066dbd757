"""The command line of each process, for the supervisor and for `srm driver`, `srm service`, `srm metrics`."""

import sys
from pathlib import Path

from replication.domain.assignment.assignment import DriverRole
from replication.domain.settings.choices import FILE_DIALECT

PROJECT = Path(__file__).resolve().parents[2]
# Celery workers here do not know each other; leases and the supervisor notice those that end
UNAWARE_OF_OTHERS = ("--without-gossip", "--without-mingle", "--without-heartbeat")
_WORKER_SILENCE_S = 15  # shorter than the supervisor's patience with a stop


def driver(*, driver_id: str, role: DriverRole, log_level: str) -> tuple[str, ...]:
    """Queue and concurrency are the application's own."""
    return (
        *_celery("replication.worker.app"),
        "worker",
        *("--pool", "threads", "--hostname", f"{driver_id}-{role}@%h"),
        *(*UNAWARE_OF_OTHERS, "--loglevel", log_level),
    )


def maintenance(*, schedule: Path, log_level: str) -> tuple[str, ...]:
    """One worker with the beat inside: a second one would publish everything twice."""
    return (
        *_celery("srm_service.celery"),
        "worker",
        *("--beat", "--schedule", str(schedule)),
        *("--pool", "threads", "--concurrency", "2", "--queues", "srm.maintenance", "--hostname", "maintenance@%h"),
        *(*UNAWARE_OF_OTHERS, "--loglevel", log_level),
    )


def service(*, host: str, port: int, workers: int = 1) -> tuple[str, ...]:
    """Several workers share the port; uvicorn replaces one that ends, or that does not answer it for a while."""
    application, protocol = "srm_service.asgi:application", "srm_service.core.web.request_head:BoundedHeadProtocol"
    address = ("--host", host, "--port", str(port), "--http", protocol)
    processes = ("--workers", str(workers), "--timeout-worker-healthcheck", str(_WORKER_SILENCE_S))
    return (sys.executable, "-m", "uvicorn", application, *address, *processes, "--no-access-log")


def metrics(targets_file: Path, jars: Path | None = None) -> tuple[str, ...]:
    command = (*metrics_module(), "run", "--targets-file", str(targets_file))
    return command if jars is None else (*command, "--jars", str(jars))


def metrics_module() -> tuple[str, ...]:
    """The metrics package as a program."""
    return (sys.executable, "-m", "metrics")


def prepare(config: Path | None, dialect: str = FILE_DIALECT) -> tuple[str, ...]:
    """Migrations of both databases, the first admin and, with a file, its flows."""
    command = (sys.executable, str(PROJECT / "manage.py"), "prepare")
    return command if config is None else (*command, "--config", str(config), "--dialect", dialect)


def _celery(application: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "celery", "--quiet", "--app", application)
