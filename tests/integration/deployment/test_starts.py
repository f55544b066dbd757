"""Each systemd unit's command starts with its secrets from files, over a Redis with the deployment's configuration."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from redis import Redis

from srm_cli.machine import embedded_redis
from srm_cli.machine.ports import free_port
from srm_cli.machine.processes import wait_until
from tests.support.deployment.files import DOCKER, Unit, make_secrets, units
from tests.support.metrics.metrics_process import spark_jars

__all__ = ["spark_jars"]

pytestmark = pytest.mark.redis
LIMIT_S = 150.0  # on a machine that is busy with other tests
UNITS = {unit.name: unit for unit in units()}


@dataclass(slots=True, kw_only=True)
class Deployment:
    """A state folder per unit, secrets in files, and the processes that were started."""

    folder: Path
    secrets: Path
    redis: Redis
    started: list["subprocess.Popen[bytes]"]

    def start(self, unit: Unit, **more: str) -> "subprocess.Popen[bytes]":
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SRM_", "DJANGO_"))}
        own = {name: value.replace("%d", str(self.secrets)) for name, value in unit.environment.items()}
        home = self.folder / Path(own["SRM_HOME"]).name
        kept = {name: value for name, value in own.items() if "DATABASE_URL" not in name}
        with self.log(unit).open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "srm_cli", *unit.words],
                env={**inherited, **kept, "SRM_HOME": str(home), **more},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self.started.append(process)
        return process

    def log(self, unit: Unit) -> Path:
        return self.folder / f"{unit.name}.log"

    def wait_for(self, unit: Unit, condition: Callable[[], bool]) -> None:
        assert wait_until(condition, LIMIT_S, 0.2), self.log(unit).read_text()[-4_000:]


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    secrets = make_secrets(tmp_path / "secrets")
    port, folder = free_port(), tmp_path / "redis"
    folder.mkdir()
    config = (DOCKER / "redis" / "redis.conf").read_text().replace("/run/secrets/", f"{secrets}/")
    (folder / "redis.conf").write_text(f"{config}\nport {port}\nbind 127.0.0.1\ndir {folder}\n")
    server = subprocess.Popen(embedded_redis.server_command(folder / "redis.conf"), stdout=subprocess.DEVNULL)
    url = (secrets / "redis-url").read_text().strip().replace("@redis:6379", f"@127.0.0.1:{port}")
    (secrets / "redis-url").chmod(0o644)
    (secrets / "redis-url").write_text(url)
    assert wait_until(lambda: embedded_redis.answers(url), 20.0)
    client = Redis.from_url(url, decode_responses=True)
    running = Deployment(folder=tmp_path, secrets=secrets, redis=client, started=[])
    yield running
    for process in (*reversed(running.started), server):
        if process.poll() is None:
            process.terminate()
            process.wait(60)


def test_the_driver_joins_and_leaves_and_the_rights_of_its_redis_user_suffice(deployment: Deployment) -> None:
    unit = UNITS["srm-driver"]
    process = deployment.start(unit)
    names = {"srm:driver:berlin-1:control", "srm:driver:berlin-1:data", "srm:driver:berlin-1-2:data"}
    deployment.wait_for(unit, lambda: set(deployment.redis.scan_iter("srm:driver:*")) == names)
    deployment.wait_for(unit, lambda: "cmdstat_lpush" in deployment.redis.info("commandstats"))  # the first self-ping
    process.terminate()
    assert process.wait(LIMIT_S) == 0
    assert denied(deployment.redis) == {}


def test_the_service_is_prepared_ready_and_publishes(deployment: Deployment) -> None:
    prepare, service, maintenance = (UNITS[f"srm-{name}"] for name in ("prepare", "service", "maintenance"))
    port = free_port()
    assert deployment.start(prepare).wait(LIMIT_S) == 0, deployment.log(prepare).read_text()
    deployment.start(service, SRM_PORT=str(port))
    deployment.start(maintenance)
    deployment.wait_for(service, lambda: _is_ready(port))
    deployment.wait_for(maintenance, lambda: deployment.redis.get("srm:service:seen") is not None)
    assert denied(deployment.redis) == {}


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.large  # every day: test_metrics_unit.py
def test_the_metrics_process_starts_without_a_target(deployment: Deployment, spark_jars: Path) -> None:
    unit = UNITS["srm-metrics"]
    assert deployment.start(UNITS["srm-prepare"]).wait(LIMIT_S) == 0
    process = deployment.start(unit, SRM_METRICS_JARS=str(spark_jars))
    deployment.wait_for(unit, lambda: "Spark is up" in deployment.log(unit).read_text())
    assert process.poll() is None


def denied(redis: Redis) -> dict[str, int]:
    """The commands, keys and channels that the user was refused."""
    counts = {name: value for name, value in redis.info("stats").items() if name.startswith("acl_access_denied")}
    assert counts
    return {name: value for name, value in counts.items() if value}


def _is_ready(port: int) -> bool:
    try:
        answer = httpx.get(f"http://localhost:{port}/readyz", timeout=5.0, trust_env=False)
    except httpx.HTTPError:
        return False
    return answer.status_code == 200
