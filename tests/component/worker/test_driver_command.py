"""`srm driver` with real processes over the embedded Redis: all join, a killed one returns, SIGHUP and SIGTERM."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from redis import Redis

from srm_cli.machine.processes import wait_until
from tests.support.servers.redis import RunningRedis

LIMIT_S = 60.0
WORKERS = {"berlin:control", "berlin:data", "berlin-2:data"}


class RunningDriver:
    """`srm driver` and the memberships of its processes."""

    def __init__(self, redis: RunningRedis, home: Path, *options: str) -> None:
        self.output = home.with_suffix(".out")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SRM_")}
        with self.output.open("w") as target:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "srm_cli", "driver", "--id", "berlin", *options],
                env={
                    **environment,
                    "SRM_HOME": str(home),
                    "SRM_REDIS_URL": redis.url,
                    "SRM_TRANSPORT_KEYS": Fernet.generate_key().decode(),
                },
                stdin=subprocess.DEVNULL,
                stdout=target,
                stderr=target,
            )
        self._redis = Redis.from_url(redis.url)

    def members(self) -> dict[str, dict[str, Any]]:
        found = [json.loads(value) for key in self._redis.scan_iter("srm:driver:*") if (value := self._redis.get(key))]
        return {f"{member['id']}:{member['role']}": member for member in found}

    def wait_for(self, names: set[str]) -> dict[str, dict[str, Any]]:
        assert wait_until(lambda: set(self.members()) == names, LIMIT_S), self.output.read_text()
        return self.members()


@pytest.fixture
def driver(own_redis: RunningRedis, tmp_path: Path) -> Iterator[RunningDriver]:
    running = RunningDriver(own_redis, tmp_path / "home", "--processes", "2", "--targets", "west")
    yield running
    if running.process.poll() is None:
        running.process.terminate()
        running.process.wait(LIMIT_S)


def test_the_processes_of_a_driver_join_return_restart_and_leave_together(driver: RunningDriver) -> None:
    first = driver.wait_for(WORKERS)

    os.kill(first["berlin-2:data"]["pid"], signal.SIGKILL)
    assert wait_until(lambda: _boot(driver, "berlin-2:data") not in (None, first["berlin-2:data"]["boot"]), LIMIT_S)

    before = {name: member["boot"] for name, member in driver.wait_for(WORKERS).items()}
    driver.process.send_signal(signal.SIGHUP)
    assert wait_until(
        lambda: all(_boot(driver, name) not in (None, boot) for name, boot in before.items()), 2 * LIMIT_S
    ), driver.output.read_text()
    assert driver.process.poll() is None

    driver.process.terminate()
    assert driver.process.wait(LIMIT_S) == 0
    driver.wait_for(set())


def _boot(driver: RunningDriver, name: str) -> str | None:
    member = driver.members().get(name)
    return None if member is None else str(member["boot"])
