"""A service with its databases and 200 flows that report each second, for measurements of its answers."""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import orjson
import redis

from tests.benchmarks.groups.sampling import tree
from tests.benchmarks.service.filling import flows
from tests.benchmarks.sides import cpu_seconds
from tests.support.drivers import live_documents as live
from tests.support.servers.postgres import running_postgres
from tests.support.servers.redis import start_redis
from tests.support.servers.service import RunningService, running_service

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """The cores that each process of the service used, and the resident memory of the largest one in MB."""

    cores: tuple[float, ...]
    most_mb: float
    seconds: float

    @property
    def all_cores(self) -> float:
        return sum(self.cores)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredService:
    service: RunningService
    token: str

    def clients(self, kind: str, path: str, number: int, seconds: float) -> tuple[dict[str, Any], Use]:
        """Run clients in a process of their own; returns what they saw and what the service used meanwhile."""
        arguments = (kind, self.service.url, self.token, path, str(number), str(seconds))
        command = [sys.executable, "-m", "tests.benchmarks.service.clients", *arguments]
        began_s, before = time.monotonic(), self._cpu()
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
        took_s, after = time.monotonic() - began_s, self._cpu()
        cores = tuple((after[pid] - before.get(pid, 0.0)) / took_s for pid in sorted(after))
        found: dict[str, Any] = orjson.loads(done.stdout.splitlines()[-1])
        return found, Use(cores=cores, most_mb=max(map(_resident_mb, after)), seconds=took_s)

    def _cpu(self) -> dict[int, float]:
        return {pid: cpu_seconds(pid) for pid in tree(self.service.pid)}


@contextmanager
def measured_service(folder: Path, *, database: str, workers: int) -> Iterator[MeasuredService]:
    """Run a service over full databases; `database` is `sqlite` or `postgresql`."""
    with ExitStack() as opened:
        server = start_redis(folder / "redis")
        opened.callback(server.stop)
        more = {} if database == "sqlite" else _postgres(opened)
        more |= {"SRM_WEB_WORKERS": str(workers), "SRM_LOG_LEVEL": "WARNING"}
        service = opened.enter_context(running_service(folder / "home", server.url, **more))
        environment = {**service.env, "DJANGO_SETTINGS_MODULE": "srm_service.settings.local"}
        filling = [sys.executable, "-m", "tests.benchmarks.service.filling"]
        subprocess.run(filling, cwd=ROOT, env=environment, check=True)
        opened.enter_context(_reporting(server.url))
        yield MeasuredService(service=service, token=_token(service))


def _postgres(opened: ExitStack) -> dict[str, str]:
    server = opened.enter_context(running_postgres())
    return {"SRM_DATABASE_URL": server.url, "SRM_METRICS_DATABASE_URL": server.url}


def _token(service: RunningService) -> str:
    body = {"name": "benchmark", "scopes": ["read"]}
    auth = ("admin", service.admin_password)
    answer = httpx.post(f"{service.url}/api/v2/tokens", json=body, auth=auth, trust_env=False, timeout=30.0)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


@contextmanager
def _reporting(redis_url: str) -> Iterator[None]:
    """Reports of all tasks each second, as drivers write them; every number changes."""
    over = threading.Event()
    client = redis.Redis.from_url(redis_url)

    def report() -> None:
        numbers = random.Random(1)
        while not over.wait(1.0):
            pipeline = client.pipeline(transaction=False)
            now_ms = time.time_ns() // 1_000_000
            for source, target in flows():
                changes: dict[str, Any] = {
                    "lag_offsets": numbers.randrange(10_000),
                    "records_per_second": numbers.random() * 100_000,
                    "bytes_per_second": numbers.random() * 100_000_000,
                }
                for key, value in (
                    live.source_task(source, target, now_ms, 0, **changes),
                    live.plan_task(source, target, now_ms),
                    live.heartbeat_task(source, target, now_ms, age_ms=numbers.randrange(2_000)),
                ):
                    pipeline.set(key, value, px=15_000)
            pipeline.execute()

    thread = threading.Thread(target=report, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(10.0)
        client.close()


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
