"""Answers of the service to many readers, and its use of CPU and memory for many live sockets, on both databases."""

import os
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.report import Result
from tests.benchmarks.service.clients import WARM_UP_S
from tests.benchmarks.service.filling import BUSY, FLOWS, TOPICS
from tests.benchmarks.service.measured_service import MeasuredService, measured_service

READERS, SOCKETS = 50, 500
MOST_MS, MOST_CORES = 150.0, 1.0
_SECONDS = float(os.environ.get("SECONDS", "30"))
_WORKERS = int(os.environ.get("WEB_WORKERS", "2"))
_DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
_FLOWS_PATH = f"/api/v2/replications?limit={FLOWS}"
_TOPICS_PATH = f"/api/v2/replications/{BUSY[0]}/{BUSY[1]}/topics?limit={TOPICS}"


def measure_service(folder: Path) -> Iterator[Result]:
    """Each reader asks once a second; each socket gets a frame with all flows once a second."""
    chosen = os.environ.get("DATABASES", ",".join(_DATABASES)).split(",")
    for database in chosen:
        with measured_service(folder / database, database=database, workers=_WORKERS) as service:
            where = f"{_WORKERS} web workers, {_DATABASES[database]}"
            yield from _readers(service, f"list of {FLOWS} flows", _FLOWS_PATH, where)
            yield from _readers(service, f"list of {TOPICS:,} topics", _TOPICS_PATH, where)
            yield from _loops(service, f"list of {FLOWS} flows", _FLOWS_PATH, where)
            yield from _sockets(service, where)


def _readers(service: MeasuredService, what: str, path: str, where: str) -> Iterator[Result]:
    answers, use = service.clients("readers", path, READERS, _SECONDS)
    assert answers["errors"] == 0, answers
    name = f"service, {READERS} readers of the {what}, {where}"
    print(name, answers, use, flush=True)
    yield Result.limited(f"{name}: p95", "ms", answers["p95_ms"], MOST_MS)
    yield Result.alone(f"{name}: CPU of all processes", "cores", use.all_cores)
    yield Result.alone(f"{name}: CPU", "ms per answer", 1_000 * use.all_cores * use.seconds / answers["requests"])
    yield Result.alone(f"{name}: memory of the largest process", "MB", use.most_mb)


def _loops(service: MeasuredService, what: str, path: str, where: str) -> Iterator[Result]:
    """Programs without a pause between requests: the cores are full, so that only the number of answers counts."""
    answers, use = service.clients("loops", path, READERS, WARM_UP_S + _SECONDS / 2)
    assert answers["errors"] == 0, answers
    name = f"service, {READERS} readers of the {what} without a pause, {where}"
    print(name, answers, use, flush=True)
    yield Result.alone(f"{name}: answers", "per second", answers["per_second"])
    yield Result.alone(f"{name}: p95", "ms", answers["p95_ms"])


def _sockets(service: MeasuredService, where: str) -> Iterator[Result]:
    seen, use = service.clients("sockets", "flows", SOCKETS, _SECONDS)
    name = f"service, {SOCKETS} sockets with {FLOWS} flows, {where}"
    print(name, seen, use, flush=True)
    yield Result.limited(f"{name}: CPU of all processes", "cores", use.all_cores, MOST_CORES)
    yield Result.limited(f"{name}: missed frames", "", float(seen["missed"]), 0)
    yield Result.alone(f"{name}: age of a frame, p95", "ms", seen["p95_ms"])
    yield Result.alone(f"{name}: memory of the largest process", "MB", use.most_mb)
