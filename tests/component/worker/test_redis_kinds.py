"""A driver over TLS, and over Sentinels whose primary dies."""

import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError

from srm_cli.machine import embedded_redis
from srm_cli.machine.ports import LOOPBACK, free_port
from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_command import LIMIT_S, RunningDriver
from tests.support.servers.pki import Authority
from tests.support.servers.redis import RunningRedis
from tests.support.servers.tls_link import tls_in_front_of

pytestmark = [pytest.mark.redis, pytest.mark.slow]

WORKERS = {"berlin:control", "berlin:data"}
_PASSWORD, _SENTINEL_PASSWORD = "word-of-redis", "word-of-sentinel"


def test_a_driver_joins_over_tls_with_the_certificate_authority_of_the_url(
    own_redis: RunningRedis, tmp_path: Path
) -> None:
    authority = Authority("root")
    key = authority.issue("localhost").write_pem(tmp_path / "server.pem")
    root = tmp_path / "root.pem"
    root.write_text(authority.root_pem)
    with tls_in_front_of(own_redis.port, key) as port:
        url = f"rediss://:{own_redis.password}@localhost:{port}/0?ssl_ca_certs={root}"
        driver = RunningDriver(url, own_redis.url, tmp_path / "home")
        try:
            driver.wait_for(WORKERS)
            assert wait_until(lambda: _has_sent(driver.redis, "lpush"), LIMIT_S)  # Celery has connected as well
        finally:
            driver.stop()


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedPair:
    """A primary, its replica and the Sentinel that watches them."""

    url: str
    primary: "subprocess.Popen[bytes]"
    primary_url: str
    replica_url: str


@pytest.fixture
def watched_pair(tmp_path: Path) -> Iterator[WatchedPair]:
    primary, replica, sentinel = (free_port() for _ in range(3))
    common = f'bind {LOOPBACK}\nsave ""\nrequirepass {_PASSWORD}\nmasterauth {_PASSWORD}\n'
    started = [
        _server(tmp_path / "primary", f"{common}port {primary}\n"),
        _server(tmp_path / "replica", f"{common}port {replica}\nreplicaof {LOOPBACK} {primary}\n"),
    ]
    replica_url = f"redis://:{_PASSWORD}@{LOOPBACK}:{replica}/0"
    with Redis.from_url(replica_url) as client:
        assert wait_until(lambda: _is_linked(client), LIMIT_S)
    watch = (
        f"bind {LOOPBACK}\nport {sentinel}\nrequirepass {_SENTINEL_PASSWORD}\n"
        f"sentinel monitor main {LOOPBACK} {primary} 1\nsentinel auth-pass main {_PASSWORD}\n"
        "sentinel down-after-milliseconds main 1000\nsentinel failover-timeout main 5000\n"
    )
    started.append(_server(tmp_path / "sentinel", watch, "--sentinel"))
    query = f"sentinel_password={_SENTINEL_PASSWORD}"
    yield WatchedPair(
        url=f"redis+sentinel://:{_PASSWORD}@{LOOPBACK}:{sentinel}/main/0?{query}",
        primary=started[0],
        primary_url=f"redis://:{_PASSWORD}@{LOOPBACK}:{primary}/0",
        replica_url=replica_url,
    )
    for process in started:
        process.kill()
        process.wait()


def test_a_driver_follows_the_primary_that_sentinels_name(watched_pair: WatchedPair, tmp_path: Path) -> None:
    driver = RunningDriver(watched_pair.url, watched_pair.primary_url, tmp_path / "home")
    try:
        before = driver.wait_for(WORKERS)
        watched_pair.primary.kill()
        driver.redis = Redis.from_url(watched_pair.replica_url)
        sent_ms = {name: member["sent_ms"] for name, member in before.items()}
        assert wait_until(lambda: _have_sent_since(driver, sent_ms), LIMIT_S), driver.output.read_text()
        boots = {name: member["boot"] for name, member in driver.members().items()}
        assert boots == {name: member["boot"] for name, member in before.items()}  # no process has ended
    finally:
        driver.stop()


def _have_sent_since(driver: RunningDriver, sent_ms: Mapping[str, int]) -> bool:
    try:
        members = driver.members()
    except RedisError:  # a replica that becomes the primary closes connections
        return False
    return all(members.get(name, {}).get("sent_ms", 0) > at + 5_000 for name, at in sent_ms.items())


def _server(folder: Path, config: str, *options: str) -> "subprocess.Popen[bytes]":
    folder.mkdir()
    file = folder / "server.conf"
    file.write_text(f"{config}dir {folder}\n")
    command = [embedded_redis.server_binary(), str(file), *options]
    return subprocess.Popen(command, stdout=(folder / "log").open("wb"), stderr=subprocess.STDOUT)


def _is_linked(client: "Redis") -> bool:
    try:
        return bool(client.info("replication").get("master_link_status") == "up")
    except RedisError:
        return False


def _has_sent(client: "Redis", command: str) -> bool:
    return f"cmdstat_{command}" in client.info("commandstats")
