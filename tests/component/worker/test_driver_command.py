"""`srm driver` with real processes over the embedded Redis: all join, a killed one returns, SIGHUP and SIGTERM."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_command import LIMIT_S, RunningDriver
from tests.support.servers.redis import RunningRedis

pytestmark = [pytest.mark.redis, pytest.mark.slow]

WORKERS = {"berlin:control", "berlin:data", "berlin-2:data"}


@pytest.fixture
def driver(own_redis: RunningRedis, tmp_path: Path) -> Iterator[RunningDriver]:
    running = RunningDriver(own_redis.url, own_redis.url, tmp_path / "home", "--processes", "2")
    yield running
    running.stop()


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
