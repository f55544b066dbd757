"""Metrics of the web processes, from /proc: of all workers behind one port, because any of them may answer."""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily, Metric

from replication.config.release import version
from srm_service.monitoring.prometheus.families import Reading, families

_PROC = Path("/proc")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# places in /proc/<pid>/stat after the name of the program, which may have spaces
_PARENT, _USER_TICKS, _SYSTEM_TICKS, _THREADS, _START_TICKS, _RESIDENT_PAGES = 1, 11, 12, 17, 19, 21


@dataclass(frozen=True, slots=True, kw_only=True)
class WebProcess:
    """One web process; `open_files` is None if they cannot be counted."""

    pid: int
    parent: int
    cpu_seconds: float
    resident_bytes: int
    threads: int
    started_seconds: float
    open_files: int | None


PROCESS_METRICS: tuple[Reading[WebProcess], ...] = (
    Reading("srm_service_cpu_seconds", "CPU time of the process, s", lambda one: one.cpu_seconds, is_total=True),
    Reading("srm_service_resident_bytes", "Resident memory of the process", lambda one: one.resident_bytes),
    Reading("srm_service_threads", "Threads of the process", lambda one: one.threads),
    Reading("srm_service_open_files", "Open files and connections of the process", lambda one: one.open_files),
    Reading(
        "srm_service_start_time_seconds", "Start of the process, seconds of Unix time", lambda one: one.started_seconds
    ),
)


def process_families() -> Iterator[Metric]:
    """Yield the families of this process and of the other workers of its port; none without /proc."""
    info = GaugeMetricFamily("srm_service_info", "The release of the service; the value is 1", labels=["version"])
    info.add_metric([version()], 1.0)
    yield info
    yield from families(PROCESS_METRICS, ("pid",), [((str(one.pid),), one) for one in web_processes()])


def web_processes() -> Sequence[WebProcess]:
    """Return this process, or all workers of the process that started it as a worker, by id."""
    own = _read(os.getpid())
    parent = multiprocessing.parent_process()
    if own is None or parent is None or parent.pid != own.parent:
        return [] if own is None else [own]
    pids = sorted(int(each.name) for each in _PROC.iterdir() if each.name.isdigit())
    found = (_read(pid) for pid in pids)
    return [one for one in found if one is not None and one.parent == own.parent and _is_worker(one.pid)]


def _is_worker(pid: int) -> bool:
    """Return True for a process that multiprocessing started to work, unlike its resource tracker."""
    try:
        return b"spawn_main" in (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return False


def _read(pid: int) -> WebProcess | None:
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        booted = next(line for line in (_PROC / "stat").read_text().splitlines() if line.startswith("btime "))
        return WebProcess(
            pid=pid,
            parent=int(fields[_PARENT]),
            cpu_seconds=(int(fields[_USER_TICKS]) + int(fields[_SYSTEM_TICKS])) / _TICKS_PER_SECOND,
            resident_bytes=int(fields[_RESIDENT_PAGES]) * _PAGE_BYTES,
            threads=int(fields[_THREADS]),
            started_seconds=int(booted.split()[1]) + int(fields[_START_TICKS]) / _TICKS_PER_SECOND,
            open_files=_open_files(pid),
        )
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def _open_files(pid: int) -> int | None:
    try:
        return sum(1 for _ in (_PROC / str(pid) / "fd").iterdir())
    except OSError:
        return None
