"""A real Redis server for tests, the one that `srm up` embeds."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from srm_cli.machine import embedded_redis
from srm_cli.machine.ports import free_port
from srm_cli.machine.processes import ProcessIdentity, end, start_detached, wait_until


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRedis:
    """`process` is there for tests that freeze or kill the server; `restart` brings it back on the same port."""

    url: str
    port: int
    password: str
    config: Path
    process: ProcessIdentity

    def stop(self) -> None:
        end([self.process], grace_seconds=5.0)

    def restart(self) -> "RunningRedis":
        self.stop()
        return _start(config=self.config, port=self.port, password=self.password)


def start_redis(folder: Path) -> RunningRedis:
    port, password = free_port(), secrets.token_urlsafe(16)
    config = embedded_redis.write_config(folder, port=port, password=password)
    return _start(config=config, port=port, password=password)


def _start(*, config: Path, port: int, password: str) -> RunningRedis:
    command = embedded_redis.server_command(config)
    process = start_detached(command, log=config.with_name("redis.log"), tie_to_parent=True)
    url = embedded_redis.url(port=port, password=password)
    assert wait_until(lambda: embedded_redis.answers(url), 10.0), "Redis did not answer"
    return RunningRedis(url=url, port=port, password=password, config=config, process=process)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRedis]:
    """One server for the session; tests keep apart by key names."""
    server = start_redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RunningRedis]:
    """A server for one test, empty at its start."""
    server = start_redis(tmp_path / "redis")
    yield server
    server.stop()
